import { isDeepStrictEqual } from 'node:util';
import { vi } from 'vitest';
import type { Decision, Note } from '../src/review/proposal.ts';
import type { ReviewQueue } from '../src/review/queue.ts';
import { ReviewView } from '../src/review/reviewers/terminal/review-view.ts';
import type { Frame } from '../src/terminal/frame.ts';
import { Framed } from './framed.ts';

/** A user at the review view: reads the screen and presses keys. */
export class TerminalUser {
  readonly view: ReviewView;
  readonly kept: { readonly path: string; readonly text: string }[] = [];
  /** What the user's editor makes of a text. */
  editText: (text: string) => string | Error = (text) => text;
  readonly #framed: Framed;

  constructor() {
    let view: ReviewView | undefined;
    this.#framed = new Framed({
      views: (screen) => {
        view = new ReviewView({
          screen,
          nameOf: (path) => path,
          loadColouring: () => import('../src/review/reviewers/terminal/colouring.ts'),
          editText: async (_path, text) => {
            const edited = this.editText(text);
            if (edited instanceof Error) throw edited;
            return edited === text ? { kind: 'unchanged', file: '/edit' } : { kind: 'edited', text: edited };
          },
          files: { watch: async () => {}, unwatch: () => {}, read: async () => '' },
          keepText: (path, text) => {
            this.kept.push({ path, text });
            return `/kept${path}`;
          },
        });
        return [view];
      },
    });
    this.view = view as unknown as ReviewView; // the frame has made its views
  }

  get frame(): Frame {
    return this.#framed.frame;
  }

  async attach(queue: ReviewQueue): Promise<void> {
    queue.attach(this.view.reviewer);
  }

  press(keys: string): void {
    this.#framed.press(keys);
  }

  /** Resolves when the screen fits. */
  async sees(fits: (screen: string) => boolean): Promise<void> {
    await this.#framed.sees(fits);
  }

  shown(path: string): Promise<void> {
    return this.sees((screen) => screen.includes(`${path} (`) && !screen.includes('This change was'));
  }

  gone(path: string): Promise<void> {
    return this.sees((screen) => !screen.includes(`${path} (`) || screen.includes('This change was'));
  }

  async decide(path: string, decision: Decision): Promise<void> {
    await this.#goTo(path);
    // Each mark goes to the next hunk.
    const { marks = [] } = decision.kind === 'changesRequested' ? decision : {};
    for (const mark of marks) if (mark !== 'undecided') this.press(mark === 'accepted' ? 'y' : 'n');
    for (const note of decision.notes ?? []) await this.#write(note);
    if (decision.kind === 'changesRequested') {
      this.press('C');
      await this.sees((screen) => screen.includes('what should change'));
      return this.press('\r');
    }
    if (decision.kind === 'rejected') return this.press('r');
    if (decision.text === undefined) return this.press('a');
    this.editText = () => decision.text ?? '';
    this.press('e');
    await this.sees((screen) => /This is your version|This is what was proposed|Nothing edited/.test(screen));
    this.press('a');
    // Only if the file has changed meanwhile.
    if (this.#framed.screen.includes('merged with')) {
      await this.sees((screen) => screen.includes('Press again to accept'));
      this.press('a');
    }
  }

  async #write({ text, lines }: Note): Promise<void> {
    if (lines !== undefined) {
      this.press('g');
      while (!isDeepStrictEqual(this.view.current?.linesAt('line'), lines)) {
        const item = this.view.current?.page.cursor.item;
        this.press('j');
        await vi.waitUntil(() => this.view.current?.page.cursor.item !== item, 30_000);
      }
    }
    this.press(lines === undefined ? 'I' : 'i');
    await this.sees((screen) => screen.includes('note on '));
    this.press(`${text}\r`);
    await vi.waitUntil(() => this.view.current?.notes.some((note) => note.text === text), 30_000);
  }

  close(): void {
    this.frame.leave();
  }

  /** Makes it the proposal on the screen. */
  async #goTo(path: string): Promise<void> {
    const isCurrent = (screen: string) => screen.includes(`${path} (proposed`) || screen.includes(`${path} (new file`);
    await this.sees((screen) => screen.includes(path));
    // To the first one, then forward.
    this.press('hhhhhhhh');
    for (let step = 0; step < 8 && !isCurrent(this.#framed.screen); step += 1) {
      const before = this.#framed.screen;
      this.press('l');
      await this.sees((screen) => screen !== before || isCurrent(screen));
    }
    await this.sees(isCurrent);
  }
}
