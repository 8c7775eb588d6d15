import type { Range } from '../editor.ts';
import type {
  CodeAction,
  DocumentSymbol,
  FileEdits,
  Hover,
  Location,
  WaitOptions,
  WorkspaceSymbol,
} from '../language-features.ts';
import {
  actionsIn,
  editsIn,
  hoverTextIn,
  kindOf,
  locationsIn,
  type RawEdits,
  type RawRange,
  type RawSymbol,
  rangeIn,
  symbolsIn,
} from './language-answers.ts';

// The answers of language servers in the shapes of `LanguageFeatures`, for every editor that talks to such servers.

/** Converts the columns of a server into UTF-16 code units. */
export type ConvertRange = (path: string, range: RawRange) => Promise<Range>;

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

export function toLocations(answer: unknown, convert: ConvertRange): Promise<readonly Location[]> {
  return Promise.all(locationsIn(answer).map(async ({ path, range }) => ({ path, range: await convert(path, range) })));
}

export async function toHover(answer: unknown, path: string, convert: ConvertRange): Promise<Hover | undefined> {
  const text = hoverTextIn(answer);
  if (text === undefined) return undefined;
  const range = rangeIn(answer);
  return { text, ...(range && { range: await convert(path, range) }) };
}

export function toDocumentSymbols(
  answer: unknown,
  path: string,
  convert: ConvertRange,
): Promise<readonly DocumentSymbol[]> {
  const toSymbol = async (symbol: RawSymbol): Promise<DocumentSymbol> => ({
    name: symbol.name,
    kind: kindOf(symbol.kind),
    ...(typeof symbol.detail === 'string' && symbol.detail !== '' && { detail: symbol.detail }),
    range: await convert(path, symbol.range),
    selectionRange: await convert(path, symbol.selectionRange),
    children: await Promise.all(symbol.children.map(toSymbol)),
  });
  return Promise.all(symbolsIn(answer).map(toSymbol));
}

export function toWorkspaceSymbols(answer: unknown, convert: ConvertRange): Promise<readonly WorkspaceSymbol[]> {
  return Promise.all(
    symbolsIn(answer).flatMap(({ path, name, kind, range, containerName }) => {
      if (path === undefined) return [];
      return convert(path, range).then((converted) => ({
        name,
        kind: kindOf(kind),
        location: { path, range: converted },
        ...(typeof containerName === 'string' && containerName !== '' && { containerName }),
      }));
    }),
  );
}

export async function toRename(answer: unknown, convert: ConvertRange): Promise<readonly FileEdits[]> {
  const edits = editsIn(answer);
  if (edits === undefined) {
    throw new Error(
      'The language server wants to create, move or delete files for this rename; only edits can be used',
    );
  }
  if (edits.length === 0) throw new Error('Nothing at this position can be renamed');
  return await convertEdits(edits, convert);
}

export function toCodeActions(answer: unknown, convert: ConvertRange): Promise<readonly CodeAction[]> {
  return Promise.all(
    actionsIn(answer).map(async ({ title, kind, isPreferred, edits }) => ({
      title,
      ...(kind !== undefined && { kind }),
      isPreferred,
      edits: await convertEdits(edits, convert),
    })),
  );
}

async function convertEdits(files: readonly RawEdits[], convert: ConvertRange): Promise<readonly FileEdits[]> {
  return await Promise.all(
    files.map(async ({ path, edits }) => ({
      path,
      edits: await Promise.all(
        edits.map(async ({ range, newText }) => ({ range: await convert(path, range), newText })),
      ),
    })),
  );
}
