import type { Editor, Selection } from '../editor.ts';

/** A second selection within this time waits for its end, and only the last one counts. */
const INTERVAL_MS = 20;

/**
 * Follows the selection: tells of a change at once, of many in quick succession only now and then, and of the last one
 * always. Equal ones are passed over.
 */
export class SelectionFeed {
  readonly #tell: (selection: Selection | undefined) => void;
  #current: Selection | undefined;
  #latest: Selection | undefined;
  #told: Selection | undefined;
  #timer: NodeJS.Timeout | undefined;

  constructor(tell: (selection: Selection | undefined) => void) {
    this.#tell = tell;
  }

  /** What is selected now. */
  get current(): Selection | undefined {
    return this.#current;
  }

  /** The last selection with text in it. */
  get latest(): Selection | undefined {
    return this.#latest;
  }

  changed(selection: Selection | undefined): void {
    this.#current = selection;
    if (selection !== undefined && selection.text !== '') this.#latest = selection;
    if (this.#timer === undefined) this.#tellNow();
  }

  close(): void {
    clearTimeout(this.#timer);
  }

  #tellNow(): void {
    if (isSame(this.#told, this.#current)) return;
    this.#told = this.#current;
    this.#timer = setTimeout(() => {
      this.#timer = undefined;
      this.#tellNow();
    }, INTERVAL_MS);
    this.#timer.unref();
    this.#tell(this.#current);
  }
}

/** Keeps the feed up to date, from what is selected now on, until the returned function is called. */
export async function followSelection(editor: Editor, feed: SelectionFeed): Promise<() => void> {
  let hasChanged = false;
  const unsubscribe = editor.subscribe((event) => {
    if (event.kind !== 'selection') return;
    hasChanged = true;
    feed.changed(event.selection);
  });
  const stop = () => {
    unsubscribe();
    feed.close();
  };
  try {
    const selection = await editor.selection();
    // What was told meanwhile is newer.
    if (!hasChanged) feed.changed(selection);
  } catch (error) {
    stop();
    throw error;
  }
  return stop;
}

function isSame(a: Selection | undefined, b: Selection | undefined): boolean {
  if (a === undefined || b === undefined) return a === b;
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
