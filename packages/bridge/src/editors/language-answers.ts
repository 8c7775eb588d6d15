import { fileURLToPath } from 'node:url';
import { isObject } from '@hawser/unknown-values/objects';
import type { Diagnostic, Position, Severity } from '../editor.ts';
import { SYMBOL_KINDS, type SymbolKind } from '../language-features.ts';

// What language servers answer, in the one shape we use of the several that the protocol allows. Columns are still the
// server's. What has another shape, or is no file, is left out.

export interface RawRange {
  readonly start: Position;
  readonly end: Position;
}

export interface RawSymbol {
  readonly name: string;
  readonly kind: unknown;
  readonly detail?: unknown;
  readonly containerName?: unknown;
  /** Where the server names another document than the one it was asked about. */
  readonly path: string | undefined;
  readonly range: RawRange;
  readonly selectionRange: RawRange;
  readonly children: readonly RawSymbol[];
}

export interface RawEdits {
  readonly path: string;
  readonly edits: readonly { readonly range: RawRange; readonly newText: string }[];
}

/** More results than this are cut off. */
const MAX_RESULTS = 5000;

/** Location, Location[] or LocationLink[]. */
export function locationsIn(result: unknown): { readonly path: string; readonly range: RawRange }[] {
  const list = Array.isArray(result) ? result.slice(0, MAX_RESULTS) : [result];
  return list.flatMap((each) => {
    if (!isObject(each)) return [];
    const path = pathOf(each.uri ?? each.targetUri);
    const range = each.range ?? each.targetSelectionRange;
    return path !== undefined && isRange(range) ? [{ path, range }] : [];
  });
}

/** Markdown from MarkupContent, MarkedString or MarkedString[]; undefined when there is no text. */
export function hoverTextIn(result: unknown): string | undefined {
  if (!isObject(result)) return undefined;
  const parts = Array.isArray(result.contents) ? result.contents : [result.contents];
  const texts = parts.map((part) => {
    if (typeof part === 'string') return part;
    if (!isObject(part) || typeof part.value !== 'string') return '';
    return typeof part.language === 'string' ? `\`\`\`${part.language}\n${part.value}\n\`\`\`` : part.value;
  });
  const text = texts.filter((each) => each.trim() !== '').join('\n\n');
  return text === '' ? undefined : text;
}

/** The range of a hover, if it has one. */
export function rangeIn(result: unknown): RawRange | undefined {
  return isObject(result) && isRange(result.range) ? result.range : undefined;
}

/** DocumentSymbol[], SymbolInformation[] or WorkspaceSymbol[]. */
export function symbolsIn(result: unknown): readonly RawSymbol[] {
  if (!Array.isArray(result)) return [];
  return result.slice(0, MAX_RESULTS).flatMap((each): RawSymbol[] => {
    if (!isObject(each) || typeof each.name !== 'string') return [];
    const location = isObject(each.location) ? each.location : undefined;
    const range = location === undefined ? each.range : (location.range ?? START);
    if (!isRange(range)) return [];
    return [
      {
        name: each.name,
        kind: each.kind,
        detail: each.detail,
        containerName: each.containerName,
        path: pathOf(location?.uri),
        range,
        selectionRange: isRange(each.selectionRange) ? each.selectionRange : range,
        children: symbolsIn(each.children),
      },
    ];
  });
}

/** The edits of a WorkspaceEdit; undefined when it does more than edit text, or edits what is no file. */
export function editsIn(result: unknown): readonly RawEdits[] | undefined {
  if (!isObject(result)) return [];
  const documents: { uri: unknown; edits: unknown }[] = [];
  if (Array.isArray(result.documentChanges)) {
    for (const change of result.documentChanges) {
      if (!isObject(change) || !isObject(change.textDocument)) return undefined;
      documents.push({ uri: change.textDocument.uri, edits: change.edits });
    }
  } else if (isObject(result.changes)) {
    for (const [uri, edits] of Object.entries(result.changes)) documents.push({ uri, edits });
  }
  const all: RawEdits[] = [];
  for (const { uri, edits } of documents) {
    const path = pathOf(uri);
    const list = Array.isArray(edits) ? edits : [];
    if (path === undefined || !list.every(isEdit)) return undefined;
    if (list.length > 0) all.push({ path, edits: list.map(({ range, newText }) => ({ range, newText })) });
  }
  return all;
}

/** Of one file. Columns are still the server's. */
export function diagnosticsIn(items: unknown): readonly Diagnostic[] {
  if (!Array.isArray(items)) return [];
  return items.slice(0, MAX_DIAGNOSTICS).flatMap((each): Diagnostic[] => {
    if (!isObject(each) || !isRange(each.range)) return [];
    const message = isObject(each.message) ? each.message.value : each.message;
    if (typeof message !== 'string') return [];
    const { start, end } = each.range;
    return [
      {
        message: message.slice(0, MAX_MESSAGE_CHARACTERS),
        severity: SEVERITIES[Number(each.severity) - 1] ?? 'error',
        range: { start: positionOnly(start), end: positionOnly(end) },
        ...(typeof each.source === 'string' && { source: each.source }),
        ...((typeof each.code === 'string' || typeof each.code === 'number') && { code: each.code }),
      },
    ];
  });
}

/** The edits of one document: TextEdit[]. Undefined for anything else. */
export function textEditsIn(result: unknown): RawEdits['edits'] | undefined {
  if (result === null || result === undefined) return [];
  return Array.isArray(result) && result.every(isEdit) ? result : undefined;
}

/** The code actions that are edits and can be used now. */
export function actionsIn(result: unknown) {
  if (!Array.isArray(result)) return [];
  return result.flatMap((each) => {
    if (!isObject(each) || typeof each.title !== 'string' || isObject(each.disabled)) return [];
    const edits = editsIn(each.edit);
    // A command beside the edit is part of the action, and only the server can run it.
    if (edits === undefined || edits.length === 0 || isObject(each.command)) return [];
    const kind = typeof each.kind === 'string' && each.kind !== '' ? each.kind : undefined;
    return [{ title: each.title, kind, isPreferred: each.isPreferred === true, edits }];
  });
}

export function kindOf(kind: unknown): SymbolKind {
  return SYMBOL_KINDS[Number(kind) - 1] ?? 'variable';
}

const START: RawRange = { start: { line: 0, character: 0 }, end: { line: 0, character: 0 } };

/** In the order of the Language Server Protocol, which counts them from 1. */
export const SEVERITIES: readonly Severity[] = ['error', 'warning', 'info', 'hint'];
const MAX_DIAGNOSTICS = 1000;
const MAX_MESSAGE_CHARACTERS = 10_000;

function positionOnly({ line, character }: Position): Position {
  return { line, character };
}

export function pathOf(uri: unknown): string | undefined {
  if (typeof uri !== 'string' || !uri.startsWith('file:')) return undefined;
  try {
    return fileURLToPath(uri);
  } catch {
    return undefined;
  }
}

function isEdit(value: unknown): value is { readonly range: RawRange; readonly newText: string } {
  return isObject(value) && isRange(value.range) && typeof value.newText === 'string';
}

function isRange(value: unknown): value is RawRange {
  return isObject(value) && isPosition(value.start) && isPosition(value.end);
}

function isPosition(value: unknown): value is Position {
  return isObject(value) && Number.isInteger(value.line) && Number.isInteger(value.character);
}
