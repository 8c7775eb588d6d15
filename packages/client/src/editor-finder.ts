import type { Target } from './target.ts';

/** Contract: finds editors that serve agents, by the files that they write for them. */
export interface EditorFinder {
  /** The editor that wrote this file. Throws a TargetProblem if the file says nothing of use. */
  byFile(path: string): Target;
  /**
   * The running editor whose workspace is the current folder, or the nearest above it. Undefined if there is none; rejects
   * with a TargetProblem if there are several.
   */
  ofFolder(): Promise<Target | undefined>;
  /** Every editor that runs, those of the current folder first. `problems` are files that can't be read. */
  running(): Promise<{ readonly editors: readonly RunningEditor[]; readonly problems: readonly string[] }>;
}

export interface RunningEditor {
  readonly name: string;
  readonly pid: number | undefined;
  /** The kind of agent that it serves there. */
  readonly agent: string;
  readonly folders: readonly string[];
  /** The file that names it. */
  readonly path: string;
  /** It serves the current folder, or one above it. */
  readonly isHere: boolean;
}
