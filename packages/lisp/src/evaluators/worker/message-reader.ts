import { asError } from '@hawser/unknown-values/thrown';
import { decodeMessage, type WorkerMessage } from './wire.ts';

const MAX_LINE = 64 * 1024 * 1024;

/**
 * Splits the worker's output into messages. After a line that is no message, or that the listener fails on, it reads
 * nothing more.
 */
export class MessageReader {
  readonly #onMessage: (message: WorkerMessage) => void;
  readonly #onGarbage: (error: Error) => void;
  #pieces: string[] = [];
  #length = 0;
  #isBroken = false;

  constructor(onMessage: (message: WorkerMessage) => void, onGarbage: (error: Error) => void) {
    this.#onMessage = onMessage;
    this.#onGarbage = onGarbage;
  }

  read(text: string): void {
    if (this.#isBroken) return;
    let start = 0;
    for (let end = text.indexOf('\n'); end >= 0; end = text.indexOf('\n', start)) {
      this.#pieces.push(text.slice(start, end));
      start = end + 1;
      this.#take(this.#pieces.length === 1 ? (this.#pieces[0] ?? '') : this.#pieces.join(''));
      this.#pieces = [];
      this.#length = 0;
      if (this.#isBroken) return;
    }
    if (start === text.length) return;
    this.#pieces.push(text.slice(start));
    this.#length += text.length - start;
    if (this.#length > MAX_LINE) this.#break(new Error('The Lisp worker sent an endless line'));
  }

  #take(line: string): void {
    try {
      this.#onMessage(decodeMessage(line));
    } catch (error) {
      this.#break(asError(error));
    }
  }

  #break(error: Error): void {
    this.#isBroken = true;
    this.#pieces = [];
    this.#onGarbage(error);
  }
}
