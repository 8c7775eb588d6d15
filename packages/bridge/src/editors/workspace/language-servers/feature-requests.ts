import { pathToFileURL } from 'node:url';
import type { ServerCapabilities } from 'vscode-languageserver-protocol/node';
import type { Position, Range } from '../../../editor.ts';
import type {
  CodeAction,
  CodeActionOptions,
  DocumentSymbol,
  FileEdits,
  Hover,
  LanguageFeatures,
  Location,
  TextEdit,
  TextPosition,
  WaitOptions,
  WorkspaceSymbol,
} from '../../../language-features.ts';
import { textEditsIn } from '../../language-answers.ts';
import {
  answerDeadline,
  type ConvertRange,
  toCodeActions,
  toDocumentSymbols,
  toHover,
  toLocations,
  toRename,
  toWorkspaceSymbols,
} from '../../language-results.ts';
import type { SourceText } from './diagnostics-source.ts';
import type { LanguageServer } from './language-server.ts';
import type { LanguageServers } from './language-servers.ts';

/** We agree with each server on UTF-16 columns. */
const convert: ConvertRange = async (_path, { start, end }) => ({ start, end });

/** More code actions than this are not completed. */
const MAX_RESOLVED = 50;

type Provider = keyof ServerCapabilities;

/** The language features of a workspace, answered by its language servers. */
export class FeatureRequests implements Required<LanguageFeatures> {
  readonly #servers: LanguageServers;
  readonly #openText: (path: string) => Promise<SourceText>;

  /** `openText` rejects for a document that is not open. */
  constructor(servers: LanguageServers, openText: (path: string) => Promise<SourceText>) {
    this.#servers = servers;
    this.#openText = openText;
  }

  async definition(at: TextPosition, options?: WaitOptions): Promise<readonly Location[]> {
    const answer = await this.#askAt('textDocument/definition', 'definitionProvider', at, {}, options);
    return await toLocations(answer, convert);
  }

  async references(at: TextPosition, options?: WaitOptions): Promise<readonly Location[]> {
    const more = { context: { includeDeclaration: true } };
    const answer = await this.#askAt('textDocument/references', 'referencesProvider', at, more, options);
    return await toLocations(answer, convert);
  }

  async hover(at: TextPosition, options?: WaitOptions): Promise<Hover | undefined> {
    const answer = await this.#askAt('textDocument/hover', 'hoverProvider', at, {}, options);
    return await toHover(answer, at.path, convert);
  }

  async documentSymbols(path: string, options?: WaitOptions): Promise<readonly DocumentSymbol[]> {
    const answer = await this.#ask('textDocument/documentSymbol', 'documentSymbolProvider', path, {}, options);
    return await toDocumentSymbols(answer, path, convert);
  }

  async workspaceSymbols(query: string, options?: WaitOptions): Promise<readonly WorkspaceSymbol[]> {
    const method = 'workspace/symbol';
    const signal = answerDeadline(method, options);
    const asked = (await this.#servers.allServers()).map(async ({ server, texts }) => {
      const answer = await server.request(method, 'workspaceSymbolProvider', { texts, params: { query } }, signal);
      return await toWorkspaceSymbols(answer, convert);
    });
    return (await answersOf(asked, signal)).flat();
  }

  async rename(at: TextPosition, newName: string, options?: WaitOptions): Promise<readonly FileEdits[]> {
    const answer = await this.#askAt('textDocument/rename', 'renameProvider', at, { newName }, options);
    return await toRename(answer, convert);
  }

  async codeActions(path: string, range: Range, options: CodeActionOptions = {}): Promise<readonly CodeAction[]> {
    const method = 'textDocument/codeAction';
    const signal = answerDeadline(method, options);
    const { text, servers } = await this.#serversFor(path, signal);
    const { kinds } = options;
    const asked = servers.map(async (server) => {
      const diagnostics = server.wireDiagnostics(path, range);
      const params = { ...documentAt(path), range, context: { diagnostics, ...(kinds && { only: kinds }) } };
      const texts = [...this.#servers.unsavedTexts(server), text];
      const answer = await server.request(method, 'codeActionProvider', { texts, params }, signal);
      return await toCodeActions(await resolveActions(server, answer, signal), convert);
    });
    return (await answersOf(asked, signal)).flat();
  }

  /** The edits that format a document; rejects if no server formats its language. */
  async format(path: string, signal: AbortSignal): Promise<readonly TextEdit[]> {
    const method = 'textDocument/formatting';
    const ending = answerDeadline(method, { signal });
    const { text, servers } = await this.#serversFor(path, ending);
    const server = servers.find(({ row }) => row.formats === true);
    if (server === undefined) throw new Error(`No language server formats ${path}`);
    // Servers with a configured style ignore these.
    const options = { tabSize: 4, insertSpaces: !/^\t/m.test(text.text) };
    const params = { ...documentAt(path), options };
    const answer = await server.request(method, 'documentFormattingProvider', { texts: [text], params }, ending);
    const edits = textEditsIn(answer);
    if (edits === undefined)
      throw new Error(`${server.status().name} answered ${method} with something else than edits`);
    return edits;
  }

  #askAt(method: string, provider: Provider, at: TextPosition, more: object, options?: WaitOptions) {
    const position: Position = { line: at.position.line, character: at.position.character };
    return this.#ask(method, provider, at.path, { position, ...more }, options);
  }

  /** Asks the server with all features. */
  async #ask(method: string, provider: Provider, path: string, more: object, options?: WaitOptions): Promise<unknown> {
    const signal = answerDeadline(method, options);
    const { text, servers } = await this.#serversFor(path, signal);
    const server = servers.find(({ row }) => row.isLinter === undefined);
    if (server === undefined) throw noServer(text);
    const texts = [...this.#servers.unsavedTexts(server), text];
    return await server.request(method, provider, { texts, params: { ...documentAt(path), ...more } }, signal);
  }

  async #serversFor(path: string, signal: AbortSignal) {
    const text = await this.#openText(path);
    const servers = await this.#servers.serversFor(path);
    signal.throwIfAborted();
    if (servers.length === 0) throw noServer(text);
    return { text, servers };
  }
}

function documentAt(path: string): { readonly textDocument: { readonly uri: string } } {
  return { textDocument: { uri: pathToFileURL(path).href } };
}

function noServer({ path, languageId }: SourceText): Error {
  return new Error(`No language server for ${languageId} was found: ${path}`);
}

/** Of the servers that answered; rejects with the first problem if none did. */
async function answersOf<Answer>(asked: readonly Promise<Answer>[], signal: AbortSignal): Promise<readonly Answer[]> {
  const settled = await Promise.allSettled(asked);
  signal.throwIfAborted();
  const answers = settled.flatMap((each) => (each.status === 'fulfilled' ? [each.value] : []));
  const failure = settled.find((each) => each.status === 'rejected');
  if (answers.length === 0 && failure !== undefined) throw failure.reason;
  return answers;
}

/** Servers may leave the edits of an action out until they are asked for them. */
async function resolveActions(server: LanguageServer, answer: unknown, signal: AbortSignal): Promise<unknown> {
  if (!Array.isArray(answer)) return answer;
  let resolved = 0;
  return await Promise.all(
    answer.map(
      async (action: { readonly edit?: unknown; readonly command?: unknown; readonly data?: unknown } | null) => {
        const isIncomplete = action?.edit === undefined && action?.command === undefined && action?.data !== undefined;
        if (action === null || !isIncomplete) return action;
        resolved += 1;
        if (resolved > MAX_RESOLVED) return action;
        return await server.resolveAction(action, signal).catch(() => action);
      },
    ),
  );
}
