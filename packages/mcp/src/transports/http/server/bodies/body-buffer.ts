import type { BodyProblem } from '../http-call.ts';
import type { ByteBudget } from './byte-budget.ts';

const FIRST_CAPACITY = 16 * 1024;
const EMPTY = new Uint8Array(0);

/** Collects a body. Chunks are copied into one buffer: a chunk of one byte by itself would take a hundred bytes. */
export class BodyBuffer {
  readonly #maxBytes: number;
  readonly #budget: ByteBudget;
  readonly #client: string | undefined;
  #buffer = EMPTY;
  #length = 0;

  /** `client` takes the bytes from the budget. */
  constructor(maxBytes: number, budget: ByteBudget, client: string | undefined) {
    this.#maxBytes = maxBytes;
    this.#budget = budget;
    this.#client = client;
  }

  /** Undefined if the chunk was added, else why not. */
  add(chunk: Uint8Array): BodyProblem | undefined {
    const needed = this.#length + chunk.length;
    if (needed > this.#maxBytes) return 'too large';
    if (needed > this.#buffer.length) {
      const capacity = Math.min(Math.max(needed, this.#buffer.length * 2, FIRST_CAPACITY), this.#maxBytes);
      if (!this.#budget.take(capacity - this.#buffer.length, this.#client)) return 'no room';
      const grown = new Uint8Array(capacity);
      grown.set(this.#buffer.subarray(0, this.#length));
      this.#buffer = grown;
    }
    this.#buffer.set(chunk, this.#length);
    this.#length = needed;
    return undefined;
  }

  get bytes(): Uint8Array {
    return this.#buffer.subarray(0, this.#length);
  }

  release(): void {
    this.#budget.release(this.#buffer.length, this.#client);
    this.#buffer = EMPTY;
    this.#length = 0;
  }
}
