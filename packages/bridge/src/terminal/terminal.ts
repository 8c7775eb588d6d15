import type { ReadStream, WriteStream } from 'node:tty';
import { ansiDialect } from './ansi-dialect.ts';
import { BACKGROUND_QUESTION, backgroundAnswer } from './background-question.ts';
import type { ColourDepth, Rgb } from './colours.ts';
import { type InputListener, KeyReader } from './keys.ts';
import { MOUSE_OFF, MOUSE_ON } from './mouse.ts';
import { type Dialect, paintRow, type Row } from './paint.ts';

export interface Size {
  readonly columns: number;
  readonly rows: number;
}

export interface TerminalOptions {
  readonly input: ReadStream;
  readonly output: WriteStream;
  readonly colours: ColourDepth;
  /** The background colour. Default: the terminal is asked for it, if it has many colours. */
  readonly background?: Rgb | undefined;
  /** Whether clicks and the wheel are read, from the beginning. Default yes. */
  readonly mouse?: 'yes' | 'no';
}

/** Receives what the user does. */
export interface TerminalListener extends InputListener {
  resized(size: Size): void;
  /** The terminal was closed. */
  gone(): void;
}

/** Other screen, no cursor, no wrapping of what is too long, pasted text marked as such. */
const ENTER = '\x1b[?1049h\x1b[?25l\x1b[?7l\x1b[?2004h\x1b[2J';
const LEAVE = `${MOUSE_OFF}\x1b[?2004l\x1b[?7h\x1b[?25h\x1b[0m\x1b[?1049l`;
/** Terminals that know these show all of a frame at once; the others pass over them. */
const FRAME_BEGINS = '\x1b[?2026h';
const FRAME_ENDS = '\x1b[?2026l';
/** Terminals, and tmux among them, drop a longer sequence. */
const MAX_COPIED = 74_000;
/** How long the first frame waits for the terminal to tell its background colour. */
const ANSWER_MS = 100;

/** The user's terminal, taken over from `enter` to `leave`. It is given back however the process ends. */
export class Terminal {
  readonly #options: TerminalOptions;
  #dialect: Dialect;
  #listener: TerminalListener | undefined;
  #keys: KeyReader | undefined;
  #isEntered = false;
  #hasMouse: boolean;
  /** The rows on the screen, as they were sent: only those that change are sent again. */
  #painted: string[] = [];
  /** What was drawn last, or waits for an answer of the terminal. */
  #rows: readonly Row[] = [];
  #asking: 'not yet' | 'over' | NodeJS.Timeout;

  constructor(options: TerminalOptions) {
    this.#options = options;
    this.#dialect = ansiDialect(options);
    this.#hasMouse = options.mouse !== 'no';
    const hasTints = options.colours === '256' || options.colours === 'all';
    this.#asking = hasTints && options.background === undefined ? 'not yet' : 'over';
    options.output.on('error', () => this.#gone());
    options.input.on('error', () => this.#gone());
  }

  get size(): Size {
    // Some terminals, and those without a window yet, say 0.
    const { columns, rows } = this.#options.output;
    return { columns: columns > 0 ? columns : 80, rows: rows > 0 ? rows : 24 };
  }

  /** Without it the terminal selects text with the mouse by itself. */
  get hasMouse(): boolean {
    return this.#hasMouse;
  }

  set hasMouse(hasMouse: boolean) {
    this.#hasMouse = hasMouse;
    if (this.#isEntered) this.#options.output.write(hasMouse ? MOUSE_ON : MOUSE_OFF);
  }

  enter(listener: TerminalListener): void {
    if (this.#isEntered) return;
    const { input, output } = this.#options;
    this.#isEntered = true;
    this.#listener = listener;
    this.#painted = [];
    this.#keys = new KeyReader({
      key: (key) => {
        // It counts for what is on the screen.
        this.#askNoMore();
        this.#listener?.key(key);
      },
      reply: (sequence) => this.#replied(sequence),
      paste: (text) => this.#listener?.paste(text),
      mouse: (event) => {
        this.#askNoMore();
        this.#listener?.mouse(event);
      },
    });
    // After a crash this comes before the error is printed, which would be gone at once on the other screen.
    process.on('exit', this.leave);
    input.setRawMode(true);
    input.setEncoding('utf8');
    input.on('data', this.#read);
    input.on('end', this.#gone);
    input.resume();
    output.on('resize', this.#resized);
    output.write(this.#hasMouse ? `${ENTER}${MOUSE_ON}` : ENTER);
    if (this.#asking !== 'not yet') return;
    output.write(BACKGROUND_QUESTION);
    this.#asking = setTimeout(() => this.#askNoMore(), ANSWER_MS);
  }

  draw(rows: readonly Row[]): void {
    this.#rows = rows;
    if (!this.#isEntered || this.#asking !== 'over') return;
    const painted = rows.slice(0, this.size.rows).map((row, at) => paintRow(row, at, this.#dialect));
    const changed = painted.filter((row, at) => row !== this.#painted[at]);
    this.#painted = painted;
    if (changed.length > 0) this.#options.output.write(`${FRAME_BEGINS}${changed.join('')}${FRAME_ENDS}`);
  }

  /** The next `draw` draws every row. */
  forget(): void {
    this.#painted = [];
  }

  /** Asks the terminal to put a text into the clipboard. False if it is too long. */
  copy(text: string): boolean {
    const bytes = Buffer.from(text);
    if (!this.#isEntered || bytes.length > MAX_COPIED) return false;
    this.#options.output.write(`\x1b]52;c;${bytes.toString('base64')}\x07`);
    return true;
  }

  /** Safe to call twice. */
  readonly leave = (): void => {
    if (!this.#isEntered) return;
    const { input, output } = this.#options;
    this.#isEntered = false;
    this.#listener = undefined;
    this.#keys?.close();
    if (typeof this.#asking === 'object') clearTimeout(this.#asking);
    this.#asking = 'over';
    process.off('exit', this.leave);
    input.off('data', this.#read);
    input.off('end', this.#gone);
    input.pause();
    output.off('resize', this.#resized);
    try {
      output.write(LEAVE);
      input.setRawMode(false);
    } catch {
      // The terminal is gone: nothing to restore.
    }
  };

  /** An answer that comes late counts, too. */
  #replied(sequence: string): void {
    const background = backgroundAnswer(sequence);
    if (background === undefined) return;
    if (background !== 'no more') {
      this.#dialect = ansiDialect({ ...this.#options, background });
      this.#painted = [];
      if (this.#asking === 'over') this.draw(this.#rows);
    }
    this.#askNoMore();
  }

  #askNoMore(): void {
    if (typeof this.#asking !== 'object') return;
    clearTimeout(this.#asking);
    this.#asking = 'over';
    if (this.#rows.length > 0) this.draw(this.#rows);
  }

  readonly #read = (text: string): void => this.#keys?.push(text);
  readonly #resized = (): void => {
    this.#painted = [];
    this.#listener?.resized(this.size);
  };
  readonly #gone = (): void => this.#listener?.gone();
}
