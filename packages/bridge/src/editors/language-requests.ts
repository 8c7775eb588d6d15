import type { Range } from '../editor.ts';
import type { CodeActionOptions, LanguageFeatures, TextPosition, WaitOptions } from '../language-features.ts';
import {
  codeActionsIn,
  documentSymbolsIn,
  hoverIn,
  locationsIn,
  renameIn,
  workspaceSymbolsIn,
} from './language-answers.ts';

type Feature = keyof LanguageFeatures;

export const METHODS = {
  definition: 'textDocument/definition',
  references: 'textDocument/references',
  hover: 'textDocument/hover',
  documentSymbols: 'textDocument/documentSymbol',
  workspaceSymbols: 'workspace/symbol',
  rename: 'textDocument/rename',
  codeActions: 'textDocument/codeAction',
} as const satisfies Record<Feature, string>;

export interface LanguageRequest {
  readonly feature: Feature;
  /** Of the document that it is about; the parameters don't name it. */
  readonly path: string | undefined;
  readonly params: object;
  readonly signal: AbortSignal;
}

/** Language features that send a request of the Language Server Protocol; `ask` resolves to the answers of all servers that have one. */
export function requestedFeatures(
  ask: (request: LanguageRequest) => Promise<readonly unknown[]>,
): Required<LanguageFeatures> {
  const request = async (feature: Feature, path: string | undefined, params: object, options?: WaitOptions) =>
    await ask({ feature, path, params, signal: answerDeadline(METHODS[feature], options) });
  const at = async (feature: Feature, { path, position }: TextPosition, options?: WaitOptions, more: object = {}) => {
    const { line, character } = position;
    return await request(feature, path, { position: { line, character }, ...more }, options);
  };
  return {
    definition: async (place, options) => (await at('definition', place, options)).flatMap(locationsIn),
    references: async (place, options) => {
      const answers = await at('references', place, options, { context: { includeDeclaration: true } });
      return answers.flatMap(locationsIn);
    },
    hover: async (place, options) => hoverIn((await at('hover', place, options))[0]),
    documentSymbols: async (path, options) =>
      (await request('documentSymbols', path, {}, options)).flatMap(documentSymbolsIn),
    workspaceSymbols: async (query, options) =>
      (await request('workspaceSymbols', undefined, { query }, options)).flatMap(workspaceSymbolsIn),
    rename: async (place, newName, options) => renameIn((await at('rename', place, options, { newName }))[0]),
    codeActions: async (path: string, range: Range, options: CodeActionOptions = {}) => {
      const { kinds } = options;
      const context = { diagnostics: [], ...(kinds && { only: kinds }) };
      return (await request('codeActions', path, { range, context }, options)).flatMap(codeActionsIn);
    },
  };
}

/** How long a language server may take to answer. */
const PATIENCE_MS = 20_000;

/** A signal that aborts with the caller's, or when the server takes too long. Throws if the caller's is aborted. */
export function answerDeadline(method: string, { signal }: WaitOptions = {}): AbortSignal {
  signal?.throwIfAborted();
  const late = new AbortController();
  const problem = new Error(`The language server did not answer ${method} in time`);
  setTimeout(() => late.abort(problem), PATIENCE_MS).unref();
  return signal === undefined ? late.signal : AbortSignal.any([signal, late.signal]);
}
