import { realpathSync } from 'node:fs';
import { dirname, resolve } from 'node:path';

/** Folders with their symbolic links resolved, each once, in the order given. */
export function realFolders(folders: readonly string[]): string[] {
  return [...new Set(folders.map(realFolder))];
}

/** A folder and those above it, the nearest first. */
export function withParents(folder: string): string[] {
  const parent = dirname(folder);
  return parent === folder ? [folder] : [folder, ...withParents(parent)];
}

function realFolder(folder: string): string {
  try {
    return realpathSync.native(folder);
  } catch {
    return resolve(folder);
  }
}
