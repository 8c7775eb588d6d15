import type { ReadStream, WriteStream } from 'node:tty';
import { KeyReader } from './keys.ts';
import { ansiDialect, type Dialect, paint, type Row } from './paint.ts';

export interface Size {
  readonly columns: number;
  readonly rows: number;
}

export interface TerminalOptions {
  readonly input: ReadStream;
  readonly output: WriteStream;
  readonly colours: 'yes' | 'no';
}

/** Receives what the user does. */
export interface TerminalListener {
  pressed(key: string): void;
  resized(size: Size): void;
  /** The terminal was closed. */
  gone(): void;
}

/** Other screen, no cursor, no wrapping of what is too long, pasted text marked as such. */
const ENTER = '\x1b[?1049h\x1b[?25l\x1b[?7l\x1b[?2004h\x1b[2J';
const LEAVE = '\x1b[?2004l\x1b[?7h\x1b[?25h\x1b[0m\x1b[?1049l';

/** The user's terminal, taken over from `enter` to `leave`. It is given back however the process ends. */
export class Terminal {
  readonly #options: TerminalOptions;
  readonly #dialect: Dialect;
  #listener: TerminalListener | undefined;
  #keys: KeyReader | undefined;
  #isEntered = false;

  constructor(options: TerminalOptions) {
    this.#options = options;
    this.#dialect = ansiDialect(options);
    options.output.on('error', () => this.#gone());
    options.input.on('error', () => this.#gone());
  }

  get size(): Size {
    // Some terminals, and those without a window yet, say 0.
    const { columns, rows } = this.#options.output;
    return { columns: columns > 0 ? columns : 80, rows: rows > 0 ? rows : 24 };
  }

  enter(listener: TerminalListener): void {
    if (this.#isEntered) return;
    const { input, output } = this.#options;
    this.#isEntered = true;
    this.#listener = listener;
    this.#keys = new KeyReader((key) => this.#listener?.pressed(key));
    // After a crash this comes before the error is printed, which would be gone at once on the other screen.
    process.on('exit', this.leave);
    input.setRawMode(true);
    input.setEncoding('utf8');
    input.on('data', this.#read);
    input.on('end', this.#gone);
    input.resume();
    output.on('resize', this.#resized);
    output.write(ENTER);
  }

  draw(rows: readonly Row[]): void {
    if (this.#isEntered) this.#options.output.write(paint(rows.slice(0, this.size.rows), this.#dialect));
  }

  /** Safe to call twice. */
  readonly leave = (): void => {
    if (!this.#isEntered) return;
    const { input, output } = this.#options;
    this.#isEntered = false;
    this.#listener = undefined;
    this.#keys?.close();
    process.off('exit', this.leave);
    input.off('data', this.#read);
    input.off('end', this.#gone);
    input.pause();
    output.off('resize', this.#resized);
    try {
      output.write(LEAVE);
      input.setRawMode(false);
    } catch {
      // There is no terminal any more that could be given back.
    }
  };

  readonly #read = (text: string): void => this.#keys?.push(text);
  readonly #resized = (): void => this.#listener?.resized(this.size);
  readonly #gone = (): void => this.#listener?.gone();
}
