import type { Received } from './wire.ts';

/** Keeps what a wire received until a check reads it. */
export class Inbox {
  readonly #items: Received[] = [];
  #wake: (() => void) | undefined;
  #end: Received | undefined;

  put(item: Received): void {
    if (this.#end !== undefined) return;
    if (item.kind === 'end') this.#end = item;
    else this.#items.push(item);
    this.#wake?.();
  }

  /** The end is received again and again. */
  async take(milliseconds: number): Promise<Received | undefined> {
    if (this.#items.length === 0 && this.#end === undefined) {
      await new Promise<void>((resolve) => {
        const timer = setTimeout(resolve, milliseconds);
        this.#wake = () => {
          clearTimeout(timer);
          resolve();
        };
      });
      this.#wake = undefined;
    }
    return this.#items.shift() ?? this.#end;
  }
}
