import type { SharedEditor } from '../../access/shared-editor.ts';
import type { Context, OpenFile } from './notifications.ts';

/** Changes that follow each other faster than this are sent together. */
const INTERVAL_MS = 20;
/** Agents ignore the rest. */
const MAX_FILES = 10;

/** What agents know of the editor: the open files, and cursor and selection in the active one. Sends each change once. */
export class ContextFeed {
  /** Called with each change. */
  onChange: (context: Context) => void = () => {};
  readonly #editor: SharedEditor;
  /** When each open file was last active. */
  #activeAt = new Map<string, number>();
  #activePath: string | undefined;
  /** Of files that were never active. */
  readonly #firstTime = Date.now();
  #lastTime = this.#firstTime;
  #current: Context = { workspaceState: { openFiles: [] } };
  #state: 'idle' | 'reading' | 'waiting' | 'closed' = 'idle';
  /** Something has changed since the last reading began. */
  #isDue = false;
  #timer: NodeJS.Timeout | undefined;

  private constructor(editor: SharedEditor) {
    this.#editor = editor;
  }

  /** Resolves when the context is known. */
  static async open(editor: SharedEditor): Promise<ContextFeed> {
    const feed = new ContextFeed(editor);
    feed.#current = await feed.#read();
    return feed;
  }

  /** What agents were last sent. */
  get current(): Context {
    return this.#current;
  }

  /** The selection, the open files or what agents may see has changed. */
  changed(): void {
    if (this.#state === 'idle') void this.#update();
    else this.#isDue = true;
  }

  close(): void {
    this.#state = 'closed';
    clearTimeout(this.#timer);
  }

  async #update(): Promise<void> {
    this.#state = 'reading';
    this.#isDue = false;
    const next = await this.#read();
    if (this.#isClosed) return;
    this.#state = 'waiting';
    this.#timer = setTimeout(() => {
      this.#state = 'idle';
      if (this.#isDue) void this.#update();
    }, INTERVAL_MS).unref();
    if (JSON.stringify(next) === JSON.stringify(this.#current)) return;
    this.#current = next;
    this.onChange(next);
  }

  get #isClosed(): boolean {
    return this.#state === 'closed';
  }

  async #read(): Promise<Context> {
    // It rejects while the user has paused, and then agents see nothing.
    const documents = await this.#editor.openDocuments().catch(() => undefined);
    if (documents === undefined) return { workspaceState: { openFiles: [] } };
    const selection = this.#editor.currentSelection;
    const paths = new Set(documents.filter(({ isUntitled }) => !isUntitled).map(({ path }) => path));
    if (selection !== undefined) paths.add(selection.path);
    this.#stamp(paths, selection?.path);
    const files = [...paths].map((path): OpenFile => {
      const timestamp = this.#activeAt.get(path) ?? 0;
      if (selection === undefined || path !== selection.path) return { path, timestamp };
      const { line, character } = selection.range.end;
      return {
        path,
        timestamp,
        isActive: true,
        cursor: { line: line + 1, character: character + 1 },
        ...(selection.text !== '' && { selectedText: selection.text }),
      };
    });
    files.sort((a, b) => b.timestamp - a.timestamp);
    return { workspaceState: { openFiles: files.slice(0, MAX_FILES) } };
  }

  /** The active file is always the newest: agents ignore its cursor otherwise. */
  #stamp(paths: ReadonlySet<string>, active: string | undefined): void {
    const known = this.#activeAt;
    this.#activeAt = new Map([...paths].map((path) => [path, known.get(path) ?? this.#firstTime]));
    if (active !== undefined && (active !== this.#activePath || !known.has(active))) {
      this.#lastTime = Math.max(Date.now(), this.#lastTime + 1);
      this.#activeAt.set(active, this.#lastTime);
    }
    this.#activePath = active;
  }
}
