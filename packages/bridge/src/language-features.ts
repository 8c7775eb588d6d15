import type { Position, Range } from './editor.ts';

/**
 * What an editor knows from its language servers. A member that is absent is a feature the editor does not have now; a
 * method rejects when no language server offers the feature for the document. Documents must be open. Nothing here
 * changes a document or a file: edits are returned for the caller to propose. A result can name files outside the
 * workspace.
 */
export interface LanguageFeatures {
  definition?(at: TextPosition, options?: WaitOptions): Promise<readonly Location[]>;
  /** The declaration is one of them. */
  references?(at: TextPosition, options?: WaitOptions): Promise<readonly Location[]>;
  /** Undefined where the server has nothing to say. */
  hover?(at: TextPosition, options?: WaitOptions): Promise<Hover | undefined>;
  documentSymbols?(path: string, options?: WaitOptions): Promise<readonly DocumentSymbol[]>;
  workspaceSymbols?(query: string, options?: WaitOptions): Promise<readonly WorkspaceSymbol[]>;
  /** Rejects where nothing can be renamed, and when the rename needs more than edits of text, for example a moved file. */
  rename?(at: TextPosition, newName: string, options?: WaitOptions): Promise<readonly FileEdits[]>;
  /** The actions for a range that are edits of text. Actions that only the server can run are left out. */
  codeActions?(path: string, range: Range, options?: CodeActionOptions): Promise<readonly CodeAction[]>;
}

export const LANGUAGE_FEATURES = [
  'definition',
  'references',
  'hover',
  'documentSymbols',
  'workspaceSymbols',
  'rename',
  'codeActions',
] as const satisfies readonly (keyof LanguageFeatures)[];

export interface WaitOptions {
  /** Ends the wait and cancels the request. Without one, a request ends after 20 seconds. */
  readonly signal?: AbortSignal;
}

export interface CodeActionOptions extends WaitOptions {
  /** Only actions of these kinds and kinds below them. Servers offer some kinds, for example `source`, only by name. */
  readonly kinds?: readonly string[];
}

export interface TextPosition {
  readonly path: string;
  readonly position: Position;
}

export interface Location {
  readonly path: string;
  readonly range: Range;
}

export interface Hover {
  /** Markdown. */
  readonly text: string;
  readonly range?: Range;
}

export interface DocumentSymbol {
  readonly name: string;
  readonly kind: SymbolKind;
  readonly detail?: string;
  /** The whole symbol, body included. */
  readonly range: Range;
  /** Its name. */
  readonly selectionRange: Range;
  readonly children: readonly DocumentSymbol[];
}

export interface WorkspaceSymbol {
  readonly name: string;
  readonly kind: SymbolKind;
  readonly location: Location;
  readonly containerName?: string;
}

/** In the order of the Language Server Protocol, which counts them from 1. */
export const SYMBOL_KINDS = [
  'file',
  'module',
  'namespace',
  'package',
  'class',
  'method',
  'property',
  'field',
  'constructor',
  'enum',
  'interface',
  'function',
  'variable',
  'constant',
  'string',
  'number',
  'boolean',
  'array',
  'object',
  'key',
  'null',
  'enumMember',
  'struct',
  'event',
  'operator',
  'typeParameter',
] as const;
export type SymbolKind = (typeof SYMBOL_KINDS)[number];

/** Edits of one file. They don't overlap, and all positions are in the text before any of them. */
export interface FileEdits {
  readonly path: string;
  readonly edits: readonly TextEdit[];
}

export interface TextEdit {
  readonly range: Range;
  readonly newText: string;
}

export interface CodeAction {
  readonly title: string;
  /** As language servers name them, for example `quickfix` or `source.organizeImports`. */
  readonly kind?: string;
  /** The server's first choice for a problem. */
  readonly isPreferred: boolean;
  readonly edits: readonly FileEdits[];
}
