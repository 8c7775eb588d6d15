import { isObject } from '@hawser/unknown-values/objects';

/** A JSON object as Codex and editors exchange them. */
export interface Message {
  readonly [name: string]: unknown;
}

const HEADER_BYTES = 4;

/** The length of the JSON in bytes, as 32 bits with the lowest first, then the JSON. */
export function encodeFrame(message: Message): Buffer {
  const text = JSON.stringify(message);
  const length = Buffer.byteLength(text);
  const frame = Buffer.allocUnsafe(HEADER_BYTES + length);
  frame.writeUInt32LE(length, 0);
  frame.write(text, HEADER_BYTES);
  return frame;
}

/** What a peer sent can't be read; the rest of its stream can't either. The message is for the peer. */
export class BadFrame extends Error {
  override readonly name = 'BadFrame';
}

/** Cuts a stream of bytes into frames. Memory is taken for bytes that arrived, not for a length that was announced. */
export class FrameReader {
  readonly #maxBytes: number;
  #chunks: Buffer[] = [];
  #bytes = 0;
  #expected: number | undefined;

  constructor(maxBytes: number) {
    this.#maxBytes = maxBytes;
  }

  /** Bytes of a frame that has not arrived whole. */
  get pendingBytes(): number {
    return this.#bytes;
  }

  get isWithinFrame(): boolean {
    return this.#bytes > 0 || this.#expected !== undefined;
  }

  /** Yields each message that is complete now. Throws a BadFrame. */
  *read(chunk: Buffer): Generator<Message> {
    this.#chunks.push(chunk);
    this.#bytes += chunk.length;
    while (this.#bytes >= (this.#expected ?? HEADER_BYTES)) {
      if (this.#expected === undefined) this.#expected = this.#readLength();
      else {
        const frame = this.#take(this.#expected);
        this.#expected = undefined;
        yield parse(frame);
      }
    }
  }

  #readLength(): number {
    const length = this.#take(HEADER_BYTES).readUInt32LE(0);
    if (length > this.#maxBytes) {
      throw new BadFrame(`frame-too-large: ${length} bytes announced, ${this.#maxBytes} are allowed`);
    }
    return length;
  }

  #take(count: number): Buffer {
    const all = this.#chunks.length === 1 ? (this.#chunks[0] as Buffer) : Buffer.concat(this.#chunks); // has one item
    this.#bytes -= count;
    this.#chunks = this.#bytes === 0 ? [] : [all.subarray(count)];
    return all.subarray(0, count);
  }
}

function parse(frame: Buffer): Message {
  let value: unknown;
  try {
    value = JSON.parse(frame.toString('utf8'));
  } catch {
    throw new BadFrame('malformed-frame: a frame must contain JSON');
  }
  if (!isObject(value)) {
    throw new BadFrame('malformed-frame: a frame must contain a JSON object');
  }
  return value as Message; // checked above
}
