import { PassThrough, Writable } from 'node:stream';
import { Frame } from '../src/terminal/frame.ts';
import type { FrameOptions } from '../src/terminal/frame-options.ts';
import { Terminal, type TerminalOptions } from '../src/terminal/terminal.ts';
import { ScreenText } from './screen-text.ts';

/** A frame at a terminal in memory: its screen is read and keys are typed. Tests with tmux use a real one. */
export class Framed {
  readonly frame: Frame;
  /** All that was sent to the terminal. */
  output = '';
  readonly #input = new PassThrough();
  readonly #output: Writable;
  readonly #shown = new ScreenText();
  readonly #waiting: (() => void)[] = [];

  constructor(
    options: Partial<FrameOptions> & Pick<FrameOptions, 'views'>,
    size = { columns: 100, rows: 40 },
    { colours = 'none' }: Partial<TerminalOptions> = {},
  ) {
    this.#output = new Writable({
      write: (chunk, _encoding, done) => {
        this.output += String(chunk);
        this.#shown.write(String(chunk));
        for (const look of this.#waiting.splice(0)) look();
        done();
      },
    });
    Object.assign(this.#output, size);
    Object.assign(this.#input, { setRawMode: () => {} });
    this.frame = new Frame({
      // The parts of a terminal that are used.
      terminal: new Terminal({ input: this.#input as never, output: this.#output as never, colours }),
      leaveQuestion: () => undefined,
      leaveHelp: 'leave',
      leaveHint: 'leave',
      suspending: 'ignored',
      keys: [],
      ...options,
    });
  }

  get screen(): string {
    return this.#shown.text;
  }

  press(keys: string): void {
    this.#input.write(keys);
  }

  resize(columns: number, rows: number): void {
    Object.assign(this.#output, { columns, rows });
    this.#shown.clear();
    this.#output.emit('resize');
  }

  /** Resolves when the screen fits. */
  async sees(fits: string | ((screen: string) => boolean)): Promise<string> {
    const isFit = typeof fits === 'string' ? (screen: string) => screen.includes(fits) : fits;
    while (!isFit(this.screen)) await new Promise<void>((resolve) => this.#waiting.push(resolve));
    return this.screen;
  }
}
