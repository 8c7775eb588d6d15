import type { DiffDecision, Proposal } from './editor.ts';
import { type Choice, decide } from './review/hunks/decide.ts';

/** How a proposal left the desk. */
export type Ending =
  | { readonly kind: 'accepted'; readonly how: 'whole' | 'changed' }
  | { readonly kind: 'rejected' }
  /** Nobody waits for a decision any more: the agent closed it, left, or the bridge ends. */
  | { readonly kind: 'withdrawn'; readonly why: string };

export type DeskEvent =
  | { readonly kind: 'came'; readonly proposal: Proposal }
  | { readonly kind: 'went'; readonly id: string; readonly ending: Ending };

export type Verdict =
  | { readonly kind: 'decided'; readonly ending: Ending }
  /** Somebody was faster, or the agent has gone. */
  | { readonly kind: 'ended'; readonly ending: Ending }
  | { readonly kind: 'unknown' };

/** More than this wait at once only when an agent has gone wrong. */
const MAX_OPEN = 1000;
/** So many that have ended are remembered, to tell whoever comes late. */
const MAX_REMEMBERED = 1000;

/** Where proposals wait for a person, in the order in which they came. Each is decided once, whoever is first. */
export class Desk {
  readonly #open = new Map<string, Waiting>();
  readonly #ended = new Map<string, Ending>();
  readonly #listeners = new Set<(event: DeskEvent) => void>();

  /** For an editor: settles with the decision, rejects with the signal's reason. */
  readonly review = (proposal: Proposal, { signal }: { readonly signal: AbortSignal }): Promise<DiffDecision> =>
    new Promise((resolve, reject) => {
      if (signal.aborted) throw signal.reason;
      if (this.#open.size >= MAX_OPEN) throw new Error(`${MAX_OPEN} proposals wait for a decision already`);
      const withdraw = () => {
        const why = signal.reason instanceof Error ? signal.reason.message : String(signal.reason);
        this.#end(proposal.id, { kind: 'withdrawn', why });
        reject(signal.reason);
      };
      this.#open.set(proposal.id, {
        proposal,
        settle: (decision) => {
          signal.removeEventListener('abort', withdraw);
          resolve(decision);
        },
      });
      signal.addEventListener('abort', withdraw, { once: true });
      this.#tell({ kind: 'came', proposal });
    });

  list(): readonly Proposal[] {
    return [...this.#open.values()].map(({ proposal }) => proposal);
  }

  find(id: string): Proposal | Ending | undefined {
    return this.#open.get(id)?.proposal ?? this.#ended.get(id);
  }

  /** The ids, open ones first, that begin like this; a whole id is its only one. */
  idsLike(beginning: string): readonly string[] {
    if (this.find(beginning) !== undefined) return [beginning];
    const open = [...this.#open.keys()].filter((id) => id.startsWith(beginning));
    return open.length > 0 ? open : [...this.#ended.keys()].filter((id) => id.startsWith(beginning));
  }

  /** Throws a RangeError when the choice names hunks that the proposal does not have; then it stays open. */
  decide(id: string, choice: Choice): Verdict {
    const waiting = this.#open.get(id);
    if (waiting === undefined) {
      const ending = this.#ended.get(id);
      return ending === undefined ? { kind: 'unknown' } : { kind: 'ended', ending };
    }
    const decision = decide(waiting.proposal, choice);
    const ending = endingOf(decision, waiting.proposal);
    this.#end(id, ending);
    waiting.settle(decision);
    return { kind: 'decided', ending };
  }

  /** Calls the listener with each event until the returned function is called. */
  subscribe(listener: (event: DeskEvent) => void): () => void {
    this.#listeners.add(listener);
    return () => void this.#listeners.delete(listener);
  }

  #end(id: string, ending: Ending): void {
    this.#open.delete(id);
    this.#ended.set(id, ending);
    const [oldest] = this.#ended.keys();
    if (this.#ended.size > MAX_REMEMBERED && oldest !== undefined) this.#ended.delete(oldest);
    this.#tell({ kind: 'went', id, ending });
  }

  #tell(event: DeskEvent): void {
    for (const listener of [...this.#listeners]) listener(event);
  }
}

interface Waiting {
  readonly proposal: Proposal;
  readonly settle: (decision: DiffDecision) => void;
}

function endingOf(decision: DiffDecision, { newText }: Proposal): Ending {
  if (decision.kind === 'rejected') return decision;
  return { kind: 'accepted', how: decision.text === newText ? 'whole' : 'changed' };
}
