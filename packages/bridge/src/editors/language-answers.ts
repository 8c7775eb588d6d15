import { fileURLToPath, pathToFileURL } from 'node:url';
import { isObject, objectOrEmpty } from '@hawser/unknown-values/objects';
import type { Diagnostic, Position, Range, Severity } from '../editor.ts';
import {
  type CodeAction,
  type DocumentSymbol,
  type FileEdits,
  type Hover,
  type Location,
  SYMBOL_KINDS,
  type TextEdit,
  type WorkspaceSymbol,
} from '../language-features.ts';

// What language servers answer, in the shapes of `LanguageFeatures`, from the several that the protocol allows. What has
// another shape, or is no file, is left out. Columns are UTF-16: that is agreed on with each server.

/** More results than this are cut off. */
const MAX_RESULTS = 5000;

/** Location, Location[] or LocationLink[]. */
export function locationsIn(answer: unknown): readonly Location[] {
  const list = Array.isArray(answer) ? answer.slice(0, MAX_RESULTS) : [answer];
  return list.flatMap((each) => {
    if (!isObject(each)) return [];
    const path = pathOf(each.uri ?? each.targetUri);
    const range = rangeIn(each.range ?? each.targetSelectionRange);
    return path !== undefined && range !== undefined ? [{ path, range }] : [];
  });
}

/** Markdown from MarkupContent, MarkedString or MarkedString[]; undefined when there is no text. */
export function hoverIn(answer: unknown): Hover | undefined {
  if (!isObject(answer)) return undefined;
  const parts = Array.isArray(answer.contents) ? answer.contents : [answer.contents];
  const texts = parts.map((part) => {
    if (typeof part === 'string') return part;
    if (!isObject(part) || typeof part.value !== 'string') return '';
    return typeof part.language === 'string' ? `\`\`\`${part.language}\n${part.value}\n\`\`\`` : part.value;
  });
  const text = texts.filter((each) => each.trim() !== '').join('\n\n');
  const range = rangeIn(answer.range);
  return text === '' ? undefined : { text, ...(range && { range }) };
}

/** DocumentSymbol[] or SymbolInformation[]. */
export function documentSymbolsIn(answer: unknown): readonly DocumentSymbol[] {
  return symbolsIn(answer).map(({ symbol, range, ...named }) => ({
    ...named,
    ...(isText(symbol.detail) && { detail: symbol.detail }),
    range,
    selectionRange: rangeIn(symbol.selectionRange) ?? range,
    children: documentSymbolsIn(symbol.children),
  }));
}

/** SymbolInformation[] or WorkspaceSymbol[]. */
export function workspaceSymbolsIn(answer: unknown): readonly WorkspaceSymbol[] {
  return symbolsIn(answer).flatMap(({ symbol: { location, containerName }, range, ...named }) => {
    const path = isObject(location) ? pathOf(location.uri) : undefined;
    if (path === undefined) return [];
    return { ...named, location: { path, range }, ...(isText(containerName) && { containerName }) };
  });
}

function symbolsIn(answer: unknown) {
  if (!Array.isArray(answer)) return [];
  return answer.slice(0, MAX_RESULTS).flatMap((symbol: unknown) => {
    if (!isObject(symbol) || typeof symbol.name !== 'string') return [];
    const range = rangeIn(isObject(symbol.location) ? (symbol.location.range ?? START) : symbol.range);
    const kind = SYMBOL_KINDS[Number(symbol.kind) - 1] ?? 'variable';
    return range === undefined ? [] : { symbol, name: symbol.name, kind, range };
  });
}

/** The edits of a WorkspaceEdit; undefined when it does more than edit text, or edits what is no file. */
export function editsIn(answer: unknown): readonly FileEdits[] | undefined {
  if (!isObject(answer)) return [];
  const documents: { uri: unknown; edits: unknown }[] = [];
  if (Array.isArray(answer.documentChanges)) {
    for (const change of answer.documentChanges) {
      if (!isObject(change) || !isObject(change.textDocument)) return undefined;
      documents.push({ uri: change.textDocument.uri, edits: change.edits });
    }
  } else if (isObject(answer.changes)) {
    for (const [uri, edits] of Object.entries(answer.changes)) documents.push({ uri, edits });
  }
  const all: FileEdits[] = [];
  for (const { uri, edits: given } of documents) {
    const [path, edits] = [pathOf(uri), textEditsIn(Array.isArray(given) ? given : [])];
    if (path === undefined || edits === undefined) return undefined;
    if (edits.length > 0) all.push({ path, edits });
  }
  return all;
}

/** Throws where nothing can be renamed, or not by edits of text alone. */
export function renameIn(answer: unknown): readonly FileEdits[] {
  const edits = editsIn(answer);
  if (edits === undefined) {
    throw new Error(
      'The language server wants to create, move or delete files for this rename; only edits can be used',
    );
  }
  if (edits.length === 0) throw new Error('Nothing at this position can be renamed');
  return edits;
}

/** The edits of one document: TextEdit[]. Undefined for anything else. */
export function textEditsIn(answer: unknown): readonly TextEdit[] | undefined {
  if (answer === null || answer === undefined) return [];
  if (!Array.isArray(answer)) return undefined;
  const edits = answer.flatMap((each: unknown) => {
    if (!isObject(each) || typeof each.newText !== 'string') return [];
    const range = rangeIn(each.range);
    return range === undefined ? [] : { range, newText: each.newText };
  });
  return edits.length === answer.length ? edits : undefined;
}

/** The code actions that are edits and can be used now. */
export function codeActionsIn(answer: unknown): readonly CodeAction[] {
  if (!Array.isArray(answer)) return [];
  return answer.flatMap((each: unknown) => {
    if (!isObject(each) || typeof each.title !== 'string' || isObject(each.disabled)) return [];
    const edits = editsIn(each.edit);
    // A command beside the edit is part of the action, and only the server can run it.
    if (edits === undefined || edits.length === 0 || isObject(each.command)) return [];
    const { title, kind, isPreferred } = each;
    return { title, ...(isText(kind) && { kind }), isPreferred: isPreferred === true, edits };
  });
}

/** Of one file. */
export function diagnosticsIn(items: unknown): readonly Diagnostic[] {
  if (!Array.isArray(items)) return [];
  return items.slice(0, MAX_DIAGNOSTICS).flatMap((each: unknown): Diagnostic[] => {
    if (!isObject(each)) return [];
    const range = rangeIn(each.range);
    const message = isObject(each.message) ? each.message.value : each.message;
    if (range === undefined || typeof message !== 'string') return [];
    return [
      {
        message: message.slice(0, MAX_MESSAGE_CHARACTERS),
        severity: SEVERITIES[Number(each.severity) - 1] ?? 'error',
        range,
        ...(typeof each.source === 'string' && { source: each.source }),
        ...((typeof each.code === 'string' || typeof each.code === 'number') && { code: each.code }),
      },
    ];
  });
}

const START: Range = { start: { line: 0, character: 0 }, end: { line: 0, character: 0 } };

/** In the order of the Language Server Protocol, which counts them from 1. */
export const SEVERITIES: readonly Severity[] = ['error', 'warning', 'info', 'hint'];
const MAX_DIAGNOSTICS = 1000;
const MAX_MESSAGE_CHARACTERS = 10_000;

export function uriOf(path: string): string {
  return pathToFileURL(path).href;
}

export function pathOf(uri: unknown): string | undefined {
  if (typeof uri !== 'string' || !uri.startsWith('file:')) return undefined;
  try {
    return fileURLToPath(uri);
  } catch {
    return undefined;
  }
}

export function rangeIn(value: unknown): Range | undefined {
  if (!isObject(value)) return undefined;
  const [start, end] = [positionIn(value.start), positionIn(value.end)];
  return start && end && { start, end };
}

/** What else a server says of it is left out. */
function positionIn(value: unknown): Position | undefined {
  const { line, character } = objectOrEmpty(value);
  return Number.isInteger(line) && Number.isInteger(character)
    ? { line: Number(line), character: Number(character) }
    : undefined;
}

function isText(value: unknown): value is string {
  return typeof value === 'string' && value !== '';
}
