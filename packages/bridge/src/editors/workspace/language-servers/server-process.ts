import type { ChildProcessWithoutNullStreams } from 'node:child_process';
import { once } from 'node:events';
import { basename } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import {
  CancellationTokenSource,
  createProtocolConnection,
  ErrorCodes,
  type InitializeParams,
  type InitializeResult,
  type ProtocolConnection,
  type ServerCapabilities,
  StreamMessageWriter,
} from 'vscode-languageserver-protocol/node';
import { uriOf } from '../../language-answers.ts';
import { type Command, endGroup, spawnGroup } from '../run-command.ts';
import { CLIENT_CAPABILITIES } from './client-capabilities.ts';
import { LimitedMessageReader, READER_LIMITS, type ReaderLimits } from './message-reader.ts';
import { answerServer, type Registrations } from './server-requests.ts';

export interface ServerProcessOptions {
  readonly command: Command;
  readonly folder: string;
  readonly signal: AbortSignal;
  readonly limits?: ReaderLimits;
  /** How long it may take until it is initialized. Default 20 000. */
  readonly startMs?: number;
  onDiagnostics(params: unknown): void;
  /** It asks for its diagnostics to be pulled again. */
  onRefresh(): void;
  /** Work that it reports has begun or ended, or it has registered a method. */
  onActivity(): void;
  /** It has ended without being asked to. Called once, after a start that succeeded. */
  onEnd(problem: Error): void;
}

const START_MS = 20_000;
const SHUTDOWN_MS = 1000;
/** Messages that a server has not read. */
const MAX_UNREAD_BYTES = 64 * 1024 * 1024;
const MAX_STDERR_CHARACTERS = 2000;
const LAST_WORDS_MS = 200;

/** The members of the capabilities that announce methods. */
const PROVIDERS = {
  'textDocument/definition': 'definitionProvider',
  'textDocument/references': 'referencesProvider',
  'textDocument/hover': 'hoverProvider',
  'textDocument/documentSymbol': 'documentSymbolProvider',
  'workspace/symbol': 'workspaceSymbolProvider',
  'textDocument/rename': 'renameProvider',
  'textDocument/codeAction': 'codeActionProvider',
  'textDocument/formatting': 'documentFormattingProvider',
  'textDocument/diagnostic': 'diagnosticProvider',
} as const satisfies Record<string, keyof ServerCapabilities>;

/** A method that a server may or may not have. */
export type OfferedMethod = keyof typeof PROVIDERS;

/** A language server that runs. */
export class ServerProcess {
  readonly #options: ServerProcessOptions;
  readonly #child: ChildProcessWithoutNullStreams;
  readonly #connection: ProtocolConnection;
  readonly #registrations: Registrations = new Map();
  readonly #progress = new Set<string | number>();
  readonly #exited: Promise<void>;
  #stderr = '';
  #problem: Error | undefined;
  #hasStarted = false;
  #isClosing = false;
  #capabilities: ServerCapabilities = {};
  #version: string | undefined;

  /** Resolves when the server is initialized. Rejects, with the process ended, if it can't be used. */
  static async start(options: ServerProcessOptions): Promise<ServerProcess> {
    const server = new ServerProcess(options);
    try {
      await server.#initialize();
      return server;
    } catch (error) {
      const problem = server.#problem ?? error;
      await server.#end();
      throw problem;
    }
  }

  private constructor(options: ServerProcessOptions) {
    this.#options = options;
    const { command, folder } = options;
    this.#child = spawnGroup(command, folder);
    const { stdin, stdout, stderr } = this.#child;
    this.#exited = new Promise((resolve) => {
      this.#child.once('error', (error) => {
        this.#fail(new Error(`It can't be started in ${folder}: ${error.message}`, { cause: error }));
        resolve();
      });
      this.#child.once('exit', async (code, signal) => {
        // Wait for the rest of stderr, but not for long: another process may hold it open.
        await Promise.race([once(stderr, 'close'), delay(LAST_WORDS_MS, undefined, { ref: false })]);
        const said = this.#stderr.trim() === '' ? '' : `: ${this.#stderr.trim()}`;
        this.#fail(new Error(`It ended with ${signal ?? `exit code ${code}`}${said}`));
        resolve();
      });
    });
    stderr.setEncoding('utf8').on('data', (text: string) => {
      this.#stderr = `${this.#stderr}${text}`.slice(-MAX_STDERR_CHARACTERS);
    });
    // A server that has ended reads nothing; its exit is what is reported.
    stdin.on('error', () => undefined);
    const reader = new LimitedMessageReader(stdout, options.limits ?? READER_LIMITS);
    reader.onError((error) => this.#fail(error));
    this.#connection = createProtocolConnection(reader, new StreamMessageWriter(stdin));
    this.#connection.onError(() => undefined);
    this.#connection.onUnhandledNotification(() => undefined);
    this.#connection.onNotification('textDocument/publishDiagnostics', (params: unknown) =>
      options.onDiagnostics(params),
    );
    this.#connection.onNotification('$/progress', (params: unknown) => this.#noteProgress(params));
    answerServer(this.#connection, {
      folder,
      registrations: this.#registrations,
      onRefresh: () => options.onRefresh(),
      onRegistered: () => options.onActivity(),
    });
    this.#connection.listen();
  }

  get version(): string | undefined {
    return this.#version;
  }

  get capabilities(): ServerCapabilities {
    return this.#capabilities;
  }

  /** It reports that it works, for example reads the project. */
  get isBusy(): boolean {
    return this.#progress.size > 0;
  }

  offers(method: OfferedMethod): boolean {
    const announced = this.#capabilities[PROVIDERS[method]];
    if (announced !== undefined && announced !== null && announced !== false) return true;
    return [...this.#registrations.values()].includes(method);
  }

  /** Rejects with the signal's reason, and tells the server, when the signal aborts. */
  request(method: string, params: object, signal: AbortSignal): Promise<unknown> {
    if (signal.aborted) return Promise.reject(signal.reason);
    if (this.#problem !== undefined) return Promise.reject(this.#problem);
    const cancellation = new CancellationTokenSource();
    return new Promise((resolve, reject) => {
      const stop = () => {
        cancellation.cancel();
        reject(signal.reason);
      };
      signal.addEventListener('abort', stop, { once: true });
      this.#connection
        .sendRequest<unknown>(method, params, cancellation.token)
        .then(resolve, async (error: unknown) => {
          // A server that has ended is noticed first by what can't be written; why it ended follows.
          if (isWriteError(error))
            await Promise.race([this.#exited, delay(2 * LAST_WORDS_MS, undefined, { ref: false })]);
          reject(this.#problem ?? error);
        })
        .finally(() => signal.removeEventListener('abort', stop));
    });
  }

  notify(method: string, params: object): void {
    if (this.#problem !== undefined || this.#isClosing) return;
    if (this.#child.stdin.writableLength > MAX_UNREAD_BYTES) {
      this.#fail(new Error(`It has left more than ${MAX_UNREAD_BYTES} bytes unread`));
      return;
    }
    this.#connection.sendNotification(method, params).catch(() => undefined);
  }

  /** Asks the server to end, and ends it with all it started if it does not. Safe to call twice. */
  async close(): Promise<void> {
    if (!this.#isClosing && this.#problem === undefined) {
      this.#isClosing = true;
      const patience = AbortSignal.timeout(SHUTDOWN_MS);
      await this.request('shutdown', {}, patience).catch(() => undefined);
      this.#connection.sendNotification('exit').catch(() => undefined);
      await new Promise<void>((resolve) => {
        patience.addEventListener('abort', () => resolve(), { once: true });
        void this.#exited.then(resolve);
        if (patience.aborted) resolve();
      });
    }
    await this.#end();
  }

  async #initialize(): Promise<void> {
    const { folder, signal, startMs = START_MS } = this.#options;
    const uri = uriOf(folder);
    const params: InitializeParams = {
      processId: process.pid,
      clientInfo: { name: 'Hawser' },
      rootUri: uri,
      rootPath: folder,
      workspaceFolders: [{ uri, name: basename(folder) }],
      capabilities: CLIENT_CAPABILITIES,
    };
    const late = new AbortController();
    const timer = setTimeout(
      () => late.abort(new Error(`It did not answer within ${startMs / 1000} seconds of its start`)),
      startMs,
    );
    try {
      const patience = AbortSignal.any([signal, late.signal]);
      const failed = this.#exited.then(() => Promise.reject(this.#problem));
      failed.catch(() => undefined);
      const result = await Promise.race([this.request('initialize', params, patience), failed]);
      const { capabilities, serverInfo } = (result ?? {}) as Partial<InitializeResult>;
      if (typeof capabilities !== 'object' || capabilities === null) throw new Error('It announced no capabilities');
      const { positionEncoding = 'utf-16' } = capabilities;
      if (positionEncoding !== 'utf-16') throw new Error(`It counts columns in ${positionEncoding}, not in utf-16`);
      this.#capabilities = capabilities;
      this.#version = versionIn(serverInfo?.version);
    } finally {
      clearTimeout(timer);
    }
    if (this.#problem !== undefined) throw this.#problem;
    this.#hasStarted = true;
    this.notify('initialized', {});
  }

  #noteProgress(params: unknown): void {
    const { token, value } = (params ?? {}) as { token?: unknown; value?: { readonly kind?: unknown } };
    if (typeof token !== 'string' && typeof token !== 'number') return;
    if (value?.kind === 'begin' && this.#progress.size < 1000) this.#progress.add(token);
    else if (value?.kind === 'end') this.#progress.delete(token);
    else return;
    this.#options.onActivity();
  }

  /** The first problem is the one that is reported. */
  #fail(problem: Error): void {
    if (this.#problem !== undefined) return;
    this.#problem = problem;
    this.#connection?.dispose();
    endGroup(this.#child);
    if (this.#hasStarted && !this.#isClosing) this.#options.onEnd(problem);
  }

  async #end(): Promise<void> {
    this.#isClosing = true;
    endGroup(this.#child);
    await this.#exited;
  }
}

function isWriteError(error: unknown): boolean {
  return (error as { readonly code?: unknown }).code === ErrorCodes.MessageWriteError;
}

/** Some servers say more than their version, for example `Debian clangd version 14.0.6 linux`, or JSON. */
function versionIn(text: unknown): string | undefined {
  if (typeof text !== 'string' || text.startsWith('{')) return undefined;
  return /\d+(?:\.\d+)+[\w.+-]*/.exec(text)?.[0].slice(0, 40);
}
