import type { Dirent } from 'node:fs';
import { readdir } from 'node:fs/promises';
import { join } from 'node:path';

export interface WorkspaceFiles {
  readonly files: readonly string[];
  /** Folders in which a project has installed programs. */
  readonly projects: readonly string[];
}

/** Folders that hold nothing written by hand. */
const SKIPPED = new Set(['node_modules', 'venv', 'target', 'dist', 'build', 'out', '__pycache__', 'vendor']);
const INSTALLED = new Set(['node_modules', '.venv', 'venv']);

/** The files of a folder and of those below it, nearest first, up to a number. Links and hidden folders are not followed. */
export async function surveyFiles(root: string, maxFiles: number): Promise<WorkspaceFiles> {
  const files: string[] = [];
  const projects = [root];
  const folders = [root];
  for (const folder of folders) {
    const entries = await readdir(folder, { withFileTypes: true }).catch((): Dirent[] => []);
    for (const entry of entries) {
      if (files.length >= maxFiles || folders.length >= maxFiles) return { files, projects };
      const path = join(folder, entry.name);
      if (entry.isFile()) files.push(path);
      if (!entry.isDirectory()) continue;
      if (INSTALLED.has(entry.name) && folder !== root) projects.push(folder);
      if (!SKIPPED.has(entry.name) && !entry.name.startsWith('.')) folders.push(path);
    }
  }
  return { files, projects };
}
