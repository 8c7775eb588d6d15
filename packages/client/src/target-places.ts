import type { EditorFinder } from './editor-finder.ts';

/** What decides which server the user means. */
export interface TargetPlaces {
  readonly cwd: string;
  readonly home: string;
  readonly variables: Readonly<Record<string, string | undefined>>;
  /** Loads what finds editors; undefined in a program that knows none. */
  readonly editors?: () => Promise<EditorFinder>;
}
