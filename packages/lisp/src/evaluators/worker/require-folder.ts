import { stat } from 'node:fs/promises';

/** Rejects when a folder to start in is none; a start would fail as if the program were missing. */
export async function requireFolder(path: string | undefined): Promise<void> {
  if (path === undefined) return;
  const isFolder = await stat(path).then(
    (found) => found.isDirectory(),
    () => false,
  );
  if (!isFolder) throw new Error(`The Lisp cannot start in ${path}: it is no folder.`);
}
