import type { ReviewEvent } from './audience.ts';
import { isNoticed } from './resolve-decision.ts';

/** What an agent did when it changed a file last. */
export type LastChange = 'proposed' | 'unasked';

/** How many agents are remembered. */
const MAX_AGENTS = 100;

/** What each agent did last, by its name: whether the user is asked now. */
export class LastChanges {
  readonly #changes = new Map<string, LastChange>();

  of(agent: string): LastChange | undefined {
    return this.#changes.get(agent);
  }

  /** True if this changes what is known. */
  note(event: ReviewEvent): boolean {
    if (event.kind !== 'added') return false;
    const { agent, effect } = event.proposal;
    const change: LastChange = isNoticed(effect) ? 'unasked' : 'proposed';
    if (this.#changes.get(agent) === change) return false;
    this.#changes.delete(agent);
    this.#changes.set(agent, change);
    const [oldest] = this.#changes.keys();
    if (this.#changes.size > MAX_AGENTS && oldest !== undefined) this.#changes.delete(oldest);
    return true;
  }
}
