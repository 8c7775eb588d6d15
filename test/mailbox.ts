/** A queue whose reader waits for what is not there yet. */
export class Mailbox<T> {
  readonly #items: T[] = [];
  readonly #readers: { resolve: (item: T) => void; reject: (reason: Error) => void }[] = [];
  #ended: Error | undefined;

  put(item: T): void {
    const reader = this.#readers.shift();
    if (reader === undefined) this.#items.push(item);
    else reader.resolve(item);
  }

  /** Rejects once the mailbox has ended and is empty. */
  take(): Promise<T> {
    const [item] = this.#items.splice(0, 1);
    if (item !== undefined) return Promise.resolve(item);
    if (this.#ended !== undefined) return Promise.reject(this.#ended);
    return new Promise((resolve, reject) => this.#readers.push({ resolve, reject }));
  }

  end(reason: Error): void {
    this.#ended ??= reason;
    for (const { reject } of this.#readers.splice(0)) reject(this.#ended);
  }

  /** The items that were not taken. */
  get rest(): readonly T[] {
    return this.#items;
  }
}
