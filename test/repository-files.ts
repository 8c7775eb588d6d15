import { readdirSync } from 'node:fs';
import { join } from 'node:path';

export const root = join(import.meta.dirname, '..');

/** Folders that are made, not written. */
const MADE = new Set(['node_modules', 'dist', 'build', 'distribution', 'reference', 'cache']);

/** The files of the repository, relative to its root; those in hidden folders are left out. Needs no git. */
export function repositoryFiles(folder = ''): string[] {
  return readdirSync(join(root, folder), { withFileTypes: true }).flatMap((entry) => {
    const path = join(folder, entry.name);
    if (entry.name.startsWith('.') || MADE.has(entry.name)) return [];
    return entry.isDirectory() ? repositoryFiles(path) : [path];
  });
}
