/** Runs work of one key in order, and work of different keys at the same time. */
export class KeyedQueue {
  readonly #last = new Map<string, Promise<unknown>>();
  readonly #waiting = new Map<string, Promise<unknown>>();

  run<Result>(key: string, work: () => Promise<Result>): Promise<Result> {
    const before = this.#last.get(key) ?? Promise.resolve();
    const turn = before.then(work);
    // A failure concerns its caller, not the next one.
    const end = turn
      .catch(() => undefined)
      .then(() => {
        if (this.#last.get(key) === end) this.#last.delete(key);
      });
    this.#last.set(key, end);
    return turn;
  }

  /** The same, unless work of this name is already waiting. */
  runOnce(key: string, name: string, work: () => Promise<void>): Promise<unknown> {
    const id = `${name} ${key}`;
    const waiting = this.#waiting.get(id);
    if (waiting !== undefined) return waiting;
    const turn = this.run(key, () => {
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
