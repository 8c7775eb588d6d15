import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { type Connection, ErrorCode, type Params, Peer, type Request, RpcError } from '@hawser/mcp';
import type { Range } from '../src/editor.ts';
import { PlacedText } from '../src/editors/placed-text.ts';

const uriOf = (path: string) => pathToFileURL(path).href;

export interface Action {
  readonly title: string;
  readonly command: string;
  readonly arguments: readonly unknown[];
}

export interface LspClientOptions {
  /** Merged over what this client can do. */
  readonly capabilities?: object;
  readonly initializationOptions?: object;
}

interface ClientText {
  text: string;
  version: number;
}

/** An LSP client without a screen: texts, edits, code actions and messages. */
export class LspClient {
  readonly peer: Peer;
  readonly texts = new Map<string, ClientText>();
  readonly received: { readonly method: string; readonly params: Params | undefined }[] = [];
  /** Answers requests before anything else does; undefined leaves them. */
  onRequest: (request: Request) => unknown = () => undefined;
  readonly closed: Promise<void>;
  #arrived: (() => void)[] = [];

  constructor(connection: Connection) {
    let ended = () => {};
    this.closed = new Promise((resolve) => {
      ended = resolve;
    });
    this.peer = new Peer(connection, {
      respond: (request) => {
        this.#record(request.method, request.params);
        return this.onRequest(request) ?? this.#answer(request.method, request.params as never);
      },
      receive: ({ method, params }) => this.#record(method, params),
      abandoned: (id) => this.peer.notify('$/cancelRequest', { id }),
      closed: () => ended(),
    });
    this.peer.start();
  }

  async initialize(folder: string, { capabilities, initializationOptions }: LspClientOptions = {}) {
    const answer = await this.peer.request('initialize', {
      processId: process.pid,
      clientInfo: { name: 'Client' },
      rootUri: uriOf(folder),
      workspaceFolders: [{ uri: uriOf(folder), name: 'work' }],
      capabilities: {
        workspace: { applyEdit: true, workspaceEdit: { documentChanges: true } },
        window: { showDocument: { support: true } },
        ...capabilities,
      },
      initializationOptions,
    });
    this.peer.notify('initialized', {});
    return answer as { readonly capabilities: Readonly<Record<string, unknown>> };
  }

  open(path: string): void {
    if (this.texts.has(path)) return;
    const text = { text: decode(readFileSync(path)), version: 1 };
    this.texts.set(path, text);
    const document = { uri: uriOf(path), languageId: path.endsWith('.ts') ? 'typescript' : 'plaintext', ...text };
    this.peer.notify('textDocument/didOpen', { textDocument: document });
  }

  type(path: string, text: string): void {
    const document = this.texts.get(path);
    if (document === undefined) throw new Error(`Not open: ${path}`);
    document.text = text;
    document.version += 1;
    const textDocument = { uri: uriOf(path), version: document.version };
    this.peer.notify('textDocument/didChange', { textDocument, contentChanges: [{ text }] });
  }

  save(path: string): void {
    mkdirSync(dirname(path), { recursive: true });
    writeFileSync(path, this.texts.get(path)?.text ?? '');
    this.peer.notify('textDocument/didSave', { textDocument: { uri: uriOf(path) } });
  }

  close(path: string): void {
    this.texts.delete(path);
    this.peer.notify('textDocument/didClose', { textDocument: { uri: uriOf(path) } });
  }

  async actions(path: string, range: Range, context: object = { diagnostics: [] }): Promise<readonly Action[]> {
    const params = { textDocument: { uri: uriOf(path) }, range, context };
    return (await this.peer.request('textDocument/codeAction', params)) as readonly Action[];
  }

  /** The user chooses the code action whose title contains the words. */
  async choose(path: string, range: Range, words: string): Promise<void> {
    const action = (await this.actions(path, range)).find(({ title }) => title.includes(words));
    if (action === undefined) throw new Error(`No code action ${words}`);
    const { command, arguments: list } = action;
    await this.peer.request('workspace/executeCommand', { command, arguments: list });
  }

  /** Resolves with the first message of this method that came, or comes. */
  async message(method: string, wanted: (params: Params | undefined) => boolean = () => true) {
    for (;;) {
      const found = this.received.find((each) => each.method === method && wanted(each.params));
      if (found !== undefined) return found.params as never;
      await new Promise<void>((resolve) => this.#arrived.push(resolve));
    }
  }

  #record(method: string, params: Params | undefined): void {
    this.received.push({ method, params });
    for (const resume of this.#arrived.splice(0)) resume();
  }

  #answer(method: string, params: never): unknown {
    if (method === 'window/showDocument') {
      this.open(fileURLToPath((params as { uri: string }).uri));
      return { success: true };
    }
    if (method === 'workspace/applyEdit') return this.#apply(params);
    throw new RpcError(ErrorCode.MethodNotFound, `Method not found: ${method}`);
  }

  #apply({ edit }: { edit: { documentChanges: { textDocument: ClientUri; edits: TextEdit[] }[] } }): unknown {
    for (const { textDocument, edits } of edit.documentChanges) {
      const path = fileURLToPath(textDocument.uri);
      const document = this.texts.get(path);
      if (document?.version !== textDocument.version) return { applied: false, failureReason: 'Another version' };
      this.type(path, new PlacedText(document.text).edited(edits));
    }
    return { applied: true };
  }
}

interface ClientUri {
  readonly uri: string;
  readonly version: number;
}
interface TextEdit {
  readonly range: Range;
  readonly newText: string;
}

function decode(bytes: Buffer): string {
  if (bytes[0] === 0xff && bytes[1] === 0xfe) return bytes.toString('utf16le').slice(1);
  const text = bytes.toString('utf8').replace(/^\ufeff/, '');
  return text.includes('\ufffd') ? bytes.toString('latin1') : text;
}
