import { realpath } from 'node:fs/promises';
import { isAbsolute } from 'node:path';
import {
  type Document,
  type EditorCapabilities,
  ErrorCode,
  type ParamsOf,
  PROTOCOL_VERSION,
  type ResultOf,
} from '@hawser/editor-protocol';
import { type Connection, RpcError, ErrorCode as WireErrorCode } from '@hawser/mcp';
import { messageOf } from '@hawser/unknown-values/thrown';
import {
  type Editor,
  type EditorEvent,
  type FileDiagnostics,
  type FileLocation,
  lastLineOf,
  type OpenDocument,
  type Range,
  type Selection,
} from '../../editor.ts';
import { checkRegularFile, MAX_FILE_BYTES } from '../../regular-file.ts';
import type { Reviewer } from '../../review/reviewer.ts';
import { RemoteReviewer } from '../../review/reviewers/remote/remote-reviewer.ts';
import { absolute } from '../absolute-path.ts';
import { FollowedFiles } from '../followed-files.ts';
import { diagnosticsIn, pathOf, uriOf } from '../language-answers.ts';
import { Listeners } from '../listeners.ts';
import { DocumentDescriptions, nameOf } from './document-descriptions.ts';
import { type EditorHandlers, EditorLink } from './editor-link.ts';
import { PrivateTexts } from './private-texts.ts';
import { remoteLanguage } from './remote-language.ts';

export interface RemoteEditorOptions {
  readonly connection: Connection;
  /** Where large texts for the editor are kept. */
  readonly stateFolder: string;
  readonly serverInfo: { readonly name: string; readonly version: string };
  /** The bridge ran before this editor came, and goes on without it. */
  readonly isShared: boolean;
  /** Its messages carry U+0000, which JSON does not bring to every editor. */
  readonly carriesNul?: boolean;
  /** A prompt can keep it from reading, so that it may take as long as its user to begin. */
  readonly waitsForPrompts?: boolean;
  /** The editor may have started in the root of the disk, which is not served as a workspace. */
  readonly mayHaveNoFolder?: boolean;
  /** How long the editor may take to answer. Default 10 seconds. */
  readonly answerMs?: number;
  /** Receives problems that no caller waits for. */
  readonly onProblem?: (problem: Error) => void;
  /** The editor has gone, or was closed. Called once, and only after the editor was accepted. */
  readonly onEnd?: () => void;
}

/** An editor that speaks the editor protocol, with what the bridge needs besides the contract. */
export interface RemoteEditor extends Editor {
  readonly processId: number | undefined;
  readonly capabilities: EditorCapabilities;
  /** The folders of `initialize`. They stay the same when the user goes elsewhere. */
  readonly firstFolders: readonly string[];
  /** The user shares nothing with agents. */
  readonly isPaused: boolean;
  /** Shows proposals; undefined if the editor can't. */
  readonly reviewer: Reviewer | undefined;
  /** Sets the listener that is called when the user pauses or resumes. */
  onPause(listener: (paused: boolean) => void): void;
  /** Sets what opens the review in the browser. What it rejects with is for the user. */
  onOpenPage(open: OpenPage): void;
  /** Sends nothing if the status is the one shown: in Emacs each message erases the echo of unfinished keys. */
  showStatus(status: ParamsOf<'bridge/status'>): void;
  showMessage(type: 'error' | 'warning' | 'info', message: string): void;
  /** For requests besides those of the contract: the hands of a user in tests. */
  readonly link: Pick<EditorLink, 'request'>;
}

export type OpenPage = (wish: ParamsOf<'review/openPage'>) => Promise<ResultOf<'review/openPage'>>;

/** How long an editor may take from its connection to `initialized`. */
const HANDSHAKE_MS = 30_000;
/** The user has just accepted the text, so the editor may take its time. */
const WRITE_MS = 60_000;
const MAX_DOCUMENTS = 10_000;
const MAX_SELECTED = 1024 * 1024;
const MESSAGE_TYPES = { error: 1, warning: 2, info: 3 } as const;

/** Waits for an editor to introduce itself. Rejects if it leaves before, or is not understood. */
export async function acceptEditor(options: RemoteEditorOptions): Promise<RemoteEditor> {
  const { serverInfo, isShared } = options;
  const onProblem = options.onProblem ?? (() => undefined);
  const listeners = new Listeners(onProblem);
  let hello: ParamsOf<'initialize'> | undefined;
  let folders: readonly string[] = [];
  let documents: readonly Document[] = [];
  let selection: Selection | undefined;
  const diagnostics = new Map<string, FileDiagnostics>();
  const descriptions = new DocumentDescriptions();
  let isPaused = false;
  let shownStatus: string | undefined;
  let onPause = (_paused: boolean): void => undefined;
  let openPage: OpenPage = async () => {
    throw new Error('This bridge does not serve a review page');
  };
  let reviewer: RemoteReviewer | undefined;
  let files: FollowedFiles | undefined;
  let isAccepted = false;
  let accepted = (): void => undefined;
  let refused = (_reason: Error): void => undefined;
  const handshake = new Promise<void>((resolve, reject) => {
    accepted = resolve;
    refused = reject;
  });

  const send = (event: EditorEvent) => {
    if (!link.hasEnded) listeners.emit(event);
  };
  const foldersIn = (list: ParamsOf<'editor/didChangeFolders'>['workspaceFolders']) =>
    list.map(({ uri }) => pathOf(uri)).filter((path) => path !== undefined);
  const handlers: EditorHandlers = {
    initialize: (given) => {
      if (hello !== undefined) throw new RpcError(-32600, 'initialize came twice');
      if (given.protocolVersion !== PROTOCOL_VERSION) {
        const message = `This hawser speaks version ${PROTOCOL_VERSION} of the editor protocol, not ${given.protocolVersion}`;
        throw new RpcError(ErrorCode.unsupportedVersion, message, { supported: [PROTOCOL_VERSION] });
      }
      for (const { uri } of given.workspaceFolders) checkUri(uri);
      folders = foldersIn(given.workspaceFolders);
      if (folders.length === 0 && options.mayHaveNoFolder !== true)
        throw new RpcError(-32602, 'workspaceFolders names no folder; send at least one');
      hello = given;
      link.name = given.clientInfo.name;
      return { protocolVersion: PROTOCOL_VERSION, serverInfo, isShared };
    },
    initialized: () => accepted(),
    shutdown: () => undefined,
    exit: () => void link.close('The editor has gone'),
    'editor/didChangeSelection': ({ uri, range, text = '' }) => {
      if (uri !== undefined) checkUri(uri);
      const path = uri === undefined ? undefined : nameOf(uri);
      selection = path === undefined || range === undefined ? undefined : cut({ path, range, text });
      send({ kind: 'selection', selection });
      if (hello?.capabilities.documents !== true) send({ kind: 'documents' });
    },
    'editor/didChangeDocuments': (given) => {
      documents = given.documents.slice(0, MAX_DOCUMENTS);
      followDocuments();
      send({ kind: 'documents' });
    },
    'editor/didChangeFolders': ({ workspaceFolders }) => {
      const next = foldersIn(workspaceFolders);
      if (next.length === 0 && options.mayHaveNoFolder !== true) return;
      folders = next;
      send({ kind: 'workspace', folders });
    },
    'editor/didSave': ({ uri }) => {
      const path = pathOf(uri);
      if (path !== undefined) send({ kind: 'saved', path });
    },
    'textDocument/publishDiagnostics': ({ uri, diagnostics: list }) => {
      const path = pathOf(uri);
      if (path === undefined) return;
      const found = diagnosticsIn(list);
      if (found.length === 0) diagnostics.delete(path);
      else if (diagnostics.size < MAX_DOCUMENTS || diagnostics.has(path))
        diagnostics.set(path, { path, diagnostics: found });
      send({ kind: 'diagnostics', paths: [path] });
    },
    'editor/mention': ({ uri, range }) => {
      checkUri(uri);
      const path = pathOf(uri);
      if (path === undefined) return;
      const lines = range && { first: range.start.line, last: lastLineOf(range) };
      send({ kind: 'mention', path, ...(lines && { lines }) });
    },
    'editor/pause': ({ paused }) => {
      isPaused = paused;
      onPause(paused);
    },
    'review/openPage': (wish) =>
      openPage(wish).catch((error: unknown) => {
        throw new RpcError(WireErrorCode.InternalError, messageOf(error));
      }),
    'proposal/decide': (params) => proposals().decide(params),
    'proposal/hunks': (params) => proposals().hunks(params),
  };
  const followDocuments = () =>
    files?.set(documents.map(({ uri }) => pathOf(uri)).filter((path) => path !== undefined));
  const proposals = () => {
    if (reviewer === undefined) throw new RpcError(ErrorCode.unknownProposal, 'This editor has no proposals');
    return reviewer;
  };
  const link = new EditorLink({
    connection: options.connection,
    handlers,
    onProblem,
    answerMs: options.answerMs,
    onEnd: (reason) => {
      files?.close();
      texts?.close();
      if (isAccepted) options.onEnd?.();
      else refused(reason);
    },
  });
  const late = setTimeout(() => {
    if (options.waitsForPrompts === true && hello !== undefined) return;
    refused(new Error(`The editor did not send initialize and initialized within ${HANDSHAKE_MS / 1000} seconds`));
    void link.close('No initialize came');
  }, HANDSHAKE_MS);
  let texts: PrivateTexts | undefined;
  link.start();
  await handshake.finally(() => clearTimeout(late));
  if (hello === undefined) {
    await link.close('initialized came before initialize');
    throw new Error('The editor sent initialized before initialize');
  }
  isAccepted = true;
  const { capabilities, clientInfo, processId } = hello;
  const privateTexts = new PrivateTexts(options.stateFolder, {
    maxBytes: capabilities.textFiles,
    carriesNul: options.carriesNul ?? false,
  });
  texts = privateTexts;
  if (capabilities.reload === true) {
    const report = async (paths: readonly string[]) => {
      const changes = paths.map((path) => ({ uri: uriOf(path), type: 2 }));
      link.notify('workspace/didChangeWatchedFiles', { changes });
      await options.connection.drained();
    };
    files = new FollowedFiles(report, onProblem);
    followDocuments();
  }
  if (capabilities.proposals !== undefined) {
    reviewer = new RemoteReviewer(clientInfo.name, {
      get hasEnded() {
        return link.hasEnded;
      },
      effects: capabilities.proposals.effects ?? ['edit'],
      showsRounds: capabilities.proposals.rounds === true,
      show: (method, proposal, signal) => link.request(method, proposal, { signal }),
      progress: (params) => link.notify('proposal/progress', params),
      close: (params) => link.notify('proposal/close', params),
      inform: (message) => link.notify('window/showMessage', { type: MESSAGE_TYPES.info, message }),
      uriOf,
      carry: () => privateTexts.carry(),
    });
  }

  /** What an editor without a list of documents has open. */
  const known = (): readonly Document[] => {
    if (capabilities.documents === true) return documents;
    return selection === undefined ? [] : [{ uri: uriOf(selection.path), isActive: true }];
  };
  const documentAt = (paths: readonly string[]) => known().find(({ uri }) => paths.includes(nameOf(uri) ?? ''));
  const checkOpen = async (path: string) => {
    if (capabilities.documents !== true || documentAt([path]) !== undefined) return;
    // By another name of the file, or in an editor that has not looked up its real one.
    const real = await realpath(path).catch(() => path);
    if ((await descriptions.of(known())).every((document) => document.path !== real))
      throw new Error(`Not open: ${path}`);
  };
  const show = async (path: string, takeFocus: boolean, range: Range | undefined) => {
    const params = { uri: uriOf(path), takeFocus, ...(range && { selection: range }) };
    const { success } = await link.request('window/showDocument', params);
    if (!success) throw new Error(`${clientInfo.name} can't show ${path}`);
  };
  const openFile = async ({ path, range, inBackground = false }: FileLocation) => {
    await checkRegularFile(absolute(path), MAX_FILE_BYTES);
    if (capabilities.showDocument !== true) throw new Error(`${clientInfo.name} can't open files: open ${path} there`);
    await show(path, !inBackground, range);
    const opened = documentAt([path, await realpath(path)]);
    if (opened === undefined && capabilities.documents === true) {
      throw new Error(`${clientInfo.name} did not open ${path}`);
    }
    const [described] = await new DocumentDescriptions().of([opened ?? { uri: uriOf(path), isActive: !inBackground }]);
    return described as OpenDocument;
  };
  const simple = (method: 'editor/save' | 'editor/close') => async (path: string) => {
    await link.request(method, { uri: uriOf(absolute(path)) });
  };

  return {
    name: clientInfo.name,
    processId,
    capabilities,
    firstFolders: foldersIn(hello.workspaceFolders),
    get isPaused() {
      return isPaused;
    },
    link,
    reviewer,
    onPause: (listener) => {
      onPause = listener;
    },
    onOpenPage: (open) => {
      openPage = open;
    },
    showStatus: (status) => {
      const text = JSON.stringify(status);
      if (text === shownStatus) return;
      shownStatus = text;
      link.notify('bridge/status', status);
    },
    showMessage: (type, message) => link.notify('window/showMessage', { type: MESSAGE_TYPES[type], message }),
    workspaceFolders: async () => folders,
    openFile,
    openDocuments: () => descriptions.of(known()),
    selection: async () => selection,
    ...(capabilities.showDocument === true && {
      setSelection: async (path: string, range: Range) => {
        await checkOpen(absolute(path));
        await show(path, true, range);
      },
    }),
    ...(capabilities.writeText === true && {
      writeText: async (path: string, text: string, { expected }: { readonly expected: string | undefined }) => {
        if (expected !== undefined) await checkRegularFile(absolute(path), MAX_FILE_BYTES);
        const carried = privateTexts.carry();
        try {
          const params = {
            uri: uriOf(absolute(path)),
            isNewFile: expected === undefined,
            ...carried.members('text', text),
            ...(expected !== undefined && carried.members('expected', expected)),
          };
          await link.request('editor/writeText', params, { timeoutMs: WRITE_MS });
        } finally {
          carried.remove();
        }
      },
    }),
    ...(capabilities.save === true && { save: simple('editor/save') }),
    ...(capabilities.close === true && { closeFile: simple('editor/close') }),
    ...(capabilities.format === true && {
      format: async (path: string) => (await link.request('editor/format', { uri: uriOf(absolute(path)) })).text,
    }),
    ...(capabilities.diagnostics === true && {
      diagnostics: async (path?: string) => {
        if (path === undefined) return [...diagnostics.values()];
        return [diagnostics.get(path) ?? { path, diagnostics: [] }];
      },
    }),
    ...remoteLanguage(link, capabilities.language ?? [], checkOpen),
    subscribe: (receive) => listeners.add(receive),
    close: () => link.close('The bridge has ended'),
  };
}

/** Plugins are easily written with paths. Other schemes than `file:` are fine: what they name is no file. */
function checkUri(uri: string): void {
  if (URL.canParse(uri)) return;
  const advice = isAbsolute(uri) ? `; send ${uriOf(uri)}` : '';
  throw new RpcError(WireErrorCode.InvalidParams, `${JSON.stringify(uri)} is not a URI${advice}`);
}

/** Editors cut long selections themselves; one that does not is cut here, its range with it. */
function cut({ path, range, text }: Selection): Selection {
  if (text.length <= MAX_SELECTED) return { path, range, text };
  const kept = text.slice(0, MAX_SELECTED);
  const lines = kept.split('\n');
  const { start } = range;
  const character = (lines.length === 1 ? start.character : 0) + (lines.at(-1)?.length ?? 0);
  return { path, range: { start, end: { line: start.line + lines.length - 1, character } }, text: kept };
}
