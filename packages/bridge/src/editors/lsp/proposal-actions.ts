import { rmSync, writeFileSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import { unifiedDiff } from '@hawser/diffs/unified-diff';
import { messages, type ParamsOf, type WireProposal } from '@hawser/editor-protocol';
import type { Peer } from '@hawser/mcp';
import { isObject } from '@hawser/unknown-values/objects';
import { messageOf } from '@hawser/unknown-values/thrown';
import { randomName } from '@hawser/user-files/names';
import { makePrivateFolder } from '@hawser/user-files/private-file';
import { uriOf } from '../language-answers.ts';

export interface Command {
  readonly title: string;
  readonly command: string;
  readonly arguments: readonly unknown[];
}

export interface ProposalActionsOptions {
  readonly client: Peer;
  /** Sends a decision to the bridge. */
  readonly decide: (params: ParamsOf<'proposal/decide'>) => Promise<unknown>;
  /** `ask` also opens a question, which some clients show as a prompt that takes the keyboard. */
  readonly announce: 'message' | 'ask';
  /** The client can open a file, so it can show a diff. */
  readonly showsDocuments: boolean;
  readonly stateFolder: string;
  readonly say: (type: 'error' | 'warning' | 'info', message: string) => void;
}

interface Shown {
  readonly proposal: WireProposal;
  /** Ends the question about it. */
  readonly ended: AbortController;
  diffFile?: string;
}

export const PROPOSAL_COMMANDS = ['hawser.accept', 'hawser.reject', 'hawser.showDiff'];

/** Code actions of more proposals than this would fill the menu. */
const MAX_OFFERED = 5;
const CHOICES = [
  { title: 'Accept', command: 'hawser.accept' },
  { title: 'Reject', command: 'hawser.reject' },
  { title: 'Show diff', command: 'hawser.showDiff' },
];

/** Proposals in a client that has no view for them: a message says that there is one, code actions decide on it. */
export class ProposalActions {
  readonly #options: ProposalActionsOptions;
  readonly #shown = new Map<string, Shown>();

  constructor(options: ProposalActionsOptions) {
    this.#options = options;
  }

  show(proposal: WireProposal): { readonly state: 'queued' } {
    const { announce, say } = this.#options;
    this.#remove(proposal.id);
    const shown = { proposal, ended: new AbortController() };
    this.#shown.set(proposal.id, shown);
    if (announce === 'ask') void this.#ask(shown).catch(() => undefined);
    else
      say('info', `${sentence(proposal)}. Its code actions accept or reject it; hawser review shows it in a terminal.`);
    return { state: 'queued' };
  }

  progress({ id, progress }: ParamsOf<'proposal/progress'>): void {
    const shown = this.#shown.get(id);
    if (shown === undefined || progress.kind !== 'failed') return;
    this.#options.say('error', `${basename(shown.proposal.title)} is not written: ${progress.reason}`);
  }

  close(id: string): void {
    this.#remove(id);
  }

  /** Those of the file first. */
  actions(uri: string | undefined): readonly Command[] {
    const all = [...this.#shown.values()].map(({ proposal }) => proposal);
    const sorted = [...all.filter((each) => each.uri === uri), ...all.filter((each) => each.uri !== uri)];
    return sorted.slice(0, MAX_OFFERED).flatMap((proposal) =>
      this.#choices(proposal).map(({ title, command }) => ({
        title: `Hawser: ${title.toLowerCase()}, ${nameOf(proposal)} from ${proposal.agent}${counts(proposal)}`,
        command,
        // The revision that the user is offered, so that an answer that comes late decides nothing else.
        arguments: [proposal.id, proposal.revision],
      })),
    );
  }

  async execute(command: string, [id, revision]: readonly unknown[]): Promise<void> {
    const shown = this.#shown.get(String(id));
    if (shown === undefined) throw new Error('This proposal is no longer open');
    if (command === 'hawser.showDiff') return await this.#showDiff(shown);
    const kind = command === 'hawser.accept' ? 'accepted' : 'rejected';
    const given = Number.isInteger(revision) ? Number(revision) : shown.proposal.revision;
    const answer = await this.#options.decide({ id: String(id), revision: given, decision: { kind } });
    const { kind: result } = messages['proposal/decide'].result.read(answer, 'result');
    if (result === 'stale') {
      this.#options.say('warning', `${nameOf(shown.proposal)} has changed since: look at the proposal again`);
    }
  }

  closeAll(): void {
    for (const id of [...this.#shown.keys()]) this.#remove(id);
  }

  async #ask(shown: Shown): Promise<void> {
    const { client, say } = this.#options;
    const { proposal, ended } = shown;
    const actions = this.#choices(proposal).map(({ title }) => ({ title }));
    const message = `${sentence(proposal)}. hawser review shows it in a terminal.`;
    const answer = await client.request(
      'window/showMessageRequest',
      { type: 3, message, actions },
      { signal: ended.signal, timeout: 0 },
    );
    // No answer, or one that the client gave by itself, is no decision: the code actions stay.
    const title = isObject(answer) ? answer.title : undefined;
    const choice = CHOICES.find((each) => each.title === title);
    if (choice === undefined || ended.signal.aborted) return;
    await this.execute(choice.command, [proposal.id, proposal.revision]).catch((error: unknown) =>
      say('error', messageOf(error)),
    );
  }

  #choices({ effect }: WireProposal): typeof CHOICES {
    const hasDiff = this.#options.showsDocuments && effect !== 'command';
    return CHOICES.filter(({ command }) => hasDiff || command !== 'hawser.showDiff');
  }

  async #showDiff(shown: Shown): Promise<void> {
    const { proposal } = shown;
    const { client, stateFolder } = this.#options;
    if (shown.diffFile === undefined) {
      const { oldText = '', newText = '' } = proposal;
      // Named after this process, so that a later start removes what a crash left: see `PrivateTexts`.
      const folder = join(stateFolder, 'texts', `${process.pid}-${randomName(12)}`);
      makePrivateFolder(folder);
      shown.diffFile = join(folder, `${nameOf(proposal)}.diff`);
      const names = { oldName: nameOf(proposal), newName: `${nameOf(proposal)} as proposed` };
      writeFileSync(shown.diffFile, unifiedDiff(oldText, newText, names), { mode: 0o600, flag: 'wx' });
    }
    await client.request('window/showDocument', { uri: uriOf(shown.diffFile), takeFocus: true });
  }

  #remove(id: string): void {
    const shown = this.#shown.get(id);
    this.#shown.delete(id);
    shown?.ended.abort(new Error('The proposal has ended'));
    if (shown?.diffFile !== undefined) rmSync(dirname(shown.diffFile), { recursive: true, force: true });
  }
}

const DEEDS = {
  edit: 'wants to change',
  delete: 'wants to delete',
  command: 'wants to run',
  noticed: 'has changed',
  noticedDelete: 'has deleted',
} as const;

function sentence(proposal: WireProposal): string {
  const { agent, effect, isNewFile } = proposal;
  const deed = effect === 'edit' && isNewFile ? 'wants to make' : DEEDS[effect];
  const what = effect === 'command' ? (proposal.newText ?? '').slice(0, 500) : `${nameOf(proposal)}${counts(proposal)}`;
  return `${agent} ${deed} ${what}`;
}

function nameOf({ title }: WireProposal): string {
  return basename(title) || title;
}

function counts({ effect, hunks }: WireProposal): string {
  if (effect === 'command') return '';
  const sum = (member: 1 | 3) => hunks.reduce((total, hunk) => total + (hunk[member] ?? 0), 0);
  return ` (+${sum(3)} -${sum(1)})`;
}
