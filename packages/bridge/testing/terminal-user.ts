import { PassThrough, Writable } from 'node:stream';
import { stripVTControlCharacters } from 'node:util';
import type { Decision } from '../src/review/proposal.ts';
import type { ReviewQueue } from '../src/review/queue.ts';
import { openTerminalReviewer, type TerminalReviewer } from '../src/review/reviewers/terminal/terminal-reviewer.ts';
import { Terminal } from '../src/terminal/terminal.ts';

/** A user at the terminal reviewer: reads its screen and presses its keys. */
export class TerminalUser {
  readonly reviewer: TerminalReviewer;
  readonly kept: { readonly path: string; readonly text: string }[] = [];
  /** What the user's editor makes of a text. */
  editText: (text: string) => string | Error = (text) => text;
  readonly #input = new PassThrough();
  #screen = '';
  #waiting: (() => void)[] = [];

  constructor() {
    const output = new Writable({
      write: (chunk, _encoding, done) => {
        this.#screen = stripVTControlCharacters(String(chunk));
        for (const look of this.#waiting.splice(0)) look();
        done();
      },
    });
    Object.assign(output, { columns: 100, rows: 40 });
    Object.assign(this.#input, { setRawMode: () => {} });
    this.reviewer = openTerminalReviewer({
      // The parts of a terminal that are used; tests with tmux use a real one.
      terminal: new Terminal({ input: this.#input as never, output: output as never, colours: 'no' }),
      leaving: 'at once',
      pause: async () => {},
      resume: async () => {},
      editText: async (_path, text) => {
        const edited = this.editText(text);
        if (edited instanceof Error) throw edited;
        return { kind: 'edited', text: edited };
      },
      keepText: (path, text) => {
        this.kept.push({ path, text });
        return `/kept${path}`;
      },
      onKept: () => {},
    });
  }

  async attach(queue: ReviewQueue): Promise<void> {
    queue.attach(this.reviewer);
  }

  press(keys: string): void {
    this.#input.write(keys);
  }

  /** Resolves when the screen fits. */
  async sees(fits: (screen: string) => boolean): Promise<void> {
    while (!fits(this.#screen)) await new Promise<void>((resolve) => this.#waiting.push(resolve));
  }

  shown(path: string): Promise<void> {
    return this.sees((screen) => screen.includes(`${path} (`) && !screen.includes('This change was'));
  }

  gone(path: string): Promise<void> {
    return this.sees((screen) => !screen.includes(`${path} (`) || screen.includes('This change was'));
  }

  async decide(path: string, decision: Decision): Promise<void> {
    await this.#goTo(path);
    if (decision.kind === 'rejected') return this.press('r');
    this.editText = () => decision.text;
    this.press('e');
    await this.sees((screen) => screen.includes('This is your version') || screen.includes('Nothing edited'));
    this.press('a');
    // Only if the file has changed meanwhile.
    if (this.#screen.includes('merged with')) {
      await this.sees((screen) => screen.includes('Press again to accept'));
      this.press('a');
    }
  }

  close(): void {
    this.reviewer.leave();
  }

  /** Makes it the proposal on the screen. */
  async #goTo(path: string): Promise<void> {
    const isCurrent = (screen: string) => screen.includes(`${path} (proposed`) || screen.includes(`${path} (new file`);
    await this.sees((screen) => screen.includes(path));
    // To the first one, then forward.
    this.press('hhhhhhhh');
    for (let step = 0; step < 8 && !isCurrent(this.#screen); step += 1) {
      const before = this.#screen;
      this.press('l');
      await this.sees((screen) => screen !== before || isCurrent(screen));
    }
    await this.sees(isCurrent);
  }
}
