/** A queue whose reader waits for what is not there yet. */
export class Mailbox<T> {
  readonly #items: T[] = [];
  readonly #readers: ((item: T) => void)[] = [];

  readonly put = (item: T): void => {
    const reader = this.#readers.shift();
    if (reader === undefined) this.#items.push(item);
    else reader(item);
  };

  readonly take = (): Promise<T> => {
    if (this.#items.length > 0) return Promise.resolve(this.#items.shift() as T);
    return new Promise((resolve) => this.#readers.push(resolve));
  };

  /** The items that were not taken yet. */
  get rest(): readonly T[] {
    return this.#items;
  }
}
