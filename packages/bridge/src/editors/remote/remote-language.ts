import type { LanguageFeatures } from '../../language-features.ts';
import { absolute } from '../absolute-path.ts';
import { uriOf } from '../language-answers.ts';
import { METHODS, requestedFeatures } from '../language-requests.ts';
import type { EditorLink } from './editor-link.ts';

/** The language features that the editor has, by the names of their requests. `checkOpen` rejects for other documents. */
export function remoteLanguage(
  link: EditorLink,
  methods: readonly string[],
  checkOpen: (path: string) => Promise<void>,
): LanguageFeatures {
  const features = requestedFeatures(async ({ feature, path, params, signal }) => {
    if (path !== undefined) await checkOpen(absolute(path));
    const document = path !== undefined && { textDocument: { uri: uriOf(path) } };
    return [await link.request(METHODS[feature], { ...document, ...params }, { signal })];
  });
  const has = ([name]: [string, unknown]) => methods.includes(METHODS[name as keyof LanguageFeatures]);
  return Object.fromEntries(Object.entries(features).filter(has));
}
