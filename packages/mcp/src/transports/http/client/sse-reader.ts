const PEEK_CHARS = 512;
const MAX_TIMER_MS = 2 ** 31 - 1;

/** Who reads the events. */
export interface SseHandlers {
  /** An event of the type `message` that carries something. */
  data(text: string): void;
  /** The same, but larger than the limit: its beginning and its end. */
  oversized(head: string, tail: string): void;
}

/** Turns the text of an event stream, cut anywhere, into events. Holds at most one event of the largest size. */
export class SseReader {
  /** Of the last whole event that had one, even if it carried nothing. */
  lastEventId: string | undefined;
  /** How many milliseconds to wait before coming back, if the server said so. */
  retry: number | undefined;
  /** Those that carried nothing included. */
  eventsRead = 0;
  readonly #handlers: SseHandlers;
  readonly #maxChars: number;
  readonly #lineEnd = /\r\n|\n|\r/g;
  #line = '';
  #data: string | undefined;
  /** The beginning of an event that is too large. */
  #head: string | undefined;
  #type = '';
  #id: string | undefined;
  #afterCr = false;
  #begun = false;

  constructor(handlers: SseHandlers, maxChars: number) {
    this.#handlers = handlers;
    this.#maxChars = maxChars;
  }

  /** The stream was cut; what comes next begins a new one. */
  restart(): void {
    this.#line = '';
    this.#data = undefined;
    this.#head = undefined;
    this.#type = '';
    this.#id = undefined;
    this.#afterCr = false;
    this.#begun = false;
  }

  push(text: string): void {
    if (text === '') return;
    let start = 0;
    if (!this.#begun) {
      this.#begun = true;
      if (text.charCodeAt(0) === 0xfeff) start = 1;
    }
    // The line was over at the CR that ended the text before.
    if (this.#afterCr && text.charCodeAt(start) === 0x0a) start += 1;
    this.#afterCr = text.endsWith('\r');
    this.#lineEnd.lastIndex = start;
    for (let end = this.#lineEnd.exec(text); end !== null; end = this.#lineEnd.exec(text)) {
      // A part before is joined only now: what was searched once is not searched again.
      const line = this.#line === '' ? text.slice(start, end.index) : this.#line + text.slice(start, end.index);
      this.#line = '';
      start = this.#lineEnd.lastIndex;
      this.#lineEnded(line);
    }
    this.#line += start === 0 ? text : text.slice(start);
    if (this.#line.length + (this.#data?.length ?? 0) > this.#maxChars) this.#clip();
  }

  #lineEnded(line: string): void {
    if (line === '') {
      this.#eventEnded();
      return;
    }
    if (this.#head !== undefined) {
      this.#data = line.slice(-PEEK_CHARS);
      return;
    }
    const colon = line.indexOf(':');
    if (colon === 0) return;
    const field = colon === -1 ? line : line.slice(0, colon);
    const value = colon === -1 ? '' : line.slice(line.charCodeAt(colon + 1) === 0x20 ? colon + 2 : colon + 1);
    if (field === 'data') this.#addData(value);
    else if (field === 'event') this.#type = value;
    else if (field === 'id' && !value.includes('\0')) this.#id = value;
    else if (field === 'retry' && /^\d+$/.test(value)) this.retry = Math.min(Number(value), MAX_TIMER_MS);
  }

  #addData(value: string): void {
    this.#data = this.#data === undefined ? value : `${this.#data}\n${value}`;
    if (this.#data.length > this.#maxChars) this.#clip();
  }

  #eventEnded(): void {
    const [data, head, type] = [this.#data, this.#head, this.#type];
    // Set before the handler is told: should it end the stream, this event has been read.
    if (data !== undefined || this.#id !== undefined) this.eventsRead += 1;
    if (this.#id !== undefined) this.lastEventId = this.#id;
    this.#data = undefined;
    this.#head = undefined;
    this.#type = '';
    this.#id = undefined;
    if (head !== undefined) this.#handlers.oversized(head, data ?? '');
    else if (data !== undefined && data !== '' && (type === '' || type === 'message')) this.#handlers.data(data);
  }

  /** Keeps of a too large event no more than is needed to say whose it was. */
  #clip(): void {
    if (this.#head === undefined) {
      const text = this.#data ?? this.#line.replace(/^data: ?/, '');
      this.#head = text.slice(0, PEEK_CHARS);
      this.#data = (this.#data ?? '').slice(-PEEK_CHARS);
    }
    this.#line = this.#line.slice(-PEEK_CHARS);
  }
}
