import { realpathSync } from 'node:fs';
import { resolve } from 'node:path';

/** Folders with their symbolic links resolved, each once, in the order given. */
export function realFolders(folders: readonly string[]): string[] {
  return [...new Set(folders.map(realFolder))];
}

function realFolder(folder: string): string {
  try {
    return realpathSync.native(folder);
  } catch {
    return resolve(folder);
  }
}
