import * as vscode from 'vscode';
import type { DiffTabs } from './diff-tabs.ts';
import type { HunkLenses } from './hunk-lenses.ts';
import type { NoteThreads } from './note-threads.ts';
import { idOfTab, isSide, nameOf } from './proposal-uris.ts';
import { OpenProposal, type ProposalGroup, type Proposals } from './proposals.ts';
import type { Reviewing } from './reviewing.ts';

export interface ReviewCommandParts {
  readonly proposals: Proposals;
  readonly reviewing: Reviewing;
  readonly tabs: DiffTabs;
  readonly lenses: HunkLenses;
  readonly notes: NoteThreads;
  /** Opens `hawser review` in a terminal. */
  readonly reviewInTerminal: () => void;
}

type Given = vscode.Uri | OpenProposal | undefined;

/** The commands with which the user decides. Without an argument they are about the proposal in front. */
export function reviewCommands(parts: ReviewCommandParts): Record<string, (...args: never[]) => unknown> {
  const { proposals, reviewing, tabs, lenses, notes } = parts;
  const target = (given: Given): OpenProposal | undefined => {
    if (given instanceof OpenProposal) return given;
    const uri = given instanceof vscode.Uri && isSide(given) ? given : vscode.window.activeTextEditor?.document.uri;
    const tab = vscode.window.tabGroups.activeTabGroup.activeTab;
    return (isSide(uri) ? proposals.get(uri?.authority) : undefined) ?? proposals.get(idOfTab(tab));
  };
  const inTarget = (act: (proposal: OpenProposal) => unknown) => async (given: Given) => {
    const proposal = target(given);
    if (proposal !== undefined) await act(proposal);
  };
  const inSet =
    (kind: 'accepted' | 'rejected') =>
    async ({ members }: ProposalGroup) => {
      await Promise.all(members.map((each) => reviewing.decide(each, kind)));
    };
  const show = async (proposal: OpenProposal | undefined) => {
    if (proposal === undefined) {
      void vscode.window.showInformationMessage('No change waits for your decision.');
    } else if (proposal.size === 'too large') await chooseUnseen(proposal);
    else await tabs.open(proposal, 'asked');
  };
  /** The files of a set together. */
  const showFirst = async () => {
    const [first] = proposals.all();
    const set = first && proposals.wholeSet(first);
    await (set === undefined ? show(first) : tabs.openSet(set));
  };
  const chooseUnseen = async (proposal: OpenProposal) => {
    const [accept, reject, terminal] = ['Accept Unseen', 'Reject', 'Review in Terminal'];
    const text = `${nameOf(proposal)} is too large for the diff editor.`;
    const choice = await vscode.window.showWarningMessage(text, accept, reject, terminal);
    if (choice === accept) await reviewing.decide(proposal, 'accepted');
    if (choice === reject) await reviewing.decide(proposal, 'rejected');
    if (choice === terminal) parts.reviewInTerminal();
  };
  /** Keys on hunks act one after the other: the next one is about where the last one went. */
  let last: Promise<void> = Promise.resolve();
  const inOrder = (act: () => Promise<void>) => {
    last = last.then(act, act);
    return last;
  };
  const go = async (direction: 'next' | 'previous') => {
    const [proposal, editor] = [target(undefined), vscode.window.activeTextEditor];
    if (proposal === undefined || editor === undefined) return;
    if (!(await lenses.go(proposal, editor, direction)) && direction === 'next') {
      vscode.window.setStatusBarMessage('The last change of this file: Ctrl+Enter accepts the file', 3000);
    }
  };
  return {
    'hawser.accept': inTarget((proposal) => reviewing.decide(proposal, 'accepted')),
    'hawser.reject': inTarget((proposal) => reviewing.decide(proposal, 'rejected')),
    'hawser.requestChanges': inTarget(async (proposal) => {
      if (proposal.wire.noteDelivery === 'none') {
        void vscode.window.showInformationMessage(
          `${proposal.wire.agent} does not accept notes. Reject the change instead.`,
        );
        return;
      }
      const prompt = `What should ${proposal.wire.agent} do differently in ${nameOf(proposal)}?`;
      const text = await vscode.window.showInputBox({ prompt, ignoreFocusOut: true });
      if (text === undefined || (text.trim() === '' && proposal.notes.length === 0)) return;
      await reviewing.decide(proposal, 'changesRequested', text.trim() === '' ? [] : [{ text }]);
    }),
    'hawser.acceptHunk': () => inOrder(() => go('next')),
    'hawser.previousHunk': () => inOrder(() => go('previous')),
    'hawser.rejectHunk': (given: Given, index?: number) =>
      inOrder(async () => {
        const proposal = target(given);
        const line = vscode.window.activeTextEditor?.selection.active.line ?? 0;
        if (proposal !== undefined) await lenses.reject(proposal, typeof index === 'number' ? { index } : { line });
      }),
    'hawser.nextProposal': () => show(proposals.beside(target(undefined)?.id, 1)),
    'hawser.previousProposal': () => show(proposals.beside(target(undefined)?.id, -1)),
    'hawser.show': (given: Given) => {
      const proposal = target(given);
      return proposal === undefined ? showFirst() : show(proposal);
    },
    'hawser.showSet': ({ members }: ProposalGroup) => tabs.openSet(members),
    'hawser.acceptSet': inSet('accepted'),
    'hawser.rejectSet': inSet('rejected'),
    'hawser.addNote': (reply: vscode.CommentReply) => reviewing.noted(notes.add(reply)),
    'hawser.removeNote': (thread: vscode.CommentThread) => reviewing.noted(notes.removeThread(thread)),
    'hawser.notSaved': () => {
      vscode.window.setStatusBarMessage('What you typed is kept. Ctrl+Enter accepts the change with it.', 5000);
    },
    'hawser.reviewInTerminal': parts.reviewInTerminal,
  };
}
