import type { LineEnds } from '../comparable-text.ts';
import type { Written } from './proposal.ts';

/** Writes what the user accepted, for agents that don't. */
export interface Applier {
  /**
   * Writes all of them or none, and resolves to what each file contains then. Rejects with an Error for the user: the
   * files are as they were before, or the message says which one is not.
   */
  apply(writes: readonly FileWrite[], entries?: readonly EntryWrite[]): Promise<readonly Written[]>;
}

/** A change that is not of a text: of a mode, a link, or a file that is not text. Made after the texts. */
export interface EntryWrite {
  /** Resolves to what takes it back. Rejects with an Error for the user; then nothing is changed. */
  put(): Promise<() => Promise<void>>;
}

export interface FileWrite {
  readonly path: string;
  /** What the file has to contain before; undefined if there must be no file. */
  readonly expected: string | undefined;
  /** Undefined removes the file. */
  readonly text: string | undefined;
  readonly lineEnds: LineEnds;
}
