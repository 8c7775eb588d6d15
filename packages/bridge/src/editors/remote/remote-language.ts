import { pathToFileURL } from 'node:url';
import type { LanguageMethod } from '@hawser/editor-protocol';
import type { LanguageFeatures, WaitOptions } from '../../language-features.ts';
import { absolute } from '../absolute-path.ts';
import {
  answerDeadline,
  type ConvertRange,
  toCodeActions,
  toDocumentSymbols,
  toHover,
  toLocations,
  toRename,
  toWorkspaceSymbols,
} from '../language-results.ts';
import type { EditorLink } from './editor-link.ts';

/** Columns are UTF-16 on this wire. */
const asIs: ConvertRange = async (_path, { start, end }) => ({
  start: { line: start.line, character: start.character },
  end: { line: end.line, character: end.character },
});

/** The language features that the editor has, by the names of their requests. `checkOpen` rejects for other documents. */
export function remoteLanguage(
  link: EditorLink,
  methods: readonly string[],
  checkOpen: (path: string) => Promise<void>,
): LanguageFeatures {
  const ask = async (method: LanguageMethod, params: object, options?: WaitOptions) =>
    await link.request(method, params, { signal: answerDeadline(method, options) });
  const inDocument = async (path: string) => {
    await checkOpen(absolute(path));
    return { textDocument: { uri: pathToFileURL(path).href } };
  };
  const features: LanguageFeatures & Record<string, unknown> = {
    definition: async ({ path, position }, options) => {
      const params = { ...(await inDocument(path)), position };
      return await toLocations(await ask('textDocument/definition', params, options), asIs);
    },
    references: async ({ path, position }, options) => {
      const params = { ...(await inDocument(path)), position, context: { includeDeclaration: true } };
      return await toLocations(await ask('textDocument/references', params, options), asIs);
    },
    hover: async ({ path, position }, options) => {
      const params = { ...(await inDocument(path)), position };
      return await toHover(await ask('textDocument/hover', params, options), path, asIs);
    },
    documentSymbols: async (path, options) =>
      await toDocumentSymbols(await ask('textDocument/documentSymbol', await inDocument(path), options), path, asIs),
    workspaceSymbols: async (query, options) =>
      await toWorkspaceSymbols(await ask('workspace/symbol', { query }, options), asIs),
    rename: async ({ path, position }, newName, options) => {
      const params = { ...(await inDocument(path)), position, newName };
      return await toRename(await ask('textDocument/rename', params, options), asIs);
    },
    codeActions: async (path, range, options = {}) => {
      const { kinds } = options;
      const params = {
        ...(await inDocument(path)),
        range,
        context: { diagnostics: [], ...(kinds && { only: kinds }) },
      };
      return await toCodeActions(await ask('textDocument/codeAction', params, options), asIs);
    },
  };
  const has = ([name]: [string, unknown]) => methods.includes(METHODS[name as keyof typeof METHODS]);
  return Object.fromEntries(Object.entries(features).filter(has));
}

const METHODS = {
  definition: 'textDocument/definition',
  references: 'textDocument/references',
  hover: 'textDocument/hover',
  documentSymbols: 'textDocument/documentSymbol',
  workspaceSymbols: 'workspace/symbol',
  rename: 'textDocument/rename',
  codeActions: 'textDocument/codeAction',
} as const satisfies Record<keyof LanguageFeatures, LanguageMethod>;
