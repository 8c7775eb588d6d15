import type { Diagnostic, LanguageProgram } from '../../../editor.ts';

/** A program that finds problems: a language server or a checker. Nothing runs before the first `diagnose`. */
export interface DiagnosticsSource {
  status(): LanguageProgram;
  /**
   * Brings what is known of a file up to date, as far as that is done before the signal aborts. Rejects if the program
   * can't be used.
   */
  diagnose(file: CheckedFile, signal: AbortSignal): Promise<void>;
  /** By path; files without problems are absent. */
  readonly known: ReadonlyMap<string, readonly Diagnostic[]>;
  /** Safe to call twice. */
  close(): Promise<void>;
}

export interface CheckedFile extends SourceText {
  /** Changes whenever a file of the workspace has changed. */
  readonly generation: number;
}

/** A file as the editor has it. */
export interface SourceText {
  readonly path: string;
  readonly languageId: string;
  readonly text: string;
  /** The file on disk has this text. */
  readonly isSaved: boolean;
}

/** Resolves with the promise, or when the signal aborts. */
export async function untilAborted(promise: Promise<unknown>, signal: AbortSignal): Promise<void> {
  if (signal.aborted) return;
  await new Promise<void>((resolve, reject) => {
    const stop = () => resolve();
    signal.addEventListener('abort', stop, { once: true });
    promise.then(() => resolve(), reject).finally(() => signal.removeEventListener('abort', stop));
  });
}
