import { statSync } from 'node:fs';

/** Throws when a path is not a folder: the start would fail as if the program were missing. */
export function requireFolder(path: string | undefined): void {
  if (path === undefined || statSync(path, { throwIfNoEntry: false })?.isDirectory()) return;
  throw new Error(`The Lisp cannot start in ${path}: it is not a folder.`);
}
