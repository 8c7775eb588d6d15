/** Counts the prompts of each agent, so that the changes of one belong together. */
export class Turns {
  readonly #turns = new WeakMap<object, { readonly turn: number; readonly isTold: boolean }>();

  of(owner: object): number {
    return this.#turns.get(owner)?.turn ?? 0;
  }

  /** The agent works on another prompt, and says so. */
  begin(owner: object): void {
    this.#turns.set(owner, { turn: this.of(owner) + 1, isTold: true });
  }

  /** The agent proposes something while nothing of it is open. If it does not tell its prompts, that is taken for one. */
  nothingOpen(owner: object): void {
    const known = this.#turns.get(owner);
    if (known?.isTold === true) return;
    this.#turns.set(owner, { turn: known === undefined ? 0 : known.turn + 1, isTold: false });
  }
}
