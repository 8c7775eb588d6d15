import type { SharedEditor } from '../../../access/shared-editor.ts';
import type { DocumentSymbol } from '../../../language-features.ts';
import { shortPath } from '../places.ts';
import { COUNT, list, object, PATH, READS, TEXT } from '../schemas.ts';
import { editorTool, result } from '../tool.ts';
import { notes } from './navigation.ts';

/** More than this helps no model. */
const MAX_SYMBOLS = 500;

const SYMBOL = object(
  { name: TEXT, kind: TEXT, path: TEXT, line: COUNT, end_line: COUNT, column: COUNT, container: TEXT },
  ['name', 'kind', 'path', 'line'],
);
const SYMBOLS = object(
  {
    symbols: list(SYMBOL),
    omitted: { ...COUNT, description: 'How many more there are' },
    hidden: { ...COUNT, description: 'How many are in files that agents may not see' },
  },
  ['symbols', 'omitted', 'hidden'],
);

interface FlatSymbol {
  readonly name: string;
  readonly kind: string;
  readonly path: string;
  readonly line: number;
  readonly column: number;
  readonly end_line?: number;
  readonly container?: string;
}

export const documentSymbols = editorTool<{ readonly path: string }>({
  definition: {
    name: 'document_symbols',
    title: 'List symbols of a file',
    description:
      'Get the outline of a file: its classes, functions and other symbols with their lines, from 1. Cheaper than reading the file.',
    inputSchema: object({ path: PATH }, ['path']),
    outputSchema: SYMBOLS,
    annotations: READS,
  },
  isOffered: ({ editor }) => editor.language.documentSymbols !== undefined,
  run: async ({ path }, { editor }, { signal }) => {
    const real = await editor.resolve(path, { for: 'read' });
    const tree = (await editor.language.documentSymbols?.(real, { signal })) ?? [];
    return symbolsResult(flatten(tree, shortPath(real, editor)), 0);
  },
});

export const workspaceSymbols = editorTool<{ readonly query: string }>({
  definition: {
    name: 'workspace_symbols',
    title: 'Find symbols by name',
    description:
      'Find classes, functions and other symbols of the workspace by a part of their name. Lines count from 1.',
    inputSchema: object({ query: { ...TEXT, minLength: 1 } }, ['query']),
    outputSchema: SYMBOLS,
    annotations: READS,
  },
  isOffered: ({ editor }) => editor.language.workspaceSymbols !== undefined,
  run: async ({ query }, { editor }, { signal }) => {
    const { found, hidden } = (await editor.language.workspaceSymbols?.(query, { signal })) ?? { found: [], hidden: 0 };
    const symbols = found.map(({ name, kind, location, containerName }) => ({
      name,
      kind,
      ...place(location.path, location.range.start, editor),
      ...(containerName !== undefined && { container: containerName }),
    }));
    return symbolsResult(symbols, hidden);
  },
});

function place(path: string, start: { readonly line: number; readonly character: number }, editor: SharedEditor) {
  return { path: shortPath(path, editor), line: start.line + 1, column: start.character + 1 };
}

function flatten(tree: readonly DocumentSymbol[], path: string, container?: string): FlatSymbol[] {
  return tree.flatMap(({ name, kind, range, selectionRange, children }) => [
    {
      name,
      kind,
      path,
      line: selectionRange.start.line + 1,
      column: selectionRange.start.character + 1,
      end_line: range.end.line + 1,
      ...(container !== undefined && { container }),
    },
    ...flatten(children, path, container === undefined ? name : `${container}.${name}`),
  ]);
}

function symbolsResult(all: readonly FlatSymbol[], hidden: number) {
  const symbols = all.slice(0, MAX_SYMBOLS);
  const omitted = all.length - symbols.length;
  const lines = symbols.map(({ path, line, kind, name, container }) => {
    return `${path}:${line}: ${kind} ${container === undefined ? '' : `${container}.`}${name}`;
  });
  if (lines.length === 0 && hidden === 0) lines.push('No symbols found');
  return result([...lines, ...notes(omitted, hidden)].join('\n'), { symbols, omitted, hidden });
}
