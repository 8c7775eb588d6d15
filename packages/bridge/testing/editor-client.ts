import { fileURLToPath, pathToFileURL } from 'node:url';
import { type EditorCapabilities, messages, type WireProposal } from '@hawser/editor-protocol';
import { type Connection, ErrorCode, type Params, Peer, type Request, RpcError } from '@hawser/mcp';
import type { Diagnostic, Editor, Range } from '../src/editor.ts';
import { type FileEdits, type LanguageFeatures, SYMBOL_KINDS } from '../src/language-features.ts';

const uriOf = (path: string) => pathToFileURL(path).href;

/** The client's end of the editor protocol: any editor on it, or none. */
export class EditorClient {
  readonly peer: Peer;
  /** Open proposals by id. */
  readonly proposals = new Map<string, WireProposal>();
  /** What came, in order. */
  readonly received: { readonly method: string; readonly params: Params | undefined }[] = [];
  /** Answers requests before anything else does; undefined leaves them. */
  onRequest: (request: Request) => unknown = () => undefined;
  #arrived: (() => void)[] = [];
  readonly #editor: Editor | undefined;

  constructor(connection: Connection, editor?: Editor) {
    this.#editor = editor;
    this.peer = new Peer(connection, {
      respond: (request) => {
        this.#record(request.method, request.params);
        return this.onRequest(request) ?? this.#answer(request.method, request.params as never);
      },
      receive: ({ method, params }) => {
        this.#record(method, params);
        const { id } = (params ?? {}) as { id?: string };
        if (method === 'proposal/close') this.proposals.delete(id ?? '');
      },
      abandoned: (id) => this.peer.notify('$/cancelRequest', { id }),
      closed: () => {},
    });
    this.peer.start();
  }

  async initialize(folder: string, capabilities: EditorCapabilities): Promise<unknown> {
    const answer = await this.peer.request('initialize', {
      protocolVersion: 1,
      processId: process.pid,
      clientInfo: { name: 'Client' },
      workspaceFolders: [{ uri: uriOf(folder) }],
      capabilities,
    });
    this.peer.notify('initialized', {});
    return answer;
  }

  /** Resolves with the first message of this method that came, or comes. */
  async message(method: string, wanted: (params: Params | undefined) => boolean = () => true) {
    for (;;) {
      const found = this.received.find((each) => each.method === method && wanted(each.params));
      if (found !== undefined) return found.params as never;
      await new Promise<void>((resolve) => this.#arrived.push(resolve));
    }
  }

  /** Sends what happens in the editor, its state now first. Resolves when that is sent. */
  async follow(): Promise<void> {
    const editor = this.#editor;
    if (editor === undefined) return;
    editor.subscribe((event) => {
      if (event.kind === 'selection' || event.kind === 'documents') void this.sendState();
      if (event.kind === 'saved') this.peer.notify('editor/didSave', { uri: uriOf(event.path) });
      if (event.kind === 'diagnostics') void this.#sendDiagnostics(event.paths);
      if (event.kind === 'workspace') {
        const workspaceFolders = event.folders.map((path) => ({ uri: uriOf(path) }));
        this.peer.notify('editor/didChangeFolders', { workspaceFolders });
      }
      if (event.kind === 'mention') {
        const { path, lines } = event;
        const range = lines && { start: { line: lines.first, character: 0 }, end: { line: lines.last, character: 1 } };
        this.peer.notify('editor/mention', { uri: uriOf(path), ...(range && { range }) });
      }
    });
    await this.sendState();
  }

  async sendState(): Promise<void> {
    const [documents, selection] = await Promise.all([this.#editor?.openDocuments(), this.#editor?.selection()]);
    const list = (documents ?? []).map(({ path, ...rest }) => ({ uri: uriOf(path), ...rest }));
    this.peer.notify('editor/didChangeDocuments', { documents: list });
    const { path, range, text } = selection ?? {};
    this.peer.notify(
      'editor/didChangeSelection',
      path === undefined ? { uri: null } : { uri: uriOf(path), range, text },
    );
  }

  async #sendDiagnostics(paths: readonly string[]): Promise<void> {
    for (const path of paths) {
      const [file] = (await this.#editor?.diagnostics?.(path)) ?? [];
      const diagnostics = (file?.diagnostics ?? []).map(wireDiagnostic);
      this.peer.notify('textDocument/publishDiagnostics', { uri: uriOf(path), diagnostics });
    }
  }

  #record(method: string, params: Params | undefined): void {
    this.received.push({ method, params });
    for (const resume of this.#arrived.splice(0)) resume();
  }

  async #answer(method: string, params: never): Promise<unknown> {
    if (method === 'proposal/show' || method === 'proposal/update') {
      const proposal = messages[method].params.read(params, 'params');
      this.proposals.set(proposal.id, proposal);
      return { state: 'shown' };
    }
    if (this.#editor === undefined) throw new RpcError(ErrorCode.MethodNotFound, `Method not found: ${method}`);
    const answer = await answerWith(this.#editor, method, params);
    await this.sendState();
    return answer;
  }
}

/** What the editor answers, in the words of the protocol. */
async function answerWith(editor: Editor, method: string, given: never): Promise<unknown> {
  const params = given as {
    uri: string;
    takeFocus: boolean;
    selection?: Range;
    text: string;
    isNewFile: boolean;
    expected?: string;
    textDocument: { uri: string };
    position: Range['start'];
    newName: string;
    query: string;
    range: Range;
    context: { only?: readonly string[] };
  };
  const path = fileURLToPath(params.uri ?? params.textDocument?.uri ?? 'file:///');
  const at = { path, position: params.position };
  const language = editor as Required<LanguageFeatures>;
  switch (method) {
    case 'window/showDocument': {
      const range = params.selection && { range: params.selection };
      await editor.openFile({ path, inBackground: !params.takeFocus, ...range });
      return { success: true };
    }
    case 'editor/save':
      return (await editor.save?.(path)) ?? null;
    case 'editor/close':
      return (await editor.closeFile?.(path)) ?? null;
    case 'editor/format':
      return { text: await editor.format?.(path) };
    case 'editor/writeText':
      await editor.writeText?.(path, params.text, { expected: params.isNewFile ? undefined : params.expected });
      return null;
    case 'textDocument/definition':
      return (await language.definition(at)).map(wireLocation);
    case 'textDocument/references':
      return (await language.references(at)).map(wireLocation);
    case 'textDocument/hover': {
      const hover = await language.hover(at);
      return hover === undefined ? null : { contents: { kind: 'markdown', value: hover.text }, range: hover.range };
    }
    case 'textDocument/documentSymbol':
      return (await language.documentSymbols(path)).map(wireSymbol);
    case 'workspace/symbol':
      return (await language.workspaceSymbols(params.query)).map(({ location, kind, ...rest }) => ({
        ...rest,
        kind: SYMBOL_KINDS.indexOf(kind) + 1,
        location: wireLocation(location),
      }));
    case 'textDocument/rename':
      return { changes: wireChanges(await language.rename(at, params.newName)) };
    case 'textDocument/codeAction': {
      const { only } = params.context;
      const actions = await language.codeActions(path, params.range, only === undefined ? {} : { kinds: only });
      return actions.map(({ edits, ...rest }) => ({ ...rest, edit: { changes: wireChanges(edits) } }));
    }
    default:
      throw new RpcError(ErrorCode.MethodNotFound, `Method not found: ${method}`);
  }
}

const wireLocation = ({ path, range }: { readonly path: string; readonly range: Range }) => ({
  uri: uriOf(path),
  range,
});
const wireChanges = (files: readonly FileEdits[]) =>
  Object.fromEntries(files.map(({ path, edits }) => [uriOf(path), edits]));
const wireDiagnostic = ({ severity, ...rest }: Diagnostic) => ({
  ...rest,
  severity: ['error', 'warning', 'info', 'hint'].indexOf(severity) + 1,
});

function wireSymbol(symbol: Awaited<ReturnType<Required<LanguageFeatures>['documentSymbols']>>[number]): object {
  const { kind, children, ...rest } = symbol;
  return { ...rest, kind: SYMBOL_KINDS.indexOf(kind) + 1, children: children.map(wireSymbol) };
}
