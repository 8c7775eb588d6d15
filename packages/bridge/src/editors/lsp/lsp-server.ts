import { basename } from 'node:path';
import { messages, type ParamsOf, PROTOCOL_VERSION } from '@hawser/editor-protocol';
import {
  type Connection,
  DEFAULT_LIMITS,
  ErrorCode,
  type Notification,
  Peer,
  type PeerHandlers,
  type Request,
  RpcError,
} from '@hawser/mcp';
import { isObject, type Members, objectOrEmpty } from '@hawser/unknown-values/objects';
import { messageOf } from '@hawser/unknown-values/thrown';
import type { Range } from '../../editor.ts';
import type { TemporaryFiles } from '../../temporary-files.ts';
import { REQUEST_LIMITS } from '../editor-limits.ts';
import { rangeIn, uriOf } from '../language-answers.ts';
import { AcceptedTexts } from './accepted-texts.ts';
import { COMMANDS, CodeActions } from './code-actions.ts';
import { type LspClient, readClient } from './lsp-client.ts';
import { OpenTexts, realPathOf } from './open-texts.ts';
import { ProposalActions } from './proposal-actions.ts';

export interface LspServerOptions {
  /** To the LSP client. */
  readonly connection: Connection;
  /** Connects to the bridge that serves a folder, or starts it. */
  readonly connectBridge: (folder: string) => Promise<Connection>;
  /** The workspace of a client that names none. */
  readonly folder: string;
  readonly stateFolder: string;
  readonly temporaryFiles: TemporaryFiles;
  readonly serverInfo: { readonly name: string; readonly version: string };
  readonly onProblem: (problem: Error) => void;
  /** The client or the bridge has gone. Called once. */
  readonly onEnd: () => void;
}

const NOT_INITIALIZED = -32002;
const MESSAGE_TYPES = { error: 1, warning: 2, info: 3 } as const;
/** How long a client may take to show a document, and then to say that it is open. */
const SHOW_MS = 8000;
const OPEN_MS = 1000;
const LIMITS = { ...DEFAULT_LIMITS, ...REQUEST_LIMITS };

/**
 * An ordinary language server in front of a bridge: to the client it speaks LSP, to the bridge it is an editor that speaks
 * the editor protocol. LSP tells a server which documents are open and what is in them, and the selection only with a
 * request for code actions.
 */
export class LspServer {
  readonly #options: LspServerOptions;
  readonly #client: Peer;
  readonly #texts = new OpenTexts(() => this.#sendState());
  #bridge: Peer | undefined;
  #about: LspClient | undefined;
  #folders: readonly string[] = [];
  #accepted: AcceptedTexts | undefined;
  #proposals: ProposalActions | undefined;
  #actions: CodeActions | undefined;
  /** Shown at the request of an agent, by path, with whether the user looks there now. */
  readonly #showing = new Map<string, 'active' | 'background'>();
  /** A file that the client has shown without telling this server, which may serve other languages only. */
  #shownElsewhere: string | undefined;
  #isShutDown = false;
  #hasEnded = false;

  constructor(options: LspServerOptions) {
    this.#options = options;
    this.#client = new Peer(options.connection, this.#handlers('client'), LIMITS);
  }

  start(): void {
    this.#client.start();
  }

  /** Safe to call twice. */
  async close(reason: string): Promise<void> {
    if (this.#hasEnded) return;
    this.#hasEnded = true;
    this.#proposals?.closeAll();
    await Promise.all([this.#client.close(reason), this.#bridge?.close(reason)]);
    this.#options.onEnd();
  }

  #handlers(side: 'client' | 'bridge'): PeerHandlers {
    const isClient = side === 'client';
    const peer = () => (isClient ? this.#client : this.#bridge);
    return {
      respond: (request) => (isClient ? this.#answerClient(request) : this.#answerBridge(request)),
      // What is thrown here is a sentence for the user.
      errorOf: (thrown) => ({
        code: thrown instanceof RpcError ? thrown.code : ErrorCode.InternalError,
        message: messageOf(thrown),
      }),
      receive: (notification) => {
        try {
          if (isClient) this.#hearClient(notification);
          else this.#hearBridge(notification);
        } catch (error) {
          this.#options.onProblem(new Error(`A bad ${notification.method}: ${messageOf(error)}`));
        }
      },
      abandoned: (id) => peer()?.notify('$/cancelRequest', { id }),
      errorWithoutId: ({ message }) => this.#options.onProblem(new Error(`A message was not understood: ${message}`)),
      failed: this.#options.onProblem,
      batchRefusal: () => 'Invalid request: there are no batches in this protocol',
      closed: () => void this.close(isClient ? 'The client has gone' : 'The bridge has ended'),
    };
  }

  #answerClient({ method, params: given }: Request): unknown {
    const params = objectOrEmpty(given);
    if (method === 'initialize') return this.#initialize(params);
    if (this.#about === undefined) throw new RpcError(NOT_INITIALIZED, `${method} came before initialize`);
    if (this.#isShutDown) throw new RpcError(ErrorCode.InvalidRequest, `${method} came after shutdown`);
    switch (method) {
      case 'shutdown':
        this.#isShutDown = true;
        return null;
      case 'textDocument/codeAction':
        this.#select(params, rangeIn(params.range));
        return this.#actions?.list(params) ?? [];
      case 'textDocument/documentHighlight':
        this.#select(params, cursorIn(params));
        return null;
      case 'workspace/executeCommand':
        return this.#execute(params);
      default:
        throw new RpcError(ErrorCode.MethodNotFound, `Method not found: ${method}`);
    }
  }

  #hearClient({ method, params }: Notification): void {
    if (method === 'exit') {
      void this.close('The client has gone');
      return;
    }
    if (this.#about === undefined || this.#isShutDown || !Object.hasOwn(this.#heard, method)) return;
    this.#heard[method]?.(objectOrEmpty(params));
  }

  readonly #heard: Readonly<Record<string, (params: Members) => void>> = {
    initialized: () => {
      void this.#connect().catch((error: unknown) => {
        this.#say('error', `Hawser: ${messageOf(error)}`);
        void this.close('No bridge');
      });
    },
    'textDocument/didOpen': ({ textDocument }) => {
      const { uri, text, version, languageId } = objectOrEmpty(textDocument);
      if (typeof uri !== 'string' || typeof text !== 'string') throw new Error('no uri or text');
      const path = realPathOf(uri);
      const how = (path === undefined ? undefined : this.#showing.get(path)) ?? 'active';
      if (path === this.#shownElsewhere) this.#shownElsewhere = undefined;
      const document = { uri, text, version: versionIn(version), languageId: textIn(languageId) };
      if (!this.#texts.open(document, how)) throw new Error(`too many texts are open for ${uri}`);
    },
    'textDocument/didChange': ({ textDocument, contentChanges }) => {
      const { uri, version } = objectOrEmpty(textDocument);
      const { text, range } = objectOrEmpty(Array.isArray(contentChanges) ? contentChanges.at(-1) : undefined);
      // Ranges were not asked for: a client that sends them anyway is not understood, rather than misunderstood.
      if (typeof uri !== 'string' || typeof text !== 'string' || isObject(range)) throw new Error('no whole text');
      this.#texts.change(uri, versionIn(version), text, this.#accepted?.expectedOf(this.#texts.get(uri)));
    },
    'textDocument/didSave': ({ textDocument }) => {
      const saved = this.#texts.saved(String(objectOrEmpty(textDocument).uri));
      if (saved?.path !== undefined) this.#bridge?.notify('editor/didSave', { uri: uriOf(saved.path) });
    },
    'textDocument/didClose': ({ textDocument }) => this.#texts.close(String(objectOrEmpty(textDocument).uri)),
    'workspace/didChangeWorkspaceFolders': ({ event }) => this.#changeFolders(objectOrEmpty(event)),
  };

  #initialize(params: Members): unknown {
    if (this.#about !== undefined) throw new RpcError(ErrorCode.InvalidRequest, 'initialize came twice');
    const about = readClient(params);
    this.#about = about;
    this.#folders = about.folders.length === 0 ? [this.#options.folder] : about.folders;
    const { stateFolder, temporaryFiles, serverInfo } = this.#options;
    const [client, texts] = [this.#client, this.#texts];
    this.#accepted = new AcceptedTexts({ client, texts, temporaryFiles, edits: about.edits });
    const proposals = new ProposalActions({
      client,
      decide: async (decision) => await this.#bridge?.request('proposal/decide', decision),
      announce: about.asksAboutProposals ? 'ask' : 'message',
      showsDocuments: about.showsDocuments,
      stateFolder,
      say: (type, message) => this.#say(type, message),
    });
    this.#proposals = proposals;
    this.#actions = new CodeActions(proposals, (mention) => this.#bridge?.notify('editor/mention', mention));
    return {
      serverInfo,
      capabilities: {
        textDocumentSync: { openClose: true, change: 1, save: { includeText: false } },
        codeActionProvider: true,
        executeCommandProvider: { commands: COMMANDS },
        workspace: { workspaceFolders: { supported: true, changeNotifications: true } },
        ...(about.followsCursor && { documentHighlightProvider: true }),
      },
    };
  }

  async #connect(): Promise<void> {
    const [folder = this.#options.folder] = this.#folders;
    const connection = await this.#options.connectBridge(folder);
    if (this.#hasEnded) return await connection.close('The client has gone');
    const bridge = new Peer(connection, this.#handlers('bridge'), LIMITS);
    bridge.start();
    const { name, processId, showsDocuments } = this.#about as LspClient; // `initialized` follows `initialize`
    await bridge.request('initialize', {
      protocolVersion: PROTOCOL_VERSION,
      clientInfo: { name },
      ...(processId !== undefined && { processId }),
      workspaceFolders: this.#workspaceFolders(),
      capabilities: {
        documents: true,
        writeText: true,
        showDocument: showsDocuments,
        proposals: { effects: ['edit', 'delete', 'command', 'noticed', 'noticedDelete'] },
      },
    });
    if (this.#hasEnded) return await bridge.close('The client has gone');
    bridge.notify('initialized', {});
    this.#bridge = bridge;
    this.#sendState();
  }

  #workspaceFolders() {
    return this.#folders.map((path) => ({ uri: uriOf(path), name: basename(path) }));
  }

  #sendState(): void {
    const { documents, selection } = this.#texts.state();
    const elsewhere = this.#shownElsewhere;
    const list = elsewhere === undefined ? [] : [{ uri: uriOf(elsewhere) }];
    this.#bridge?.notify('editor/didChangeDocuments', { documents: [...documents.documents, ...list] });
    this.#bridge?.notify('editor/didChangeSelection', selection);
  }

  #changeFolders({ added, removed }: Members): void {
    const [gone, come] = [removed, added].map((list) =>
      (Array.isArray(list) ? list : []).flatMap((each) => realPathOf(objectOrEmpty(each).uri) ?? []),
    );
    const left = this.#folders.filter((folder) => gone?.includes(folder) !== true);
    this.#folders = [...new Set([...left, ...(come ?? [])])];
    this.#bridge?.notify('editor/didChangeFolders', { workspaceFolders: this.#workspaceFolders() });
  }

  /** Clients ask for code actions where the cursor is, or for what is selected. */
  #select(params: Members, range: Range | undefined): void {
    const document = this.#texts.get(objectOrEmpty(params.textDocument).uri);
    if (document === undefined || range === undefined) return;
    this.#shownElsewhere = undefined;
    this.#texts.select(document, range);
  }

  async #execute(params: Members): Promise<null> {
    if (this.#bridge === undefined) throw new RpcError(ErrorCode.InternalError, 'Hawser is still starting');
    await this.#actions?.execute(params);
    return null;
  }

  #answerBridge({ method, params }: Request): unknown {
    switch (method) {
      case 'window/showDocument':
        return this.#showDocument(messages[method].params.read(params, 'params'));
      case 'editor/writeText':
        return this.#writeText(messages[method].params.read(params, 'params'));
      case 'proposal/show':
      case 'proposal/update':
        return this.#proposals?.show(messages[method].params.read(params, 'params'));
      default:
        throw new RpcError(ErrorCode.MethodNotFound, `Method not found: ${method}`);
    }
  }

  #hearBridge({ method, params }: Notification): void {
    if (method === 'window/showMessage') this.#client.notify(method, params);
    if (method === 'proposal/progress') this.#proposals?.progress(messages[method].params.read(params, 'params'));
    if (method === 'proposal/close') this.#proposals?.close(messages[method].params.read(params, 'params').id);
  }

  async #showDocument({ uri, takeFocus, selection }: ParamsOf<'window/showDocument'>): Promise<unknown> {
    const path = realPathOf(uri);
    if (path === undefined) throw new Error(`Not a file: ${uri}`);
    this.#showing.set(path, takeFocus ? 'active' : 'background');
    try {
      const known = this.#texts.at(path)?.uri ?? uriOf(path);
      const answer = await this.#client.request(
        'window/showDocument',
        { uri: known, takeFocus, ...(selection && { selection }) },
        { timeout: SHOW_MS },
      );
      if (!isObject(answer) || answer.success !== true) return { success: false };
      const isOpen = await this.#texts.until(() => this.#texts.at(path) !== undefined, OPEN_MS);
      const document = this.#texts.at(path);
      await document?.compared;
      if (!isOpen || document === undefined) {
        this.#shownElsewhere = path;
        this.#sendState();
      } else if (takeFocus || selection !== undefined) this.#texts.select(document, selection);
      return { success: true };
    } finally {
      this.#showing.delete(path);
    }
  }

  async #writeText(params: ParamsOf<'editor/writeText'>): Promise<null> {
    const path = await (this.#accepted as AcceptedTexts).write(params); // the bridge asks after `initialize`
    this.#bridge?.notify('editor/didSave', { uri: uriOf(path) });
    return null;
  }

  #say(type: 'error' | 'warning' | 'info', message: string): void {
    this.#client.notify('window/showMessage', { type: MESSAGE_TYPES[type], message });
  }
}

function cursorIn({ position }: Members): Range | undefined {
  return rangeIn({ start: position, end: position });
}

function versionIn(value: unknown): number {
  return Number.isInteger(value) ? Number(value) : 0;
}

function textIn(value: unknown): string | undefined {
  return typeof value === 'string' && value !== '' ? value : undefined;
}
