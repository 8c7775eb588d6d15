/** Does work for one key after the other, for different keys at the same time. */
export class Turns {
  readonly #last = new Map<string, Promise<unknown>>();
  readonly #waiting = new Map<string, Promise<unknown>>();

  take<Result>(key: string, work: () => Promise<Result>): Promise<Result> {
    const before = this.#last.get(key) ?? Promise.resolve();
    const turn = before.then(work);
    // What failed concerns whoever asked for it, not who comes next.
    const end = turn
      .catch(() => undefined)
      .then(() => {
        if (this.#last.get(key) === end) this.#last.delete(key);
      });
    this.#last.set(key, end);
    return turn;
  }

  /** The same, but work of this name that has not begun yet is enough. */
  takeOnce(key: string, name: string, work: () => Promise<void>): Promise<unknown> {
    const id = `${name} ${key}`;
    const waiting = this.#waiting.get(id);
    if (waiting !== undefined) return waiting;
    const turn = this.take(key, () => {
      this.#waiting.delete(id);
      return work();
    });
    this.#waiting.set(id, turn);
    return turn;
  }

  async done(): Promise<void> {
    await Promise.all(this.#last.values());
  }
}
