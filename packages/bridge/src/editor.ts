import type { LanguageFeatures } from './language-features.ts';

/**
 * An editor. Paths are absolute. Lines and characters count from 0, characters in UTF-16 code units. A member that is
 * absent is something the editor can't do now; a `features` event follows when members appear or go. Methods reject with
 * an Error whose message a user can read.
 */
export interface Editor extends LanguageFeatures {
  /** For display, for example `Neovim`. */
  readonly name: string;
  /** It has no window, so the user selects in the views of the bridge. */
  readonly isWindowless?: true;
  workspaceFolders(): Promise<readonly string[]>;
  /** Opens an existing file, and shows it unless `inBackground`. A file that is open keeps its unsaved text. */
  openFile(location: FileLocation): Promise<OpenDocument>;
  openDocuments(): Promise<readonly OpenDocument[]>;
  /** The selection in the active document, or its cursor; undefined without an active document. */
  selection(): Promise<Selection | undefined>;
  /** Selects in an open document and makes it the active one. A position outside the text means the nearest one in it. */
  setSelection?(path: string, range: Range): Promise<void>;
  /**
   * Replaces the text of a file and saves it, as one change that the user can undo. Opens the document in the background,
   * or creates the file and its folders, as needed. Texts are exact but for a byte order mark, which stays. Rejects, and
   * changes nothing, if the document has unsaved changes or the file does not contain `expected`; undefined means that
   * there must be no file. What the editor does at each save, for example formatting, it does here, too.
   */
  writeText?(path: string, text: string, options: { readonly expected: string | undefined }): Promise<void>;
  /**
   * Writes an open document to disk, with what the editor does at each save. Rejects when the file has changed on disk
   * since it was read.
   */
  save?(path: string): Promise<void>;
  /** Closes an open document. Rejects if it has unsaved changes. */
  closeFile?(path: string): Promise<void>;
  /** With a path, one entry, possibly without diagnostics; else one for each file that has any. */
  diagnostics?(path?: string): Promise<readonly FileDiagnostics[]>;
  /** The language servers and checkers that the bridge starts for this editor, running or not. */
  languagePrograms?(): Promise<readonly LanguageProgram[]>;
  /** Languages of the workspace for which it found none. */
  uncheckedLanguages?(): Promise<readonly UncheckedLanguage[]>;
  /** What the formatter makes of the text of an open document. Changes nothing. */
  format?(path: string): Promise<string>;
  /** Calls the listener with each event until the returned function is called. One that throws is reported. */
  subscribe(listener: (event: EditorEvent) => void): () => void;
  /** Safe to call twice. */
  close(): Promise<void>;
}

export interface Position {
  readonly line: number;
  readonly character: number;
}

/** From the start up to, not including, the end. */
export interface Range {
  readonly start: Position;
  readonly end: Position;
}

/** The last line that a range has something of: one that ends before the first character of a line has nothing of it. */
export function lastLineOf({ start, end }: Range): number {
  return Math.max(start.line, end.character === 0 ? end.line - 1 : end.line);
}

export interface FileLocation {
  readonly path: string;
  /** The selection to make. */
  readonly range?: Range;
  /** Show it in the background, without taking the focus. */
  readonly inBackground?: boolean;
}

export interface OpenDocument {
  readonly path: string;
  readonly languageId: string;
  readonly lineCount: number;
  readonly isActive: boolean;
  /** It has unsaved text. */
  readonly isDirty: boolean;
  /** It was never saved, so `path` is only a name. */
  readonly isUntitled: boolean;
}

export interface Selection {
  readonly path: string;
  readonly range: Range;
  /** As in the document, line ends included; empty when only the cursor is there. */
  readonly text: string;
}

export type Severity = 'error' | 'warning' | 'info' | 'hint';

export interface Diagnostic {
  readonly message: string;
  readonly severity: Severity;
  readonly range: Range;
  readonly source?: string;
  readonly code?: string | number;
}

export interface FileDiagnostics {
  readonly path: string;
  readonly diagnostics: readonly Diagnostic[];
}

/** A language server or checker. */
export interface LanguageProgram {
  /** For display, for example `tsc --lsp`. */
  readonly name: string;
  /** Undefined as long as it is not known. */
  readonly version: string | undefined;
  readonly kind: 'server' | 'checker';
  /** Of the program. */
  readonly path: string;
  /** Where it runs. */
  readonly folder: string;
  /** In the identifiers of the Language Server Protocol; empty if it is for all files. */
  readonly languages: readonly string[];
  /** A checker is idle between its runs. */
  readonly state: 'not started' | 'starting' | 'running' | 'idle' | 'failed' | 'not trusted';
  /** Why it failed, or what lets it run. */
  readonly problem?: string;
}

/** Files of this language have no diagnostics. */
export interface UncheckedLanguage {
  /** For display: `TypeScript`. */
  readonly title: string;
  /** What would check them: a command that installs it, or the name of a program. */
  readonly install: string;
}

export type EditorEvent =
  | { readonly kind: 'selection'; readonly selection: Selection | undefined }
  /** The user points agents to this. Lines from 0, both included. */
  | {
      readonly kind: 'mention';
      readonly path: string;
      readonly lines?: { readonly first: number; readonly last: number };
    }
  | { readonly kind: 'diagnostics'; readonly paths: readonly string[] }
  | { readonly kind: 'documents' }
  /** The user, or the bridge, has written this file through the editor. */
  | { readonly kind: 'saved'; readonly path: string }
  /** Optional members of the editor have appeared or gone. */
  | { readonly kind: 'features' }
  | { readonly kind: 'workspace'; readonly folders: readonly string[] };
