import type { ParamsOf, WireDecision, WireProposal } from '@hawser/editor-protocol';
import * as vscode from 'vscode';
import type { Activity } from './activity.ts';
import type { DiffTabs } from './diff-tabs.ts';
import type { Drafts } from './drafts.ts';
import type { NoteThreads } from './note-threads.ts';
import { NEW, nameOf, rightDocument, wholeRange } from './proposal-uris.ts';
import { type Note, OpenProposal, type Proposals } from './proposals.ts';
import type { Sides } from './sides.ts';
import { BridgeError, type Wire, type WireHandlers } from './wire.ts';

type ReviewerMessage = 'proposal/show' | 'proposal/update' | 'proposal/progress' | 'proposal/close';

export interface ReviewingParts {
  readonly proposals: Proposals;
  readonly sides: Sides;
  readonly tabs: DiffTabs;
  readonly drafts: Drafts;
  readonly notes: NoteThreads;
  readonly activity: Activity;
  /** Undefined while no bridge is connected. */
  readonly wire: () => Wire | undefined;
  /** What waits has changed. */
  readonly changed: () => void;
}

const HUNKS_MS = 150;

/** Shows proposals, and passes what the user decides to the bridge. */
export class Reviewing implements vscode.Disposable {
  readonly #parts: ReviewingParts;
  readonly #stop: vscode.Disposable;
  readonly #decidedHere = new Set<string>();
  #hunksTimer: NodeJS.Timeout | undefined;

  constructor(parts: ReviewingParts) {
    this.#parts = parts;
    this.#stop = vscode.workspace.onDidChangeTextDocument(({ document }) => {
      if (document.uri.scheme === NEW) this.#edited(document);
    });
  }

  readonly handlers: Required<Pick<WireHandlers, ReviewerMessage>> = {
    'proposal/show': (wire) => ({ state: this.#show(wire) }),
    'proposal/update': (wire) => ({ state: this.#update(wire) }),
    'proposal/progress': ({ id, progress }) => {
      const proposal = this.#parts.proposals.get(id);
      if (proposal === undefined) return;
      proposal.progress = progress;
      if (progress.kind === 'failed') {
        void vscode.window.showErrorMessage(`${nameOf(proposal)} was not written: ${progress.reason}`);
      }
      this.#parts.changed();
    },
    'proposal/close': (params) => void this.#close(params),
  };

  /** `more` are notes besides those on lines. Resolves when the bridge has answered. */
  async decide(proposal: OpenProposal, kind: WireDecision['kind'], more: readonly Note[] = []): Promise<void> {
    const wire = this.#parts.wire();
    if (wire === undefined) {
      void vscode.window.showWarningMessage('Hawser is not connected; nothing was decided.');
      return;
    }
    const { id } = proposal;
    const { revision } = proposal.wire;
    this.#decidedHere.add(id);
    try {
      const result = await wire.request('proposal/decide', { id, revision, decision: proposal.decision(kind, more) });
      if (result.kind === 'stale') {
        this.#decidedHere.delete(id);
        void vscode.window.showInformationMessage(`${nameOf(proposal)} has changed meanwhile. Look at it again.`);
      } else if (result.kind === 'waiting') {
        const { decided, size } = result;
        vscode.window.setStatusBarMessage(`${decided} of ${size} files of this change are decided`, 5000);
        await this.showNext(proposal);
      } else if (result.kind === 'failed') this.#decidedHere.delete(id);
    } catch (error) {
      this.#decidedHere.delete(id);
      if (!(error instanceof BridgeError)) {
        void vscode.window.showWarningMessage(`${nameOf(proposal)}: nothing was decided. ${String(error)}`);
      }
    }
  }

  /** The hunks of what is shown now; undefined if there are none to work with. */
  async hunks(proposal: OpenProposal): Promise<readonly (readonly number[])[] | undefined> {
    if (proposal.size !== 'small') return undefined;
    while (proposal.hunks === undefined) {
      const { text } = proposal;
      const answer = await this.#parts.wire()?.request('proposal/hunks', { id: proposal.id, text });
      if (answer === undefined) return undefined;
      if (proposal.text === text) proposal.hunks = answer.hunks;
    }
    return proposal.hunks;
  }

  /** The next one that is not decided yet, in front and with the focus: the user has just decided. */
  async showNext(after: OpenProposal): Promise<void> {
    const { proposals, tabs } = this.#parts;
    const next = proposals
      .all()
      .find((each) => each.id !== after.id && each.progress.kind !== 'decided' && each.progress.kind !== 'applying');
    if (next !== undefined) await tabs.open(next, 'asked');
  }

  /** The user has written or removed notes. */
  noted(proposal: OpenProposal | undefined): void {
    if (proposal === undefined) return;
    this.#keep(proposal);
    this.#parts.changed();
  }

  dispose(): void {
    clearTimeout(this.#hunksTimer);
    this.#stop.dispose();
  }

  #show(wire: WireProposal): 'shown' | 'queued' {
    const { proposals, drafts, notes, changed } = this.#parts;
    if (proposals.get(wire.id) !== undefined) return this.#update(wire);
    const proposal = new OpenProposal(wire, drafts.find(wire.id));
    proposals.add(proposal);
    notes.restore(proposal);
    changed();
    void this.#merge(proposal);
    return this.#present(proposal);
  }

  #present(proposal: OpenProposal): 'shown' | 'queued' {
    const { tabs, activity } = this.#parts;
    const wanted = vscode.workspace.getConfiguration('hawser').get<string>('openProposals');
    if (wanted === 'never' || proposal.size === 'too large') return 'queued';
    const isFree = wanted === 'whenIdle' && !activity.isBusy && !tabs.isReviewing();
    return tabs.offer(proposal, isFree ? 'front' : 'behind');
  }

  #update(wire: WireProposal): 'shown' | 'queued' {
    const { proposals, sides, tabs, changed } = this.#parts;
    const proposal = proposals.get(wire.id);
    if (proposal === undefined) return this.#show(wire);
    proposal.update(wire);
    sides.refresh(proposal);
    changed();
    void this.#merge(proposal);
    return tabs.isOpen(proposal) ? 'shown' : 'queued';
  }

  /** Brings the new revision into the user's text, as an edit that can be undone. */
  async #merge(proposal: OpenProposal): Promise<void> {
    const { sides, wire } = this.#parts;
    try {
      while (proposal.isBehind) {
        const { text = '', before: madeFrom } = proposal.draft;
        const answer = await wire()?.request('proposal/hunks', { id: proposal.id, text, madeFrom });
        if (answer === undefined) return;
        // The user typed meanwhile.
        if (proposal.draft.text !== text) continue;
        proposal.merge(answer.text);
      }
    } catch {
      // It has ended, or the bridge has.
      return;
    }
    if (proposal.hasConflict) {
      const what = `${nameOf(proposal)} has changed where you edited it.`;
      void vscode.window.showWarningMessage(`${what} Your text is kept; accepting it undoes that change.`);
    }
    const document = rightDocument(proposal);
    if (document !== undefined && document.getText() !== proposal.text) {
      const edit = new vscode.WorkspaceEdit();
      edit.replace(document.uri, wholeRange(document), proposal.text);
      if (!(await vscode.workspace.applyEdit(edit))) sides.refreshRight(proposal);
    }
    this.#keep(proposal);
  }

  #edited(document: vscode.TextDocument): void {
    const proposal = this.#parts.proposals.get(document.uri.authority);
    if (proposal === undefined) return;
    const before = proposal.hunks;
    proposal.edit(document.getText());
    this.#keep(proposal);
    if (proposal.hunks === before && before !== undefined) return;
    clearTimeout(this.#hunksTimer);
    this.#hunksTimer = setTimeout(() => {
      void this.hunks(proposal).then(this.#parts.changed, () => {});
    }, HUNKS_MS);
  }

  #keep(proposal: OpenProposal): void {
    if (proposal.hasDraft) this.#parts.drafts.keep(proposal.id, proposal.draft);
    else this.#parts.drafts.drop(proposal.id);
  }

  async #close({ id, outcome }: ParamsOf<'proposal/close'>): Promise<void> {
    const { proposals, tabs, drafts, notes, changed } = this.#parts;
    const proposal = proposals.remove(id);
    if (proposal === undefined) return;
    const isOurs = this.#decidedHere.delete(id);
    const wasInFront = tabs.isInFront(proposal);
    if (proposal.isEdited && !isOurs) this.#rescue(proposal, outcome);
    drafts.drop(id);
    notes.remove(id);
    changed();
    await tabs.close(proposal);
    if (isOurs && wasInFront) await this.showNext(proposal);
  }

  /** The proposal has ended without the text that the user had typed here. */
  #rescue(proposal: OpenProposal, outcome: ParamsOf<'proposal/close'>['outcome']): void {
    const file = this.#parts.drafts.rescue(proposal.draft);
    const how = outcome.kind === 'withdrawn' ? `withdrawn: ${outcome.reason}` : `decided in ${outcome.by}`;
    const message = `${nameOf(proposal)} was ${how}. What you had typed is kept.`;
    void vscode.window.showInformationMessage(message, 'Show My Text').then((choice) => {
      if (choice !== undefined) void vscode.window.showTextDocument(vscode.Uri.file(file));
    });
  }
}
