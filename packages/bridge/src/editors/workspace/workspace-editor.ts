import type { Editor, EditorEvent, FileLocation, Range } from '../../editor.ts';
import { MAX_FILE_BYTES } from '../../regular-file.ts';
import { TemporaryFiles } from '../../temporary-files.ts';
import { absolute } from '../absolute-path.ts';
import { FileWatch } from '../file-watch.ts';
import { Listeners } from '../listeners.ts';
import { Diagnostics, type DiagnosticsCommand } from './diagnostics.ts';
import { Documents, type OpenLimits } from './documents.ts';
import { type FormatCommand, formatText } from './format.ts';

export interface WorkspaceEditorOptions {
  /** Absolute paths, the main one first. */
  readonly folders: readonly [string, ...string[]];
  /** Without one the editor has no `diagnostics`. */
  readonly diagnosticsCommand?: DiagnosticsCommand;
  /** Without one the editor has no `format`. */
  readonly formatCommand?: FormatCommand;
  /** Larger files are not opened. Default `MAX_FILE_BYTES`. */
  readonly maxFileBytes?: number;
  /** What may be open at once. Default `DEFAULT_LIMITS`. */
  readonly limits?: OpenLimits;
  /** Where temporary files are recorded, so that a later start removes what a crash left of them. */
  readonly stateFolder?: string;
  /** Receives problems that no caller waits for: a failed check, a folder that can't be watched. */
  readonly onProblem?: (problem: Error) => void;
}

/** The embedded editor, with what a user interface on it needs besides the contract. */
export interface WorkspaceEditor extends Editor {
  setSelection(path: string, range: Range): Promise<void>;
  save(path: string): Promise<void>;
  closeFile(path: string): Promise<void>;
  /** The text of an open document, saved or not. */
  text(path: string): string;
  /** Makes this its unsaved text; a path that is not open becomes a document without a file. */
  setText(path: string, text: string, selection?: Range): void;
  /** Saves although the file has changed on disk. */
  overwrite(path: string): Promise<void>;
  /** Gives unsaved text up. */
  revert(path: string): Promise<void>;
  /** Points agents to a file, or to lines of it: from 0, both included. */
  mention(path: string, lines?: { readonly first: number; readonly last: number }): void;
  setFolders(folders: readonly [string, ...string[]]): void;
  /** Something may have changed that the editor does not watch. */
  refreshDiagnostics(): void;
}

const CLEAR_AFTER_MS = 20;
/** More than any session needs. Each open document is held in memory, with its folder watched. */
const DEFAULT_LIMITS: OpenLimits = { documents: 128, characters: 32 * 1024 * 1024 };

/** An editor that needs nothing but files: documents, selections and unsaved text live in this process. */
export function workspaceEditor(options: WorkspaceEditorOptions): WorkspaceEditor {
  const { diagnosticsCommand, formatCommand, maxFileBytes = MAX_FILE_BYTES } = options;
  const temporaryFiles = new TemporaryFiles(options.stateFolder);
  const onProblem = options.onProblem ?? (() => undefined);
  let folders = options.folders.map(absolute);
  const closing = new AbortController();
  const listeners = new Listeners(onProblem);
  const tell = (event: EditorEvent) => {
    if (!closing.signal.aborted) listeners.tell(event);
  };

  const diagnostics =
    diagnosticsCommand &&
    new Diagnostics({
      ...diagnosticsCommand,
      folder: diagnosticsCommand.folder ?? folders[0] ?? '.',
      onChange: (paths) => tell({ kind: 'diagnostics', paths }),
      onProblem,
    });
  const watch = new FileWatch((path) => documents.refresh(path), onProblem);
  const documents = new Documents({
    maxFileBytes,
    limits: options.limits ?? DEFAULT_LIMITS,
    temporaryFiles,
    watch,
    tell,
    onFileChanged: () => diagnostics?.refresh(),
  });
  // After the start, which it must not delay.
  const clearing = setTimeout(() => void clear(temporaryFiles, onProblem), CLEAR_AFTER_MS).unref();

  /** Every way in, with an absolute path and an editor that is open. */
  const enter = (path: string): string => {
    closing.signal.throwIfAborted();
    return absolute(path);
  };

  const openFile = async (location: FileLocation) => {
    const path = enter(location.path);
    const document = await documents.open(path);
    closing.signal.throwIfAborted();
    if (location.range !== undefined) documents.select(path, location.range);
    if (location.inBackground !== true) documents.show(path);
    return documents.describe(document);
  };

  const format = async (given: string, command: FormatCommand) => {
    const path = enter(given);
    await documents.hold(path, async ({ content, encoding }) => {
      const unformatted = { path, text: content.text, encoding };
      const formatted = await formatText(command, unformatted, { signal: closing.signal, temporaryFiles });
      if (documents.get(path).content !== content) throw new Error(`It was changed while it was formatted: ${path}`);
      if (formatted !== content.text) documents.setText(path, formatted);
    });
  };

  let closed: Promise<void> | undefined;
  const close = async () => {
    const reason = new Error('The editor was closed');
    closing.abort(reason);
    watch.close();
    clearTimeout(clearing);
    await diagnostics?.close();
    await documents.settled();
  };

  return {
    name: 'Hawser',
    isWindowless: true,
    workspaceFolders: async () => folders,
    openFile,
    openDocuments: async () => documents.list(),
    selection: async () => documents.selection(),
    setSelection: async (given, range) => {
      const path = enter(given);
      documents.select(path, range);
      documents.show(path);
    },
    writeText: async (path, text, { expected }) => documents.writeText(enter(path), text, expected),
    save: async (path) => documents.save(enter(path)),
    closeFile: async (path) => documents.close(enter(path)),
    ...(diagnostics && {
      diagnostics: async (path?: string) => diagnostics.of(path === undefined ? undefined : enter(path)),
    }),
    ...(formatCommand && { format: (path: string) => format(path, formatCommand) }),
    subscribe: (listener) => listeners.add(listener),
    text: (path) => documents.get(enter(path)).content.text,
    setText: (path, text, selection) => documents.setText(enter(path), text, selection),
    overwrite: async (path) => documents.overwrite(enter(path)),
    revert: async (path) => documents.revert(enter(path)),
    mention: (path, lines) => tell({ kind: 'mention', path: enter(path), ...(lines && { lines }) }),
    setFolders: (changed) => {
      closing.signal.throwIfAborted();
      folders = changed.map(absolute);
      tell({ kind: 'workspace', folders });
    },
    refreshDiagnostics: () => diagnostics?.refresh(),
    close: () => {
      closed ??= close();
      return closed;
    },
  };
}

/** Removes what a crash left. Never rejects. */
async function clear(temporaryFiles: TemporaryFiles, onProblem: (problem: Error) => void): Promise<void> {
  try {
    for (const { path, keptFor } of await temporaryFiles.clear()) {
      onProblem(new Error(`Saving ${keptFor} was interrupted; its whole text is in ${path}`));
    }
  } catch (error) {
    onProblem(new Error('Temporary files of an earlier start cannot be removed', { cause: error }));
  }
}
