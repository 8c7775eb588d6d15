import { widthOf } from '@hawser/terminal-text/wrapping';
import { ReviewView } from '../src/review/reviewers/terminal/review-view.ts';
import type { Row } from '../src/terminal/paint.ts';
import type { Prompt, Screen } from '../src/terminal/view.ts';
import { openReview } from './open-review.ts';

/** A review view without a terminal: keys go in, and what it would show and decide comes out. */
export class ReviewingView implements Screen {
  readonly view: ReviewView;
  readonly kept: { readonly path: string; readonly text: string }[] = [];
  readonly copied: string[] = [];
  size: { columns: number; rows: number };
  /** The last message or question. */
  notice = '';
  /** The texts of files, and which of them are watched. */
  readonly onDisk = new Map<string, string>();
  readonly watched: string[] = [];
  readonly files = {
    watch: async (path: string) => void this.watched.push(path),
    unwatch: (path: string) => void this.watched.splice(this.watched.indexOf(path), 1),
    read: async (path: string) => {
      const text = this.onDisk.get(path);
      if (text === undefined) throw new Error(`No such file: ${path}`);
      return text;
    },
  };
  /** What the user's editor makes of a text. */
  editText: (text: string) => string = (text) => text;
  #answer: ((key: string) => void) | undefined;
  #prompt: Prompt | undefined;

  constructor({ columns = 80, rows = 20 } = {}) {
    this.size = { columns, rows };
    this.view = new ReviewView({
      screen: this,
      nameOf: (path) => path,
      loadColouring: () => import('../src/review/reviewers/terminal/colouring.ts'),
      editText: async (path, text) => {
        const edited = this.editText(text);
        return edited === text ? { kind: 'unchanged', file: `/edit${path}` } : { kind: 'edited', text: edited };
      },
      files: this.files,
      keepText: (path, text) => {
        this.kept.push({ path, text });
        return `/kept${path}`;
      },
    });
  }

  add(...proposals: Parameters<typeof openReview>[0][]): ReturnType<typeof openReview>[] {
    const reviews = proposals.map((proposal) => openReview(proposal));
    for (const review of reviews) this.view.reviewer.show(review);
    return reviews;
  }

  /** As the frame does: it draws before each key. */
  press(...keys: string[]): void {
    for (const key of keys) {
      this.draw();
      const [answer, prompt] = [this.#answer, this.#prompt];
      [this.#answer, this.#prompt] = [undefined, undefined];
      if (answer !== undefined) answer(key);
      else if (prompt !== undefined) prompt.enter(key);
      else {
        this.notice = '';
        if (this.view.key(key) === 'unknown') this.notice = `No such key: ${key}`;
      }
    }
  }

  /** Lets what a key has begun come to its end. */
  settle(): Promise<void> {
    return new Promise((resolve) => setImmediate(resolve));
  }

  draw(): readonly Row[] {
    return this.view.draw(this.size);
  }

  /** The rows as text. */
  get rows(): readonly string[] {
    return this.draw().map((row) => textOf(row).trimEnd());
  }

  redraw(): void {}

  say(message: string): void {
    this.notice = message;
  }

  ask(question: string, answer: (key: string) => void): void {
    this.notice = question;
    this.#answer = answer;
  }

  prompt(prompt: Prompt): void {
    this.#prompt = prompt;
  }

  copy(text: string): boolean {
    this.copied.push(text);
    return true;
  }

  lend<Result>(work: () => Promise<Result>): Promise<Result> {
    return work();
  }

  show(): undefined {
    return undefined;
  }
}

/** The text of a row, with spaces where a span begins further right. */
export function textOf(row: Row): string {
  return row.reduce((text, span) => {
    const missing = (span.column ?? 0) - widthOf(text);
    return text + ' '.repeat(Math.max(0, missing)) + span.text;
  }, '');
}
