import type { Diagnostic, FileDiagnostics, Position, Range, Selection, Severity } from '../../editor.ts';

/** A document as Neovim describes it; without `lines` it is not loaded. */
export interface WireDocument {
  readonly path: string;
  readonly filetype: string;
  readonly lines?: number;
  readonly active: boolean;
  readonly dirty: boolean;
  readonly untitled: boolean;
}

interface WireSelection {
  readonly path: string;
  readonly start: WirePosition;
  readonly finish: WirePosition;
  readonly text: string;
}

interface WireDiagnostics {
  readonly path: string;
  readonly list: readonly WireDiagnostic[];
}

interface WireDiagnostic {
  readonly message: string;
  readonly severity: Severity;
  readonly start: WirePosition;
  readonly finish: WirePosition;
  readonly source?: string;
  readonly code?: string | number;
}

type WirePosition = readonly [line: number, character: number];

/** Neovim's state when the bridge attaches. */
export interface InitialState {
  readonly folders: readonly string[];
  readonly documents: readonly WireDocument[];
  readonly selection: Selection | undefined;
  readonly diagnostics: readonly FileDiagnostics[];
  readonly layout: Layout;
  /** Whether buffers follow their files. */
  readonly reload: boolean;
  readonly paused: boolean;
  /** The process of Neovim. */
  readonly pid: number;
}

export type Layout = 'auto' | 'split' | 'inline' | 'tab' | 'off';

export function readInitialState(value: unknown): InitialState {
  const given = value as {
    folders: unknown;
    documents: unknown;
    selection?: unknown;
    diagnostics: unknown;
    layout: Layout;
    reload: boolean;
    paused: boolean;
    pid: number;
  };
  return {
    folders: readFolders(given.folders),
    documents: readDocuments(given.documents),
    selection: readSelection(given.selection),
    diagnostics: readDiagnostics(given.diagnostics),
    layout: given.layout,
    reload: given.reload,
    paused: given.paused,
    pid: given.pid,
  };
}

export function readFolders(value: unknown): readonly string[] {
  return listOf<string>(value);
}

export function readDocuments(value: unknown): readonly WireDocument[] {
  return listOf<WireDocument>(value);
}

export function readSelection(value: unknown): Selection | undefined {
  if (value === undefined || value === null) return undefined;
  const { path, start, finish, text } = value as WireSelection;
  return { path, range: rangeOf(start, finish), text };
}

export function readDiagnostics(value: unknown): readonly FileDiagnostics[] {
  return listOf<WireDiagnostics>(value).map(({ path, list }) => ({
    path,
    diagnostics: listOf(list).map(diagnosticOf),
  }));
}

/** Range as Neovim's side takes it. */
export function wireRange({ start, end }: Range): readonly [number, number, number, number] {
  return [start.line, start.character, end.line, end.character];
}

function diagnosticOf(value: unknown): Diagnostic {
  const { message, severity, start, finish, source, code } = value as WireDiagnostic;
  return {
    message,
    severity,
    range: rangeOf(start, finish),
    ...(source !== undefined && { source }),
    ...(code !== undefined && { code }),
  };
}

function rangeOf(start: WirePosition, finish: WirePosition): Range {
  return { start: positionOf(start), end: positionOf(finish) };
}

function positionOf([line, character]: WirePosition): Position {
  return { line, character };
}

/** An empty table of Lua can arrive as an empty map. */
function listOf<Item>(value: unknown): readonly Item[] {
  return Array.isArray(value) ? value : [];
}
