import { decode, decodeOversized, malformed, PEEK_CHARS } from '../../jsonrpc/codec.ts';
import type { Receiver } from '../../jsonrpc/connection.ts';
import { ErrorCode } from '../../jsonrpc/errors.ts';
import type { ConnectionLimits } from '../../jsonrpc/limits.ts';

const NEWLINE = 0x0a;
const REPLACEMENT = '\ufffd';
/** How much of the beginning and the end of an oversized line is kept to find its id. */
const PEEK_BYTES = PEEK_CHARS;
/** Short chunks are copied into blocks of this size: a Buffer for each would take a hundred times their memory. */
const BLOCK_BYTES = 16 * 1024;
const NO_BYTES = Buffer.alloc(0);

/**
 * Turns bytes, split anywhere, into one call of the receiver per line. Chunks of an unfinished line are joined once, so
 * a long line costs no more than its length.
 */
export class LineReader {
  readonly #receiver: Receiver;
  readonly #limits: Required<ConnectionLimits>;
  readonly #maxBytes: number;
  #parts: Buffer[] = [];
  #partBytes = 0;
  #block = NO_BYTES;
  #blockUsed = 0;
  /** Set while the rest of an oversized line is skipped: how the line begins. */
  #skippedHead: string | undefined;
  #skippedTail: Buffer = NO_BYTES;

  constructor(receiver: Receiver, limits: Required<ConnectionLimits>) {
    this.#receiver = receiver;
    this.#limits = limits;
    this.#maxBytes = limits.maxMessageBytes;
  }

  push(chunk: Buffer): void {
    let start = 0;
    if (this.#partBytes > 0 || this.#skippedHead !== undefined) {
      const end = chunk.indexOf(NEWLINE);
      if (end === -1) {
        this.#keep(chunk);
        return;
      }
      this.#finishLine(chunk.subarray(0, end));
      start = end + 1;
    }
    const end = chunk.lastIndexOf(NEWLINE);
    if (end >= start) {
      this.#deliverLines(chunk.subarray(start, end));
      start = end + 1;
    }
    if (start < chunk.length) this.#keep(chunk.subarray(start));
  }

  /** The input has ended; its last line may lack a line end. */
  end(): void {
    if (this.#partBytes > 0 || this.#skippedHead !== undefined) this.#finishLine(NO_BYTES);
  }

  #keep(part: Buffer): void {
    if (this.#skippedHead !== undefined) {
      this.#skippedTail = lastBytes(this.#skippedTail, part);
      return;
    }
    if (this.#partBytes === 0) this.#parts.push(part);
    else this.#add(part);
    this.#partBytes += part.length;
    if (this.#partBytes > this.#maxBytes) this.#beginSkipping();
  }

  /** Copies a part that fits into the open block; else closes the block, and opens a new one for a short part. */
  #add(part: Buffer): void {
    if (this.#blockUsed + part.length > this.#block.length) {
      this.#closeBlock();
      if (part.length >= BLOCK_BYTES) {
        this.#parts.push(part);
        return;
      }
      this.#block = Buffer.allocUnsafeSlow(BLOCK_BYTES);
    }
    this.#blockUsed += part.copy(this.#block, this.#blockUsed);
  }

  #closeBlock(): void {
    if (this.#blockUsed > 0) this.#parts.push(this.#block.subarray(0, this.#blockUsed));
    this.#block = NO_BYTES;
    this.#blockUsed = 0;
  }

  #beginSkipping(): void {
    const headBytes = Math.min(this.#partBytes, PEEK_BYTES);
    const parts = this.#takeParts();
    this.#skippedHead = Buffer.concat(parts, headBytes).toString();
    this.#skippedTail = parts.reduce(lastBytes, NO_BYTES);
  }

  #finishLine(rest: Buffer): void {
    if (this.#skippedHead === undefined) {
      if (this.#partBytes === 0) {
        this.#deliver(rest);
        return;
      }
      this.#deliver(Buffer.concat([...this.#takeParts(), rest]));
      return;
    }
    const tail = lastBytes(this.#skippedTail, rest).toString();
    decodeOversized(this.#skippedHead, tail, this.#maxBytes, this.#receiver);
    this.#skippedHead = undefined;
    this.#skippedTail = NO_BYTES;
  }

  /** Decodes valid lines together, which is a quarter cheaper than one by one. */
  #deliverLines(lines: Buffer): void {
    const text = lines.toString();
    if (lines.length > this.#maxBytes || text.includes(REPLACEMENT)) {
      for (const line of splitLines(lines)) this.#deliver(line);
      return;
    }
    let start = 0;
    for (let end = text.indexOf('\n'); end !== -1; end = text.indexOf('\n', start)) {
      this.#decode(text.slice(start, end));
      start = end + 1;
    }
    this.#decode(start === 0 ? text : text.slice(start));
  }

  #deliver(line: Buffer): void {
    if (line.length > this.#maxBytes) {
      const tail = line.toString('utf8', Math.max(0, line.length - PEEK_BYTES));
      decodeOversized(line.toString('utf8', 0, PEEK_BYTES), tail, this.#maxBytes, this.#receiver);
      return;
    }
    const text = line.toString();
    // Decoding replaces invalid bytes, so an invalid line has replacement characters and encodes to other bytes.
    if (text.includes(REPLACEMENT) && !Buffer.from(text).equals(line)) {
      this.#receiver.malformed(malformed(ErrorCode.ParseError, 'Parse error: the line is not valid UTF-8'));
      return;
    }
    this.#decode(text);
  }

  #decode(line: string): void {
    if (line.length > 1 || (line !== '' && line !== '\r')) decode(line, this.#receiver, undefined, this.#limits);
  }

  #takeParts(): Buffer[] {
    this.#closeBlock();
    const parts = this.#parts;
    this.#parts = [];
    this.#partBytes = 0;
    return parts;
  }
}

function* splitLines(lines: Buffer): Generator<Buffer> {
  let start = 0;
  for (let end = lines.indexOf(NEWLINE); end !== -1; end = lines.indexOf(NEWLINE, start)) {
    yield lines.subarray(start, end);
    start = end + 1;
  }
  yield lines.subarray(start);
}

function lastBytes(earlier: Buffer, added: Buffer): Buffer {
  if (added.length >= PEEK_BYTES) return Buffer.from(added.subarray(added.length - PEEK_BYTES));
  const joined = Buffer.concat([earlier, added]);
  return joined.length > PEEK_BYTES ? joined.subarray(joined.length - PEEK_BYTES) : joined;
}
