import { MAX_TIMEOUT_MS } from '../../../jsonrpc/deadlines.ts';
import { ByteBuffer, textOf } from './byte-buffer.ts';

const PEEK_BYTES = 512;
/** A longer id could not be sent back in a header. */
const MAX_ID_BYTES = 4096;
const LF = 0x0a;
const CR = 0x0d;
const COLON = 0x3a;
const SPACE = 0x20;
/** The longest that a line is longer than the data in it. */
const FIELD_BYTES = 'data: '.length;
const NEWLINE = Uint8Array.of(LF);

export interface SseHandlers {
  /** Gets the data of an event of the type `message`. */
  data(text: string): void;
  /** Gets the data of an event of another type. */
  other?(type: string, text: string): void;
  /** Gets the beginning and the end of the data of an event over the limit. */
  oversized(head: string, tail: string): void;
}

/** Turns the bytes of an event stream, in chunks of any size, into events. Holds at most one event of the largest size. */
export class SseReader {
  /** Of the last complete event that had one, with or without data. */
  lastEventId: string | undefined;
  /** Milliseconds to wait before reconnecting, if the server said so. */
  retry: number | undefined;
  /** Complete events, with or without data. */
  eventsRead = 0;
  readonly #handlers: SseHandlers;
  readonly #maxBytes: number;
  readonly #line = new ByteBuffer();
  readonly #data = new ByteBuffer();
  #hasData = false;
  /** The beginning of an event over the limit. */
  #head: string | undefined;
  #tail = '';
  #skipsLine = false;
  #type = '';
  #id: string | undefined;
  #afterCr = false;
  #isFirstLine = true;

  constructor(handlers: SseHandlers, maxBytes: number) {
    this.#handlers = handlers;
    this.#maxBytes = maxBytes;
  }

  /** Forgets the incomplete event; the next chunk begins a new stream. */
  restart(): void {
    this.#line.clear();
    this.#skipsLine = false;
    this.#afterCr = false;
    this.#isFirstLine = true;
    this.#clearEvent();
  }

  push(chunk: Uint8Array): void {
    if (chunk.length === 0) return;
    let start = this.#afterCr && chunk[0] === LF ? 1 : 0;
    this.#afterCr = false;
    let lf = chunk.indexOf(LF, start);
    let cr = chunk.indexOf(CR, start);
    while (lf !== -1 || cr !== -1) {
      const end = lf === -1 || (cr !== -1 && cr < lf) ? cr : lf;
      this.#endLine(chunk.subarray(start, end));
      start = end + 1;
      if (end === cr) {
        if (start === chunk.length) this.#afterCr = true;
        else if (chunk[start] === LF) start += 1;
        cr = chunk.indexOf(CR, start);
      }
      if (lf !== -1 && lf < start) lf = chunk.indexOf(LF, start);
    }
    if (start < chunk.length) this.#addToLine(chunk.subarray(start));
  }

  #addToLine(part: Uint8Array): void {
    if (this.#skipsLine) return;
    this.#line.append(part);
    if (this.#line.length + this.#data.length > this.#maxBytes + FIELD_BYTES) this.#clip();
  }

  #endLine(last: Uint8Array): void {
    if (this.#skipsLine) {
      this.#skipsLine = false;
      return;
    }
    if (this.#line.length === 0) {
      this.#parseLine(last);
      return;
    }
    this.#line.append(last);
    const line = this.#line.bytes();
    this.#line.clear();
    this.#parseLine(line);
  }

  #parseLine(bytes: Uint8Array): void {
    let line = bytes;
    if (this.#isFirstLine) {
      this.#isFirstLine = false;
      if (line[0] === 0xef && line[1] === 0xbb && line[2] === 0xbf) line = line.subarray(3);
    }
    if (line.length === 0) {
      this.#endEvent();
      return;
    }
    if (this.#head !== undefined) {
      this.#tail = textOf(line.subarray(-PEEK_BYTES));
      return;
    }
    const colon = line.indexOf(COLON);
    if (colon === 0) return;
    const field = latin1(line.subarray(0, Math.min(colon === -1 ? line.length : colon, FIELD_BYTES)));
    const value =
      colon === -1 ? line.subarray(line.length) : line.subarray(line[colon + 1] === SPACE ? colon + 2 : colon + 1);
    if (field === 'data') this.#addData(value);
    else if (field === 'event') this.#type = textOf(value);
    else if (field === 'id' && value.length <= MAX_ID_BYTES && !value.includes(0)) this.#id = textOf(value);
    else if (field === 'retry' && /^\d+$/.test(latin1(value.subarray(0, 20)))) {
      this.retry = Math.min(Number(latin1(value.subarray(0, 20))), MAX_TIMEOUT_MS);
    }
  }

  #addData(value: Uint8Array): void {
    if (this.#hasData) this.#data.append(NEWLINE);
    this.#hasData = true;
    if (value.length > 0) this.#data.append(value);
    if (this.#data.length > this.#maxBytes) this.#clip();
  }

  #endEvent(): void {
    const data = this.#data.text();
    const [head, tail, type] = [this.#head, this.#tail, this.#type];
    // Set before the handler is called: if it ends the stream, this event has been read.
    if (this.#hasData || this.#id !== undefined) this.eventsRead += 1;
    if (this.#id !== undefined) this.lastEventId = this.#id;
    this.#clearEvent();
    if (head !== undefined) this.#handlers.oversized(head, tail);
    else if (data !== '' && (type === '' || type === 'message')) this.#handlers.data(data);
    else if (data !== '') this.#handlers.other?.(type, data);
  }

  #clearEvent(): void {
    this.#data.clear();
    this.#hasData = false;
    this.#head = undefined;
    this.#tail = '';
    this.#type = '';
    this.#id = undefined;
  }

  /** Drops all of an event over the limit but its beginning and its end, which tell whose response it was. */
  #clip(): void {
    const line = this.#line.bytes();
    const isData = latin1(line.subarray(0, 4)) === 'data';
    if (this.#head === undefined && !this.#hasData && !isData) {
      this.#line.clear();
      this.#skipsLine = true;
      return;
    }
    if (this.#head === undefined) {
      const from = this.#hasData ? this.#data.bytes() : line;
      this.#head = textOf(from.subarray(0, PEEK_BYTES)).replace(/^data: ?/, '');
      this.#tail = textOf(this.#data.bytes().subarray(-PEEK_BYTES));
      this.#data.clear();
      this.#hasData = true;
    }
    if (line.length <= PEEK_BYTES) return;
    const rest = line.slice(-PEEK_BYTES); // a copy, which does not keep the rest
    this.#line.clear();
    this.#line.append(rest);
  }
}

/** A text with a character for each byte. */
export function latin1(bytes: Uint8Array): string {
  return String.fromCharCode(...bytes);
}
