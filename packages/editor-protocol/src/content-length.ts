const MAX_HEADER_BYTES = 4096;

/** The bytes of a message in the base protocol of LSP. */
export function frameOf(body: string): Buffer {
  const length = Buffer.byteLength(body);
  const head = `Content-Length: ${length}\r\n\r\n`;
  const frame = Buffer.allocUnsafe(head.length + length);
  frame.write(head, 'latin1');
  frame.write(body, head.length);
  return frame;
}

/** The stream can't be read any further. */
export class BadFrame extends Error {
  override readonly name = 'BadFrame';
}

/**
 * Cuts a stream of bytes, split anywhere, into the bodies of messages. Memory is taken for bytes that arrived, not for a
 * length that was announced.
 */
export class FrameReader {
  readonly #maxBytes: number;
  #chunks: Buffer[] = [];
  #bytes = 0;
  /** Of the next body, once its header has been read. */
  #bodyBytes: number | undefined;

  #hasRead = false;

  constructor(maxBytes: number) {
    this.#maxBytes = maxBytes;
  }

  push(chunk: Buffer): void {
    this.#chunks.push(chunk);
    this.#bytes += chunk.length;
  }

  /** The next body, or undefined until more bytes have come. Throws a `BadFrame`. */
  take(): string | undefined {
    this.#bodyBytes ??= this.#takeHeader();
    if (this.#bodyBytes === undefined || this.#bytes < this.#bodyBytes) return undefined;
    const all = this.#joined();
    const body = all.toString('utf8', 0, this.#bodyBytes);
    this.#hasRead = true;
    this.#keep(all.subarray(this.#bodyBytes));
    this.#bodyBytes = undefined;
    return body;
  }

  /** Forgets what has come. */
  clear(): void {
    this.#keep(Buffer.alloc(0));
  }

  #takeHeader(): number | undefined {
    if (this.#bytes === 0) return undefined;
    const all = this.#joined();
    const end = all.subarray(0, MAX_HEADER_BYTES).indexOf('\r\n\r\n');
    const header = all.subarray(0, end === -1 ? MAX_HEADER_BYTES : end).toString('latin1');
    if (end === -1) {
      const isPossible =
        this.#bytes < MAX_HEADER_BYTES && /^(?:[\w-]*$|[\w-]+:)/.test(header) && !/(?<!\r)\n/.test(header);
      if (isPossible) return undefined;
      const start = JSON.stringify(header.slice(0, 200));
      const advice = this.#hasRead
        ? 'Is the Content-Length before it the number of bytes?'
        : 'A message begins with Content-Length: N\\r\\n\\r\\n';
      throw new BadFrame(`It sent something that is not a message: ${start}. ${advice}`);
    }
    const length = /(?:^|\r\n)content-length: *(\d+)/i.exec(header)?.[1];
    if (length === undefined) throw new BadFrame(`It sent a header without Content-Length: ${JSON.stringify(header)}`);
    if (Number(length) > this.#maxBytes) {
      throw new BadFrame(`It sent a message of ${length} bytes; the limit is ${this.#maxBytes}`);
    }
    this.#keep(all.subarray(end + 4));
    return Number(length);
  }

  #joined(): Buffer {
    const [first] = this.#chunks;
    const all = this.#chunks.length === 1 && first !== undefined ? first : Buffer.concat(this.#chunks);
    this.#chunks = [all];
    return all;
  }

  #keep(rest: Buffer): void {
    this.#chunks = rest.length === 0 ? [] : [rest];
    this.#bytes = rest.length;
  }
}
