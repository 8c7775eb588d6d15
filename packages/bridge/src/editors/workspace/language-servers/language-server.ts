import { asError } from '@hawser/unknown-values/thrown';
import type { Diagnostic, LanguageProgram, Position, Range } from '../../../editor.ts';
import { SEVERITIES, uriOf } from '../../language-answers.ts';
import type { CheckedFile, DiagnosticsSource, SourceText } from './diagnostics-source.ts';
import type { DiskChange } from './disk-changes.ts';
import type { FoundProgram } from './find-programs.ts';
import type { ReaderLimits } from './message-reader.ts';
import type { ServerRow } from './program-table.ts';
import { ServerDiagnostics } from './server-diagnostics.ts';
import type { OfferedMethod, ServerProcess } from './server-process.ts';
import { type SyncedDocument, SyncedDocuments } from './synced-documents.ts';

export interface LanguageServerOptions {
  readonly program: FoundProgram & { readonly row: ServerRow };
  /** The diagnostics of these files have changed. */
  readonly onChange: (paths: readonly string[]) => void;
  /** It has ended, or can't be started. */
  readonly onProblem: (problem: Error) => void;
  /** It wants its diagnostics to be asked for again. */
  readonly onRefresh: () => void;
  /** Why it may not be started now, if it may not. */
  readonly refuseStart: () => string | undefined;
  readonly limits?: ReaderLimits;
  readonly startMs?: number;
}

/** A server that publishes diagnostics on its own has finished when it has been silent for this long. */
const QUIET_MS = 150;
/** One that has said nothing about a text for this long, and reports no work, is not waited for. */
const SILENT_MS = 4000;
/** The same for one that has never published anything: it may still read the project. */
const SILENT_AT_FIRST_MS = 15_000;
/** A server that ended more often than this within `CRASH_WINDOW_MS` is not started again before that has passed. */
const MAX_CRASHES = 3;
const CRASH_WINDOW_MS = 3 * 60_000;
const MAX_PULLS = 10;
const REGISTER_MS = 1000;

/** A language server: started by the first request, and again by the next one after it has ended. */
export class LanguageServer implements DiagnosticsSource {
  readonly #options: LanguageServerOptions;
  readonly #closing = new AbortController();
  readonly #diagnostics: ServerDiagnostics;
  readonly #waiting = new Set<() => void>();
  /** Documents about which the server says nothing. */
  readonly #unanswered = new WeakSet<SyncedDocument>();
  #documents = new SyncedDocuments(() => {});
  #starting: Promise<ServerProcess> | undefined;
  #process: ServerProcess | undefined;
  #crashes: number[] = [];
  #problem: Error | undefined;
  #version: string | undefined;
  #lastEventAt = 0;
  #startedAt = 0;

  constructor(options: LanguageServerOptions) {
    this.#options = options;
    this.#version = options.program.version;
    this.#diagnostics = new ServerDiagnostics(options.onChange);
  }

  get row(): ServerRow {
    return this.#options.program.row;
  }

  get known(): ReadonlyMap<string, readonly Diagnostic[]> {
    return this.#diagnostics.known;
  }

  get isStarted(): boolean {
    return this.#starting !== undefined;
  }

  /** It has no document open, so it may not have looked at the project. */
  get isIdle(): boolean {
    return this.#documents.isEmpty;
  }

  status(): LanguageProgram {
    const { row, path, folder } = this.#options.program;
    const isRunning = this.#process !== undefined;
    const state = isRunning ? 'running' : this.isStarted ? 'starting' : this.#problem ? 'failed' : 'not started';
    return {
      name: row.command.filter((word) => word !== '--stdio').join(' '),
      version: this.#version,
      kind: 'server',
      path,
      folder,
      languages: row.languages,
      state,
      ...(state === 'failed' && { problem: this.#problem?.message ?? '' }),
    };
  }

  /** Gives the server the current texts, then asks it. Rejects if it does not offer the method. */
  async request(
    method: OfferedMethod,
    ask: { readonly texts: readonly SourceText[]; readonly params: object },
    signal: AbortSignal,
  ): Promise<unknown> {
    const server = await this.#running(signal);
    for (const text of ask.texts) this.#documents.sync(text);
    while (!server.offers(method)) {
      // Some servers register a method a moment after their start.
      const left = this.#startedAt + REGISTER_MS - performance.now();
      if (left <= 0 || this.#process !== server) throw new Error(`${this.status().name} does not offer ${method}`);
      await this.#nextEvent(left, signal);
      signal.throwIfAborted();
    }
    return await server.request(method, ask.params, signal);
  }

  /** A code action with its edits, which a server may leave out at first. */
  async resolveAction(action: object, signal: AbortSignal): Promise<unknown> {
    const server = await this.#running(signal);
    return await server.request('codeAction/resolve', action, signal);
  }

  async diagnose(file: CheckedFile, signal: AbortSignal): Promise<void> {
    try {
      const server = await this.#running(signal);
      const document = this.#documents.sync(file);
      if (server.offers('textDocument/diagnostic')) await this.#pull(server, file.path, signal);
      else if (!this.#unanswered.has(document)) await this.#published(server, file.path, document, signal);
    } catch (error) {
      // What it says later is kept, and reported as a change.
      if (!signal.aborted || this.#problem !== undefined) throw error;
    }
  }

  /** It has this document open. */
  hasOpen(path: string): boolean {
    return this.#documents.has(path);
  }

  /** Sends a text to a server that has the document open. */
  sync(text: SourceText): void {
    if (this.#documents.has(text.path)) this.#documents.sync(text);
  }

  filesChanged(changes: readonly DiskChange[]): void {
    this.#process?.notify('workspace/didChangeWatchedFiles', {
      changes: changes.map(({ path, type }) => ({ uri: uriOf(path), type: CHANGE_TYPES[type] })),
    });
  }

  /** Its diagnostics that touch a range, as it knows them: code actions need them. */
  wireDiagnostics(path: string, { start, end }: Range): readonly object[] {
    return (this.known.get(path) ?? [])
      .filter(({ range }) => !isBefore(range.end, start) && !isBefore(end, range.start))
      .map(({ severity, ...rest }) => ({ ...rest, severity: SEVERITIES.indexOf(severity) + 1 }));
  }

  closeDocument(path: string): void {
    this.#documents.close(path);
  }

  async close(): Promise<void> {
    this.#closing.abort(new Error('The editor was closed'));
    await this.#starting?.then(
      (server) => server.close(),
      () => undefined,
    );
  }

  #running(signal: AbortSignal): Promise<ServerProcess> {
    this.#closing.signal.throwIfAborted();
    const starting = this.#starting ?? this.#start();
    if (this.#starting === undefined) {
      this.#starting = starting;
      // The next request starts it again.
      starting.catch(() => {
        if (this.#starting === starting) this.#starting = undefined;
      });
    }
    return new Promise((resolve, reject) => {
      if (signal.aborted) reject(signal.reason);
      signal.addEventListener('abort', () => reject(signal.reason), { once: true });
      starting.then(resolve, reject);
    });
  }

  async #start(): Promise<ServerProcess> {
    const { program, onProblem, onRefresh, limits, startMs } = this.#options;
    const name = this.status().name;
    try {
      this.#refuseStart();
      const [, ...args] = program.row.command;
      // Loaded by the first server: it takes longer than all else in an idle bridge.
      const { ServerProcess } = await import('./server-process.ts');
      const server = await ServerProcess.start({
        command: [program.path, ...args],
        folder: program.folder,
        signal: this.#closing.signal,
        ...(limits && { limits }),
        ...(startMs !== undefined && { startMs }),
        onDiagnostics: (params) => {
          this.#diagnostics.push(params);
          this.#event();
        },
        onRefresh,
        onActivity: () => this.#event(),
        onEnd: (problem) => {
          this.#ended(problem);
          onProblem(new Error(`${name}: ${problem.message}`, { cause: problem }));
        },
      });
      this.#documents = new SyncedDocuments((method, params) => server.notify(method, params));
      this.#process = server;
      this.#startedAt = performance.now();
      this.#problem = undefined;
      this.#version = server.version ?? this.#version;
      return server;
    } catch (cause) {
      const problem = asError(cause);
      if (!(problem instanceof StartRefused)) this.#ended(problem);
      this.#problem = problem;
      throw new Error(`${name}: ${problem.message}`, { cause });
    }
  }

  #ended(problem: Error): void {
    this.#problem = problem;
    this.#process = undefined;
    this.#starting = undefined;
    this.#documents = new SyncedDocuments(() => {});
    this.#crashes.push(performance.now());
    this.#diagnostics.clear();
    this.#event();
  }

  #refuseStart(): void {
    const reason = this.#options.refuseStart();
    if (reason !== undefined) throw new StartRefused(reason);
    this.#crashes = this.#crashes.filter((at) => performance.now() - at < CRASH_WINDOW_MS);
    if (this.#crashes.length < MAX_CRASHES) return;
    if (this.#problem instanceof StartRefused) throw this.#problem;
    const minutes = CRASH_WINDOW_MS / 60_000;
    throw new StartRefused(
      `It failed ${MAX_CRASHES} times within ${minutes} minutes and is not started again before these have passed: ${this.#problem?.message}`,
    );
  }

  async #pull(server: ServerProcess, path: string, signal: AbortSignal): Promise<void> {
    const { diagnosticProvider } = server.capabilities;
    const identifier = diagnosticProvider?.identifier;
    const params = { textDocument: { uri: uriOf(path) }, ...(identifier !== undefined && { identifier }) };
    for (let attempt = 1; ; attempt += 1) {
      try {
        const answer = await server.request('textDocument/diagnostic', params, signal);
        const { items } = (answer ?? {}) as { readonly items?: unknown };
        this.#diagnostics.pull(path, items);
        return;
      } catch (error) {
        const { code } = error as { readonly code?: unknown };
        const isTemporary = code === SERVER_CANCELLED || code === CONTENT_MODIFIED;
        if (!isTemporary || attempt === MAX_PULLS) throw error;
        await this.#nextEvent(QUIET_MS, signal);
      }
    }
  }

  /** Waits until the server has published diagnostics of this text, works on nothing, and is quiet. */
  async #published(server: ServerProcess, path: string, document: SyncedDocument, signal: AbortSignal): Promise<void> {
    const { version, sentAt } = document;
    while (!signal.aborted && this.#process === server) {
      const published = this.#diagnostics.published(path);
      const isOurs = published !== undefined && published.at >= sentAt && (published.version ?? version) >= version;
      const silence = this.#diagnostics.hasPublished ? SILENT_MS : SILENT_AT_FIRST_MS;
      const patience = isOurs ? QUIET_MS : silence;
      const left = patience - (performance.now() - Math.max(this.#lastEventAt, sentAt));
      if (!server.isBusy && left <= 0) {
        if (!isOurs) this.#unanswered.add(document);
        return;
      }
      await this.#nextEvent(server.isBusy ? undefined : left, signal);
    }
    if (this.#process !== server && this.#problem !== undefined) throw this.#problem;
  }

  #event(): void {
    this.#lastEventAt = performance.now();
    for (const wake of [...this.#waiting]) wake();
  }

  /** Resolves with the next event of the server, after a time if one is given, or when the signal aborts. */
  #nextEvent(ms: number | undefined, signal: AbortSignal): Promise<void> {
    return new Promise((resolve) => {
      const wake = () => {
        clearTimeout(timer);
        this.#waiting.delete(wake);
        signal.removeEventListener('abort', wake);
        resolve();
      };
      const timer = ms === undefined ? undefined : setTimeout(wake, ms);
      this.#waiting.add(wake);
      signal.addEventListener('abort', wake, { once: true });
      if (signal.aborted) wake();
    });
  }
}

function isBefore(one: Position, other: Position): boolean {
  return one.line < other.line || (one.line === other.line && one.character < other.character);
}

class StartRefused extends Error {
  override readonly name = 'StartRefused';
}

const CHANGE_TYPES = { created: 1, changed: 2, deleted: 3 } as const;
/** Error codes of the protocol: the request is to be repeated. */
const SERVER_CANCELLED = -32_802;
const CONTENT_MODIFIED = -32_801;
