import type { Editor, EditorEvent, FileDiagnostics, FileLocation, OpenDocument, Range, Selection } from '../editor.ts';
import type { Access, Purpose } from './access.ts';
import { SelectionFeed } from './selection-feed.ts';
import { type SharedLanguage, shareLanguage } from './shared-language.ts';

/**
 * The editor as agents see it. Access rules are applied: paths may be written as agents write them, and what agents may
 * not see is refused or left out. A member that is absent is something the editor can't do.
 */
export interface SharedEditor {
  readonly name: string;
  /** The workspace; a relative path is in the first one. */
  readonly folders: readonly string[];
  /** The real path of what an agent named. Rejects with a PathRefused. */
  resolve(path: string, options: { readonly for: Purpose }): Promise<string>;
  openFile(location: FileLocation): Promise<OpenDocument>;
  /** Rejects while paused. */
  openDocuments(): Promise<readonly OpenDocument[]>;
  selection(): Promise<SharedSelection>;
  /** The last selection with text in it. */
  latestSelection(): Promise<SharedSelection>;
  /** What the last selection event carried. */
  readonly currentSelection: Selection | undefined;
  setSelection?(path: string, range: Range): Promise<void>;
  /** Denied files are refused. */
  writeText?: Editor['writeText'];
  save?(path: string): Promise<void>;
  closeFile?(path: string): Promise<void>;
  /** Rejects while paused. */
  diagnostics?(path?: string): Promise<readonly FileDiagnostics[]>;
  /** Can appear and go: see the `features` event. */
  readonly format?: ((path: string) => Promise<string>) | undefined;
  readonly language: SharedLanguage;
  /** Throws a PathRefused while paused. For tools that name no path. */
  requireResumed(): void;
  /** Sends a mention to all agents. Rejects with a PathRefused if they may not see the file. */
  mention(path: string, lines?: { readonly first: number; readonly last: number }): Promise<void>;
  /**
   * Selection events are rate-limited; one without a selection means that agents see none. There is a documents event
   * whenever `openDocuments` may answer differently, after a pause for example.
   */
  subscribe(listener: (event: EditorEvent) => void): () => void;
}

export type SharedSelection =
  | { readonly kind: 'selection'; readonly selection: Selection }
  | { readonly kind: 'none' }
  /** There is one, and agents may not see it. */
  | { readonly kind: 'hidden' };

export interface OpenSharedEditor extends SharedEditor {
  close(): void;
}

/** Applies the access rules to an editor, and its workspace to the rules. Resolves when the selection is known. */
export async function shareEditor(
  editor: Editor,
  access: Access,
  onProblem: (problem: Error) => void,
): Promise<OpenSharedEditor> {
  const listeners = new Set<{ readonly receive: (event: EditorEvent) => void }>();
  const isVisible = (path: string): boolean | Promise<boolean> => {
    const visibility = access.visibility(path);
    if (typeof visibility === 'string') return visibility === 'visible';
    return visibility.then((answer) => answer === 'visible');
  };
  const emit = (event: EditorEvent) => {
    for (const listener of [...listeners]) {
      try {
        listener.receive(event);
      } catch (error) {
        onProblem(new Error(`An agent adapter failed on a ${event.kind} event`, { cause: error }));
      }
    }
  };
  const feed = new SelectionFeed({
    isPaused: () => access.paused,
    isVisible,
    send: (selection) => emit({ kind: 'selection', selection }),
  });

  /** Events that name files wait for the check of those before them, so that their order stays. */
  let checking: Promise<void> = Promise.resolve();
  const emitChecked = (check: () => Promise<EditorEvent | undefined>) => {
    checking = checking.then(check).then(
      (event) => event && emit(event),
      (error: unknown) => onProblem(new Error('An event could not be checked', { cause: error })),
    );
    return checking;
  };
  let hasSelectionEvent = false;
  const receive = (event: EditorEvent) => {
    switch (event.kind) {
      case 'selection':
        hasSelectionEvent = true;
        return feed.changed(event.selection);
      case 'workspace':
        access.folders = event.folders;
        return emit(event);
      case 'mention':
        return void emitChecked(async () => ((await isVisible(event.path)) ? event : undefined));
      case 'diagnostics':
        return void emitChecked(async () => {
          const visible = await Promise.all(event.paths.map(isVisible));
          const paths = event.paths.filter((_, index) => visible[index]);
          return paths.length > 0 ? { kind: 'diagnostics', paths } : undefined;
        });
      case 'documents':
      case 'features':
        return emit(event);
      case 'saved':
        // Only the bridge itself wants to know.
        return;
    }
  };
  const accessChanged = () => {
    emit({ kind: 'documents' });
    feed.accessChanged();
  };
  const stops = [editor.subscribe(receive), access.subscribe(accessChanged)];
  const close = () => {
    for (const stop of stops) stop();
    feed.close();
    listeners.clear();
  };
  try {
    const selection = await editor.selection();
    // An event that arrived meanwhile is newer.
    if (!hasSelectionEvent) feed.changed(selection);
  } catch (error) {
    close();
    throw error;
  }

  const shared = async (selection: Selection | undefined): Promise<SharedSelection> => {
    if (selection === undefined) return { kind: 'none' };
    return (await isVisible(selection.path)) ? { kind: 'selection', selection } : { kind: 'hidden' };
  };
  const visibleOnly = async <Item extends { readonly path: string }>(items: readonly Item[]) => {
    const visible = await Promise.all(items.map(({ path }) => isVisible(path)));
    access.requireResumed();
    return items.filter((_, index) => visible[index]);
  };
  const { setSelection, writeText, save, closeFile, diagnostics } = editor;
  return {
    name: editor.name,
    get folders() {
      return access.folders;
    },
    resolve: (path, options) => access.resolve(path, options),
    openFile: async (location) =>
      editor.openFile({ ...location, path: await access.resolve(location.path, { for: 'open' }) }),
    openDocuments: async () => visibleOnly(await editor.openDocuments()),
    selection: async () => shared(await editor.selection()),
    latestSelection: () => shared(feed.latest),
    get currentSelection() {
      return feed.sent;
    },
    ...(setSelection && {
      setSelection: async (path: string, range: Range) =>
        setSelection.call(editor, await access.resolve(path, { for: 'open' }), range),
    }),
    ...(writeText && {
      writeText: async (path, text, options) =>
        writeText.call(editor, await access.resolve(path, { for: 'diff' }), text, options),
    }),
    ...(save && { save: async (path: string) => save.call(editor, await access.resolve(path, { for: 'diff' })) }),
    ...(closeFile && {
      closeFile: async (path: string) => closeFile.call(editor, await access.resolve(path, { for: 'open' })),
    }),
    ...(diagnostics && {
      diagnostics: async (path?: string) => {
        const real = path === undefined ? undefined : await access.resolve(path, { for: 'read' });
        return visibleOnly(await diagnostics.call(editor, real));
      },
    }),
    get format() {
      const { format } = editor;
      return format && (async (path: string) => format.call(editor, await access.resolve(path, { for: 'diff' })));
    },
    language: shareLanguage(editor, access),
    requireResumed: () => access.requireResumed(),
    mention: async (path, lines) => {
      const real = await access.resolve(path, { for: 'read' });
      await emitChecked(async () => ({ kind: 'mention', path: real, ...(lines && { lines }) }));
    },
    subscribe: (receiveShared) => {
      const listener = { receive: receiveShared };
      listeners.add(listener);
      return () => void listeners.delete(listener);
    },
    close,
  };
}
