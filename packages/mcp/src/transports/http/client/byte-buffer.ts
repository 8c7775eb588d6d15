// Not with Buffer: runtimes other than Node lack it.

const EMPTY = new Uint8Array(0);
const MIN_GROWTH = 1024;
const decoder = new TextDecoder('utf-8', { ignoreBOM: true });

/** Decodes UTF-8; invalid bytes become U+FFFD. */
export function textOf(bytes: Uint8Array): string {
  return decoder.decode(bytes);
}

/** Collects bytes in one growing buffer, so that many tiny chunks take no more memory than one large chunk. */
export class ByteBuffer {
  /** Never written to below `#length`, and the first chunk is used as it is. */
  #bytes: Uint8Array = EMPTY;
  #length = 0;

  get length(): number {
    return this.#length;
  }

  append(chunk: Uint8Array): void {
    if (this.#length === 0) {
      this.#bytes = chunk;
      this.#length = chunk.length;
      return;
    }
    const length = this.#length + chunk.length;
    if (length > this.#bytes.length) {
      const larger = new Uint8Array(Math.max(length, 2 * this.#length, MIN_GROWTH));
      larger.set(this.bytes());
      this.#bytes = larger;
    }
    this.#bytes.set(chunk, this.#length);
    this.#length = length;
  }

  bytes(): Uint8Array {
    return this.#bytes.subarray(0, this.#length);
  }

  text(): string {
    return this.#length === 0 ? '' : textOf(this.bytes());
  }

  clear(): void {
    this.#bytes = EMPTY;
    this.#length = 0;
  }
}
