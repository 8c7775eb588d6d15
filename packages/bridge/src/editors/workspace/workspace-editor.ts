import type { Editor, EditorEvent, FileDiagnostics, FileLocation, Range } from '../../editor.ts';
import { LANGUAGE_FEATURES } from '../../language-features.ts';
import { MAX_FILE_BYTES } from '../../regular-file.ts';
import { TemporaryFiles } from '../../temporary-files.ts';
import { readTextFile } from '../../text-file.ts';
import { absolute } from '../absolute-path.ts';
import { FileWatch } from '../file-watch.ts';
import { languageIdOf } from '../languages.ts';
import { Listeners } from '../listeners.ts';
import { Diagnostics, type DiagnosticsCommand } from './diagnostics.ts';
import { Documents, isDirty, type OpenLimits, type TextDocument } from './documents.ts';
import { type FormatCommand, formatText } from './format.ts';
import type { SourceText } from './language-servers/diagnostics-source.ts';
import type { SearchOptions } from './language-servers/find-programs.ts';
import { type LanguageAbilities, LanguageServers } from './language-servers/language-servers.ts';
import { serverFeatures } from './language-servers/server-features.ts';

export interface WorkspaceEditorOptions {
  /** Absolute paths, the main one first. */
  readonly folders: readonly [string, ...string[]];
  /** Finds problems, instead of language servers. */
  readonly diagnosticsCommand?: DiagnosticsCommand;
  /** Formats, instead of language servers. */
  readonly formatCommand?: FormatCommand;
  /** Where to look for language servers and checkers, which are started when they are needed. Without it none is used. */
  readonly languageServers?: SearchOptions;
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
  diagnostics(path?: string): Promise<readonly FileDiagnostics[]>;
  /** The text of an open document, saved or not. */
  text(path: string): string;
  /** Makes this its unsaved text; a path that is not open becomes a document without a file. */
  setText(path: string, text: string, selection?: Range): void;
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
  const { diagnosticsCommand, formatCommand } = options;
  const temporaryFiles = new TemporaryFiles(options.stateFolder);
  const onProblem = options.onProblem ?? (() => undefined);
  let folders = options.folders.map(absolute);
  const closing = new AbortController();
  const listeners = new Listeners(onProblem);
  const emit = (event: EditorEvent) => {
    if (!closing.signal.aborted) listeners.emit(event);
  };

  const diagnostics =
    diagnosticsCommand &&
    new Diagnostics({
      ...diagnosticsCommand,
      folder: diagnosticsCommand.folder ?? folders[0] ?? '.',
      onChange: (paths) => emit({ kind: 'diagnostics', paths }),
      onProblem,
    });
  const watch = new FileWatch((path) => documents.refresh(path), onProblem);
  const documents = new Documents({
    limits: options.limits ?? DEFAULT_LIMITS,
    temporaryFiles,
    watch,
    emit,
    onFileChanged: () => refreshDiagnostics(),
    onTextChanged: (path) => languages?.textChanged(path, documents.has(path) ? 'open' : 'closed'),
  });
  const languages =
    options.languageServers &&
    new LanguageServers({
      ...options.languageServers,
      host: {
        folders: () => folders,
        texts: () => documents.all().map(sourceText),
        openText: async (path) => (documents.has(path) ? sourceText(await documents.open(path)) : undefined),
        readText: async (path) => (await readTextFile(path, MAX_FILE_BYTES)).text,
      },
      onDiagnostics: (paths) => {
        if (diagnostics === undefined) emit({ kind: 'diagnostics', paths });
      },
      onAbilities: (abilities) => setLanguageMembers(abilities),
      onProblem,
    });
  const refreshDiagnostics = () => {
    diagnostics?.refresh();
    languages?.changed();
  };
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

  const format = async (given: string, formatted: (document: TextDocument) => Promise<string>): Promise<string> => {
    const path = enter(given);
    return await documents.hold(path, async (document) => {
      const { content } = document;
      const text = await formatted(document);
      if (documents.get(path).content !== content) throw new Error(`It was changed while it was formatted: ${path}`);
      return text;
    });
  };
  const formatWith = (command: FormatCommand) => (path: string) =>
    format(path, ({ content, encoding, path: absolutePath }) => {
      const unformatted = { path: absolutePath, text: content.text, encoding };
      return formatText(command, unformatted, { signal: closing.signal, temporaryFiles });
    });

  let closed: Promise<void> | undefined;
  const close = async () => {
    const reason = new Error('The editor was closed');
    closing.abort(reason);
    watch.close();
    clearTimeout(clearing);
    await Promise.all([diagnostics?.close(), languages?.close()]);
    await documents.settled();
  };

  const editor: WorkspaceEditor = {
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
    diagnostics: async (given) => {
      const path = given === undefined ? undefined : enter(given);
      if (diagnostics !== undefined) return diagnostics.of(path);
      if (languages !== undefined) return await languages.diagnostics(path);
      return path === undefined ? [] : [{ path, diagnostics: [] }];
    },
    ...((diagnostics ?? languages) && {
      languagePrograms: async () => [
        ...(diagnostics ? [diagnostics.status()] : []),
        ...((await languages?.programs()) ?? []),
      ],
      // The user's own command checks all files.
      uncheckedLanguages: async () => (diagnostics ? [] : ((await languages?.unchecked()) ?? [])),
    }),
    ...(formatCommand && { format: formatWith(formatCommand) }),
    subscribe: (listener) => listeners.add(listener),
    text: (path) => documents.get(enter(path)).content.text,
    setText: (path, text, selection) => documents.setText(enter(path), text, selection),
    mention: (path, lines) => emit({ kind: 'mention', path: enter(path), ...(lines && { lines }) }),
    setFolders: (changed) => {
      closing.signal.throwIfAborted();
      folders = changed.map(absolute);
      emit({ kind: 'workspace', folders });
    },
    refreshDiagnostics,
    close: () => {
      closed ??= close();
      return closed;
    },
  };
  const requested = languages && serverFeatures(languages);
  /** Sets the members that depend on which language servers are there. */
  const setLanguageMembers = (abilities: LanguageAbilities) => {
    const { format: formatEdits, codeActions, ...features } = requested ?? {};
    for (const name of LANGUAGE_FEATURES) delete editor[name];
    Object.assign(editor, abilities.features && features, abilities.codeActions && { codeActions });
    if (formatCommand === undefined) delete editor.format;
    if (formatCommand === undefined && abilities.format && formatEdits !== undefined) {
      editor.format = (path) =>
        format(path, async (document) => document.content.edited(await formatEdits(document.path, closing.signal)));
    }
    emit({ kind: 'features' });
  };
  return editor;
}

function sourceText(document: TextDocument): SourceText {
  const { path, content } = document;
  return { path, languageId: languageIdOf(path), text: content.text, isSaved: !isDirty(document) };
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
