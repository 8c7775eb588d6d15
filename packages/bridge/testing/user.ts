import type { DiffDecision, Proposal } from '../src/editor.ts';

export interface Shown {
  readonly proposal: Proposal;
  readonly signal: AbortSignal;
  readonly decide: (decision: DiffDecision) => void;
}

/** A person who looks at proposals when the test says so. */
export class Person {
  /** Everything that was ever shown. */
  readonly shown: Shown[] = [];
  readonly #waiting: ((shown: Shown) => void)[] = [];

  readonly review = (proposal: Proposal, { signal }: { signal: AbortSignal }): Promise<DiffDecision> =>
    new Promise((resolve, reject) => {
      signal.addEventListener('abort', () => reject(signal.reason), { once: true });
      const shown = { proposal, signal, decide: resolve };
      this.shown.push(shown);
      this.#waiting.shift()?.(shown);
    });

  /** The next that will be shown. */
  next(): Promise<Shown> {
    return new Promise((resolve) => this.#waiting.push(resolve));
  }
}
