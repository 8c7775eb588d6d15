import type { LanguageFeatures } from './language-features.ts';

/**
 * An editor, in its own words. Paths are absolute. Lines and characters count from 0, characters in UTF-16 code units.
 * A member that is absent is something the editor cannot do. Methods reject with an Error whose message a person can
 * read; those that wait for a person take a signal.
 */
export interface Editor extends LanguageFeatures {
  /** What people call it, such as `Neovim`. */
  readonly name: string;
  workspaceFolders(): Promise<readonly string[]>;
  /** Opens a file that exists, and shows it unless told not to. A file that is open keeps its unsaved text. */
  openFile(location: FileLocation): Promise<OpenDocument>;
  openDocuments(): Promise<readonly OpenDocument[]>;
  /** What is selected in the active document, or where its cursor is; undefined without an active document. */
  selection(): Promise<Selection | undefined>;
  /** Selects in an open document and makes it the active one. A position outside the text means the nearest one in it. */
  setSelection?(path: string, range: Range): Promise<void>;
  /** Writes an open document to disk. Rejects when the file has changed on disk since it was read. */
  save?(path: string): Promise<void>;
  /** Closes an open document; unsaved text is kept out of harm's way by refusing. */
  closeFile?(path: string): Promise<void>;
  /** One entry for the file that is asked for, although it may have none, or one for each file that has any. */
  diagnostics?(path?: string): Promise<readonly FileDiagnostics[]>;
  /** Formats an open document. What comes of it is unsaved text. */
  format?(path: string): Promise<void>;
  /**
   * Shows what would change and waits for a person. It never writes the file. Closing the view without a decision
   * rejects the proposal; aborting the signal closes the view, and the promise then rejects with the signal's reason.
   * Closing the editor decides nothing either: the promise rejects.
   */
  showDiff?(proposal: Proposal, options: { readonly signal: AbortSignal }): Promise<DiffDecision>;
  /** Calls the listener with each event until the returned function is called. One that throws harms nobody. */
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

export interface FileLocation {
  readonly path: string;
  /** What to select in it. */
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

/** A change that somebody wants to make to a file. */
export interface Proposal {
  /** Tells proposals apart for as long as the editor runs. */
  readonly id: string;
  readonly path: string;
  /** What to call it. */
  readonly title: string;
  /** Undefined for a file that does not exist yet. */
  readonly oldText: string | undefined;
  readonly newText: string;
  /** Who proposes. */
  readonly from: string;
}

/** `text` is what the file should hold: all of the proposal, parts of it, or what the person made of it. */
export type DiffDecision = { readonly kind: 'accepted'; readonly text: string } | { readonly kind: 'rejected' };

export type EditorEvent =
  | { readonly kind: 'selection'; readonly selection: Selection | undefined }
  /** The person wants an agent to look at this. Lines from 0, both included. */
  | {
      readonly kind: 'mention';
      readonly path: string;
      readonly lines?: { readonly first: number; readonly last: number };
    }
  | { readonly kind: 'diagnostics'; readonly paths: readonly string[] }
  | { readonly kind: 'documents' }
  | { readonly kind: 'workspace'; readonly folders: readonly string[] };
