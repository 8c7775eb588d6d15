import type { SharedEditor } from '../../access/shared-editor.ts';
import type { Context, OpenFile } from './notifications.ts';

/** Open files that change faster than this are sent together. */
const INTERVAL_MS = 20;
/** Agents ignore the rest. */
const MAX_FILES = 10;

/**
 * What agents know of the editor: the open files, and cursor and selection in the active one. Sends each change once, and
 * asks the editor for its open files only while somebody listens. Selections come no faster than agents are sent them.
 */
export class ContextFeed {
  /** Called with each change. */
  onChange: (context: Context) => void = () => {};
  /** Whether an agent is connected. */
  hasListeners: () => boolean = () => false;
  readonly #editor: SharedEditor;
  /** When each open file was last active. */
  #activeAt = new Map<string, number>();
  #activePath: string | undefined;
  /** Of files that were never active. */
  readonly #firstTime = Date.now();
  #lastTime = this.#firstTime;
  /** As last asked for. */
  #openPaths: readonly string[] = [];
  /** They have changed since. */
  #isStale = true;
  #reading: Promise<void> | undefined;
  /** What all agents know. */
  #sent: Context = { workspaceState: { openFiles: [] } };
  #timer: NodeJS.Timeout | undefined;
  #isClosed = false;

  constructor(editor: SharedEditor) {
    this.#editor = editor;
    this.#stamp([], editor.currentSelection?.path);
  }

  /** Sent to an agent when it connects. */
  async latest(): Promise<Context> {
    await this.#upToDate();
    const latest = this.#contextOf(this.#openPaths);
    if (this.#timer === undefined) this.#sent = latest;
    return latest;
  }

  /** The user has selected something else. */
  selectionChanged(): void {
    // Also while nobody listens: it is known later when each file was active.
    this.#stamp([...this.#activeAt.keys()], this.#editor.currentSelection?.path);
    // While open files are read, it is sent with them.
    if (this.hasListeners() && !this.#isStale && this.#reading === undefined) this.#send();
  }

  /** The open files, or what agents may see of them, have changed. The selection may follow, and is sent with them. */
  documentsChanged(): void {
    this.#isStale = true;
    if (!this.hasListeners()) return;
    void this.#upToDate().then(() => {
      if (!this.#isClosed) this.#timer ??= setTimeout(() => this.#send(), INTERVAL_MS).unref();
    });
  }

  close(): void {
    this.#isClosed = true;
    clearTimeout(this.#timer);
  }

  async #upToDate(): Promise<void> {
    while ((this.#isStale || this.#reading !== undefined) && !this.#isClosed) {
      this.#reading ??= this.#read();
      await this.#reading;
    }
  }

  async #read(): Promise<void> {
    this.#isStale = false;
    // It rejects while the user has paused, and then agents see nothing.
    const documents = await this.#editor.openDocuments().catch(() => undefined);
    this.#openPaths = documents?.filter(({ isUntitled }) => !isUntitled).map(({ path }) => path) ?? [];
    this.#reading = undefined;
  }

  #send(): void {
    clearTimeout(this.#timer);
    this.#timer = undefined;
    const next = this.#contextOf(this.#openPaths);
    if (this.#isClosed || JSON.stringify(next) === JSON.stringify(this.#sent)) return;
    this.#sent = next;
    this.onChange(next);
  }

  #contextOf(openPaths: readonly string[]): Context {
    const selection = this.#editor.currentSelection;
    const paths = new Set(openPaths);
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
  #stamp(paths: Iterable<string>, active: string | undefined): void {
    const known = this.#activeAt;
    this.#activeAt = new Map([...paths].map((path) => [path, known.get(path) ?? this.#firstTime]));
    if (active !== undefined && (active !== this.#activePath || !known.has(active))) {
      this.#lastTime = Math.max(Date.now(), this.#lastTime + 1);
      this.#activeAt.set(active, this.#lastTime);
    }
    this.#activePath = active;
  }
}
