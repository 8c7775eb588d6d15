import type { Range } from '../../../editor.ts';
import type { LanguageFeatures, TextEdit } from '../../../language-features.ts';
import { textEditsIn, uriOf } from '../../language-answers.ts';
import { answerDeadline, METHODS, requestedFeatures } from '../../language-requests.ts';
import type { SourceText } from './diagnostics-source.ts';
import type { LanguageServer } from './language-server.ts';
import type { LanguageServers } from './language-servers.ts';

/** More code actions than this are not completed. */
const MAX_RESOLVED = 50;

/** What language servers add to the workspace editor. */
export interface ServerFeatures extends Required<LanguageFeatures> {
  /** The edits that format a document; rejects if no server formats its language. */
  format(path: string, signal: AbortSignal): Promise<readonly TextEdit[]>;
}

/** The language features of a workspace, answered by its language servers. */
export function serverFeatures(all: LanguageServers): ServerFeatures {
  const serversFor = async (path: string, signal: AbortSignal) => {
    const found = await all.serversFor(path);
    signal.throwIfAborted();
    if (found.servers.length === 0) throw noServer(found.text);
    return found;
  };
  const features = requestedFeatures(async ({ feature, path, params, signal }) => {
    const method = METHODS[feature];
    if (path === undefined) {
      const asked = (await all.allServers()).map(({ server, texts }) =>
        server.request(method, { texts, params }, signal),
      );
      return await answersOf(asked, signal);
    }
    const { text, servers } = await serversFor(path, signal);
    // A linter has code actions only; the others come from the server with all features.
    const wanted =
      feature === 'codeActions' ? servers : servers.filter(({ row }) => row.isLinter === undefined).slice(0, 1);
    if (wanted.length === 0) throw noServer(text);
    const asked = wanted.map(async (server) => {
      const texts = [...all.unsavedTexts(server), text];
      const about = { ...documentAt(path), ...params };
      if (feature !== 'codeActions') return await server.request(method, { texts, params: about }, signal);
      const { range, context } = params as { readonly range: Range; readonly context: object };
      const known = { ...context, diagnostics: server.wireDiagnostics(path, range) };
      const answer = await server.request(method, { texts, params: { ...about, context: known } }, signal);
      return await resolveActions(server, answer, signal);
    });
    return await answersOf(asked, signal);
  });
  const format = async (path: string, signal: AbortSignal) => {
    const method = 'textDocument/formatting';
    const ending = answerDeadline(method, { signal });
    const { text, servers } = await serversFor(path, ending);
    const server = servers.find(({ row }) => row.formats === true);
    if (server === undefined) throw new Error(`No language server formats ${path}`);
    // Servers with a configured style ignore these.
    const options = { tabSize: 4, insertSpaces: !/^\t/m.test(text.text) };
    const params = { ...documentAt(path), options };
    const edits = textEditsIn(await server.request(method, { texts: [text], params }, ending));
    if (edits === undefined) throw new Error(`${server.status().name} did not answer ${method} with edits`);
    return edits;
  };
  return { ...features, format };
}

function documentAt(path: string): { readonly textDocument: { readonly uri: string } } {
  return { textDocument: { uri: uriOf(path) } };
}

function noServer({ path, languageId }: SourceText): Error {
  return new Error(`No language server for ${languageId} was found: ${path}`);
}

/** Of the servers that answered; rejects with the first problem if none did. */
async function answersOf(asked: readonly Promise<unknown>[], signal: AbortSignal): Promise<readonly unknown[]> {
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
