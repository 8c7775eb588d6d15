import type { Selection } from '../editor.ts';

/** Selections that follow each other faster than this are merged into the last one. */
const INTERVAL_MS = 20;

export interface SelectionFeedOptions {
  /** What is selected meanwhile is not remembered as the latest selection. */
  readonly isPaused: () => boolean;
  readonly isVisible: (path: string) => boolean | Promise<boolean>;
  /** Receives each new selection that agents may see; undefined when there is none. */
  readonly send: (selection: Selection | undefined) => void;
}

/**
 * Follows the selection of the editor. Sends the first change at once, at most one per interval after that, and always
 * the last one, and the last with text before one without. Skips equal ones and turns hidden ones into undefined.
 */
export class SelectionFeed {
  readonly #isPaused: () => boolean;
  readonly #isVisible: (path: string) => boolean | Promise<boolean>;
  readonly #send: (selection: Selection | undefined) => void;
  #current: Selection | undefined;
  /** A selection with text that ended before it was sent. It is still sent: the user may have selected only to copy. */
  #left: Selection | undefined;
  /** `hidden` if agents were sent none although there is one. */
  #sent: Selection | 'hidden' | undefined;
  #latest: Selection | undefined;
  #state: 'idle' | 'checking' | 'waiting' | 'closed' = 'idle';
  /** Something has changed since the last check began. */
  #isDue = false;
  #timer: NodeJS.Timeout | undefined;

  constructor({ isPaused, isVisible, send }: SelectionFeedOptions) {
    this.#isPaused = isPaused;
    this.#isVisible = isVisible;
    this.#send = send;
  }

  /** The selection that agents were last sent. */
  get sent(): Selection | undefined {
    return this.#sent === 'hidden' ? undefined : this.#sent;
  }

  /** The last selection with text in it. Agents may not be allowed to see it. */
  get latest(): Selection | undefined {
    return this.#latest;
  }

  changed(selection: Selection | undefined): void {
    if (hasText(selection)) this.#left = undefined;
    else if (hasText(this.#current) && !isSame(this.#sent, this.#current) && !this.#isPaused())
      this.#left = this.#current;
    this.#current = selection;
    this.#remember(selection);
    this.#check();
  }

  /** What agents may see has changed. */
  accessChanged(): void {
    // It may have been selected while paused.
    this.#remember(this.#current);
    this.#check();
  }

  close(): void {
    this.#state = 'closed';
    clearTimeout(this.#timer);
  }

  #check(): void {
    if (this.#state === 'idle') this.#run();
    else this.#isDue = true;
  }

  #remember(selection: Selection | undefined): void {
    if (hasText(selection) && !this.#isPaused()) this.#latest = selection;
  }

  #run(): void {
    const selection = this.#left ?? this.#current;
    this.#isDue = this.#left !== undefined;
    const isVisible = selection === undefined || this.#isVisible(selection.path);
    if (typeof isVisible === 'boolean') {
      this.#checked(selection, isVisible);
      return;
    }
    this.#state = 'checking';
    isVisible.then(
      (answer) => this.#checked(selection, answer),
      () => this.#checked(selection, false),
    );
  }

  #checked(selection: Selection | undefined, isVisible: boolean): void {
    if (this.#state === 'closed') return;
    this.#state = 'idle';
    // The selection has changed while it was checked.
    if (this.#isDue && selection !== this.#current && selection !== this.#left) {
      this.#run();
      return;
    }
    this.#left = undefined;
    const next = isVisible ? selection : 'hidden';
    if (!isSame(this.#sent, next)) {
      this.#sent = next;
      this.#state = 'waiting';
      this.#timer = setTimeout(() => {
        this.#state = 'idle';
        if (this.#isDue) this.#run();
      }, INTERVAL_MS).unref();
      this.#send(this.sent);
    } else if (this.#isDue) this.#run();
  }
}

function hasText(selection: Selection | undefined): boolean {
  return selection !== undefined && selection.text !== '';
}

function isSame(a: Selection | 'hidden' | undefined, b: Selection | 'hidden' | undefined): boolean {
  if (typeof a !== 'object' || typeof b !== 'object') return a === b;
  return (
    a.path === b.path &&
    a.text === b.text &&
    isSamePosition(a.range.start, b.range.start) &&
    isSamePosition(a.range.end, b.range.end)
  );
}

function isSamePosition(a: { line: number; character: number }, b: { line: number; character: number }): boolean {
  return a.line === b.line && a.character === b.character;
}
