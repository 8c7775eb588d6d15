import { resolve } from 'node:path';
import type { PathRefused } from '../../access/paths.ts';
import type { Agent } from '../../agent.ts';
import { comparable, lineEndsOf, textOnDisk } from '../../comparable-text.ts';
import type {
  AboutCall,
  AcceptedFile,
  AwaitVerdict,
  CallSource,
  FileEdit,
  Gate,
  GateCall,
  GatedBridge,
  HookOutput,
  Verdict,
} from '../../gate.ts';
import type { Outcome, ProposedChange } from '../../review/proposal.ts';
import { acceptanceInWords, refusalInWords } from '../outcome-in-words.ts';
import { SharedCalls } from './shared-calls.ts';

const NOTHING: HookOutput = { stdout: '', exitCode: 0 };
const MAX_SESSIONS = 256;
/** A command that is longer is cut: nobody reads it to its end, and a screen must show it. */
const MAX_SHOWN = 256 * 1024;
/** For a model to make a call again, after it was told to. */
const KEEP_MS = 120_000;
const STILL_OPEN =
  'The user is still reviewing this change; nothing is written yet. Make exactly the same call again now to wait for the decision.';

/** Turns the calls of agents' hooks into proposals, and the user's decisions into answers. */
export class Gating {
  readonly #bridge: GatedBridge;
  /** The owner of the proposals of each conversation. */
  readonly #owners = new Map<string, object>();
  readonly #calls = new SharedCalls<AwaitVerdict>();

  constructor(bridge: GatedBridge) {
    this.#bridge = bridge;
  }

  /** Resolves when the user has decided. Aborting the signal withdraws what was proposed. Rejects if the input is unknown. */
  async decide(
    agent: Agent,
    gate: Gate,
    input: unknown,
    signal: AbortSignal,
    about: AboutCall = {},
  ): Promise<HookOutput> {
    const call = gate.read(input);
    if (call.kind === 'ignored') return NOTHING;
    if (call.kind === 'answered') return call.output;
    if (call.kind === 'ran') return await this.#ran(agent, gate, input, call, signal, about);
    const { slices } = gate;
    const ask = (until: AbortSignal) => this.#decided(agent, gate, call, until, about);
    const key = slices === undefined ? callKey(agent, input) : [agent.name, call.session, slices.key(input)];
    const slice = slices && { waitMs: slices.seconds * 1000, keepMs: KEEP_MS };
    const decided = await this.#calls.wait(JSON.stringify(key), signal, ask, slice);
    return decided === undefined ? gate.refuse(STILL_OPEN) : gate.answer(input, await decided());
  }

  async #decided(
    agent: Agent,
    { ignoresRewriting }: Gate,
    call: Exclude<GateCall, { readonly kind: 'ignored' | 'answered' | 'ran' }>,
    signal: AbortSignal,
    { unheld }: AboutCall,
  ): Promise<AwaitVerdict> {
    const owner = this.#owner(agent, call);
    if (call.kind === 'command') return this.#ask(agent, call, call.text, owner, signal, unheld);
    const changes: ProposedChange[] = [];
    for (const edit of call.edits) {
      const change = await this.#change(agent, call, edit).catch((error: unknown) => error as Error);
      if (change instanceof Error && isPaused(change)) {
        return async () => ({ kind: 'refused', reason: change.message });
      }
      // What can't be compared is shown as it is.
      if (change instanceof Error) return this.#ask(agent, call, described(call.edits, change), owner, signal);
      changes.push(change);
    }
    const { reviews } = this.#bridge;
    const [only] = changes;
    const writer = (text: string) => (ignoresRewriting && text !== only?.newText ? 'bridge' : 'agent');
    const options = { owner, signal, writer };
    const outcomes =
      changes.length === 1 && only !== undefined
        ? [await reviews.propose(only, options)]
        : await reviews.proposeSet(changes, { ...options, title: call.title });
    const isWritten = outcomes.some((outcome) => outcome.kind === 'accepted' && writer(outcome.text) === 'bridge');
    return isWritten ? async () => alreadyWritten(outcomes) : () => verdictOf(call.edits, outcomes);
  }

  /** A command has ended: what it changed is reviewed now. */
  async #ran(
    agent: Agent,
    { holding }: Gate,
    input: unknown,
    call: CallSource,
    signal: AbortSignal,
    { layers = [] }: AboutCall,
  ): Promise<HookOutput> {
    if (holding === undefined) return NOTHING;
    const { reviewHeld } = await import('./review-held.ts');
    const proposer = { agent: agent.name, owner: this.#owner(agent, call), signal };
    const words: string[] = [];
    for (const layer of layers) words.push(await reviewHeld(this.#bridge, layer, proposer));
    const said = words.filter((each) => each !== '').join('\n');
    return said === '' ? NOTHING : holding.tell(input, said);
  }

  /** Shows a call that runs as a whole or not at all. */
  async #ask(
    { name: agent }: Agent,
    { cwd, title }: CallSource & { readonly title: string },
    text: string,
    owner: object,
    signal: AbortSignal,
    unheld?: string,
  ): Promise<AwaitVerdict> {
    const advice = unheld === undefined ? {} : { advice: `What it changes will not be held: ${unheld}.` };
    const newText = text.length > MAX_SHOWN ? `${text.slice(0, MAX_SHOWN)}…` : text;
    const change = { path: cwd, oldText: undefined, newText, agent, title, effect: 'command', ...advice } as const;
    const outcome = await this.#bridge.reviews.propose(change, { owner, signal, writer: 'agent' });
    const verdict: Verdict =
      outcome.kind === 'accepted'
        ? { kind: 'allowed', words: acceptanceInWords(outcome) }
        : { kind: 'refused', reason: refusalInWords(outcome, title) };
    return async () => verdict;
  }

  /** Rejects if the file can't be shared, or its new text can't be known. */
  async #change({ name: agent }: Agent, { cwd }: CallSource, edit: FileEdit): Promise<ProposedChange> {
    const { editor } = this.#bridge;
    const path = await editor.resolve(resolve(cwd, edit.path), { for: 'diff' });
    const source = edit.movedFrom === undefined ? path : resolve(cwd, edit.movedFrom);
    const readFrom = source === path ? path : await editor.resolve(source, { for: 'diff' });
    const found = await textOnDisk(readFrom);
    const plain = comparable(found, 'kept');
    const applied = edit.apply(plain);
    if (applied instanceof Error) throw applied;
    const shown = {
      path,
      ...(readFrom !== path && { oldPath: readFrom }),
      agent,
      title: edit.path,
      isOfGate: true,
    } as const;
    if (typeof applied !== 'string') return { ...shown, oldText: plain, newText: '', effect: 'delete' };
    return { ...shown, oldText: comparable(found, lineEndsOf(applied)), newText: applied };
  }

  #owner({ name }: Agent, { session = '' }: CallSource): object {
    const key = `${name} ${session}`;
    const owner = this.#owners.get(key) ?? {};
    this.#owners.delete(key);
    this.#owners.set(key, owner);
    const [oldest] = this.#owners.keys();
    if (this.#owners.size > MAX_SESSIONS && oldest !== undefined) this.#owners.delete(oldest);
    return owner;
  }
}

/** Equal for two hooks that an agent runs before one call: its settings have one, and a plugin. */
function callKey({ name }: Agent, input: unknown): unknown {
  return [name, { ...(input as object), timestamp: undefined }];
}

/** The agent must not make the call any more. */
function alreadyWritten(outcomes: readonly Outcome[]): Verdict {
  const words = outcomes.flatMap((outcome) => (outcome.kind === 'accepted' ? acceptanceInWords(outcome) : []));
  const done =
    'The file has the accepted text already. Do not make this call again; read the file again before you change it.';
  return { kind: 'refused', reason: [...words, done].join('\n') };
}

/** What the agent may write now. A file that has changed since the user saw it is refused. */
async function verdictOf(edits: readonly FileEdit[], outcomes: readonly Outcome[]): Promise<Verdict> {
  const files: AcceptedFile[] = [];
  const words: string[] = [];
  for (const [index, outcome] of outcomes.entries()) {
    const edit = edits[index] as FileEdit; // there is an outcome for each
    if (outcome.kind !== 'accepted') {
      words.push(refusalInWords(outcome, edit.path));
      continue;
    }
    const { text, proposal } = outcome;
    const { oldText, newText, oldPath, path, effect } = proposal;
    const now = comparable(await textOnDisk(oldPath ?? path), lineEndsOf(newText));
    if (now !== oldText) {
      return { kind: 'refused', reason: `${edit.path} has changed meanwhile; nothing is written. Read it again.` };
    }
    words.push(acceptanceInWords(outcome));
    files.push({ edit, oldText, text: effect === 'delete' && text === '' ? undefined : text });
  }
  const said = words.filter((each) => each !== '').join('\n');
  return files.length === 0 ? { kind: 'refused', reason: said } : { kind: 'accepted', files, words: said };
}

/** By its code: the editor is of another bundle, which has a class of its own. */
function isPaused(error: Error & Partial<Pick<PathRefused, 'code'>>): boolean {
  return error.code === 'paused';
}

function described(edits: readonly FileEdit[], problem: Error): string {
  const files = edits.map(({ path, movedFrom }) => (movedFrom === undefined ? path : `${movedFrom} → ${path}`));
  return `Change ${files.join(', ')}\n\nWhat it makes of it can't be shown: ${problem.message}.`;
}
