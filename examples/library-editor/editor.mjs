// The smallest editor that a bridge can serve: it opens files and has a cursor. What it can't do, it leaves out, and
// agents are not offered it: there is no `save`, no `diagnostics`, no `format`.
import { readFile } from 'node:fs/promises';
import { extname } from 'node:path';

/**
 * @param {readonly string[]} folders
 * @returns {import('hawser').Editor}
 */
export function pager(folders) {
  /** @type {Map<string, string>} */
  const texts = new Map();
  /** @type {Set<(event: import('hawser').EditorEvent) => void>} */
  const listeners = new Set();
  /** @type {import('hawser').Selection | undefined} */
  let selection;

  /** @param {import('hawser').EditorEvent} event */
  const emit = (event) => {
    for (const listener of listeners) listener(event);
  };
  /** @param {string} path */
  const describe = (path) => ({
    path,
    languageId: extname(path).slice(1) || 'plaintext',
    lineCount: (texts.get(path) ?? '').split('\n').length,
    isActive: path === selection?.path,
    isDirty: false,
    isUntitled: false,
  });

  return {
    name: 'Pager',
    workspaceFolders: async () => folders,
    openFile: async ({ path, range = START }) => {
      const text = await readFile(path, 'utf8');
      texts.set(path, text);
      selection = { path, range, text: textIn(text, range) };
      emit({ kind: 'documents' });
      emit({ kind: 'selection', selection });
      return describe(path);
    },
    openDocuments: async () => [...texts.keys()].map(describe),
    selection: async () => selection,
    subscribe: (listener) => {
      listeners.add(listener);
      return () => listeners.delete(listener);
    },
    close: async () => listeners.clear(),
  };
}

const START = { start: { line: 0, character: 0 }, end: { line: 0, character: 0 } };

/**
 * @param {string} text
 * @param {import('hawser').Range} range
 */
function textIn(text, { start, end }) {
  const lines = text.split('\n').slice(start.line, end.line + 1);
  if (lines.length === 0) return '';
  const last = lines.length - 1;
  lines[last] = (lines[last] ?? '').slice(0, end.character);
  lines[0] = (lines[0] ?? '').slice(start.character);
  return lines.join('\n');
}
