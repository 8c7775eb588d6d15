import type { Editor, EditorEvent, FileDiagnostics, FileLocation, Range, Selection } from '../../editor.ts';
import { checkRegularFile, MAX_FILE_BYTES } from '../../regular-file.ts';
import type { Reviewer } from '../../review/reviewer.ts';
import { NeovimReviewer } from '../../review/reviewers/neovim/neovim-reviewer.ts';
import { absolute } from '../absolute-path.ts';
import { FollowedFiles } from '../followed-files.ts';
import { Listeners } from '../listeners.ts';
import { DocumentDescriptions, describe } from './describe.ts';
import { LanguageServers } from './language-servers.ts';
import { NeovimLink } from './link.ts';
import {
  readDiagnostics,
  readDocuments,
  readFolders,
  readInitialState,
  readSelection,
  type WireDocument,
  wireRange,
} from './wire.ts';

export interface NeovimEditorOptions {
  /** Where Neovim's messages come from: the stdin of a process that it started, or the stdout of one that it is. */
  readonly reader: NodeJS.ReadableStream;
  readonly writer: NodeJS.WritableStream;
  /** Larger files are not opened. Default 128 MiB. */
  readonly maxFileBytes?: number;
  /** Receives problems that no caller waits for. */
  readonly onProblem?: (problem: Error) => void;
  /** Neovim has gone, or the editor was closed. Called once. */
  readonly onEnd?: () => void;
}

/** The user has just accepted the text, so a prompt in Neovim may take its time. */
const WRITE_TIMEOUT_MS = 60_000;

/** Neovim, with what its plugin needs besides the contract. */
export interface NeovimEditor extends Editor {
  /** The process of Neovim. */
  readonly pid: number;
  /** Its folders when its first bridge attached. They stay the same when the user goes elsewhere. */
  readonly firstFolders: readonly string[];
  /** Shows proposals; undefined if the user wants none. */
  readonly reviewer: Reviewer | undefined;
  /** The user shares nothing with agents. */
  readonly isPaused: boolean;
  /** Sets the listener that is called when the user pauses or resumes. */
  onPause(listener: (paused: boolean) => void): void;
  /** Sends every listener the folders, as if they had just changed. */
  sendFolders(): void;
  /** Shows the user the state of the bridge. */
  showStatus(status: object): void;
  showMessage(level: 'INFO' | 'WARN' | 'ERROR', text: string): void;
}

/**
 * Attaches to a Neovim that has our plugin on its runtimepath. Neovim sends its state as it changes, so that an agent gets
 * an answer even while Neovim waits for a key; what Neovim has to do waits until it can.
 */
export async function neovimEditor(options: NeovimEditorOptions): Promise<NeovimEditor> {
  const { maxFileBytes = MAX_FILE_BYTES, onProblem = () => undefined, onEnd = () => undefined } = options;
  const listeners = new Listeners(onProblem);
  let onPause = (_paused: boolean): void => undefined;
  let documents: readonly WireDocument[] = [];
  const descriptions = new DocumentDescriptions();
  let folders: readonly string[] = [];
  let selection: Selection | undefined;
  const diagnostics = new Map<string, FileDiagnostics>();
  let isPaused = false;
  let reviewer: NeovimReviewer | undefined;

  const send = (event: EditorEvent) => {
    if (!link.hasEnded) listeners.emit(event);
  };

  const files = new FollowedFiles(async (paths) => {
    // However long a prompt stays open: the change is reported only once.
    const { signal } = new AbortController();
    await link.call('reload', [paths], { signal }).catch((error: Error) => onProblem(error));
  }, onProblem);
  let followsFiles = false;
  const followDocuments = () => {
    if (followsFiles) files.set(documents.filter(({ untitled }) => !untitled).map(({ path }) => path));
  };

  const handlers: { readonly [event: string]: (...args: readonly unknown[]) => void } = {
    documents: (list) => {
      documents = readDocuments(list);
      followDocuments();
      send({ kind: 'documents' });
    },
    selection: (value) => {
      selection = readSelection(value);
      send({ kind: 'selection', selection });
    },
    folders: (list) => {
      folders = readFolders(list);
      send({ kind: 'workspace', folders });
    },
    diagnostics: (list) => {
      const found = readDiagnostics(list);
      keepDiagnostics(found);
      send({ kind: 'diagnostics', paths: found.map(({ path }) => path) });
    },
    mention: (path, first, last) => {
      const lines = typeof first === 'number' && typeof last === 'number' ? { first, last } : undefined;
      send({ kind: 'mention', path: String(path), ...(lines && { lines }) });
    },
    saved: (path) => send({ kind: 'saved', path: String(path) }),
    language: (token, answers) => language.receive(token, answers),
    pause: (paused) => {
      isPaused = paused === true;
      onPause(isPaused);
    },
  };
  const keepDiagnostics = (found: readonly FileDiagnostics[]) => {
    for (const file of found) {
      if (file.diagnostics.length === 0) diagnostics.delete(file.path);
      else diagnostics.set(file.path, file);
    }
  };

  const receive = (event: string, args: readonly unknown[]) => {
    if (reviewer?.receive(event, args) === true) return;
    if (Object.hasOwn(handlers, event)) handlers[event]?.(...args);
  };
  // Notifications can arrive before the attach reply is handled; buffer them.
  let early: (readonly [event: string, args: readonly unknown[]])[] | undefined = [];

  const link = new NeovimLink({
    reader: options.reader,
    writer: options.writer,
    onProblem,
    onEvent: (event, args) => {
      if (early === undefined) receive(event, args);
      else early.push([event, args]);
    },
    onEnd: () => {
      files.close();
      onEnd();
    },
  });

  const language = new LanguageServers(link);
  const channel = await link.channel();
  // However long a prompt stays open at its start.
  const initial = readInitialState(await link.call('attach', [channel], { signal: new AbortController().signal }));
  const { layout } = initial;
  ({ folders, documents, selection, paused: isPaused } = initial);
  keepDiagnostics(initial.diagnostics);
  followsFiles = initial.reload;
  followDocuments();
  if (layout !== 'off') reviewer = new NeovimReviewer(link, layout);
  const missed = early;
  early = undefined;
  for (const [event, args] of missed) receive(event, args);

  const openFile = async ({ path, range, inBackground = false }: FileLocation) => {
    await checkRegularFile(absolute(path), maxFileBytes);
    const opened = await link.call('open_file', [path, range === undefined ? null : wireRange(range), inBackground]);
    return describe(opened as WireDocument);
  };

  return {
    name: 'Neovim',
    pid: initial.pid,
    firstFolders: initial.folders,
    reviewer,
    get isPaused() {
      return isPaused;
    },
    onPause: (listener) => {
      onPause = listener;
    },
    workspaceFolders: async () => folders,
    openFile,
    openDocuments: () => descriptions.of(documents),
    selection: async () => selection,
    setSelection: async (path: string, range: Range) => {
      await link.call('set_selection', [absolute(path), wireRange(range)]);
    },
    writeText: async (path, text, { expected }) => {
      if (expected !== undefined) await checkRegularFile(absolute(path), maxFileBytes);
      await link.call('write_text', [absolute(path), text, expected ?? null], { timeoutMs: WRITE_TIMEOUT_MS });
    },
    save: async (path) => {
      await link.call('save', [absolute(path)]);
    },
    closeFile: async (path) => {
      await link.call('close_file', [absolute(path)]);
    },
    diagnostics: async (path) => {
      if (path === undefined) return [...diagnostics.values()];
      return [diagnostics.get(path) ?? { path, diagnostics: [] }];
    },
    format: async (path) => {
      return String(await link.call('format', [absolute(path)]));
    },
    definition: language.definition.bind(language),
    references: language.references.bind(language),
    hover: language.hover.bind(language),
    documentSymbols: language.documentSymbols.bind(language),
    workspaceSymbols: language.workspaceSymbols.bind(language),
    rename: language.rename.bind(language),
    codeActions: language.codeActions.bind(language),
    subscribe: (receive) => listeners.add(receive),
    sendFolders: () => send({ kind: 'workspace', folders }),
    showStatus: (status) => void link.call('status', [status]).catch(onProblem),
    showMessage: (level, text) => void link.call('message', [level, text]).catch(onProblem),
    close: async () => {
      link.close();
    },
  };
}
