import { type FSWatcher, readdirSync, statSync, watch } from 'node:fs';
import { dirname, join } from 'node:path';

/** Of all trees that a bridge watches, roughly: the system has a limit, too, for all programs of the user. Changes in more are not seen. */
const MAX_FOLDERS = 2000;

/**
 * Calls `onChange` with files of a tree that may have changed. `files` are those that it has now, relative to it: only
 * their folders are watched, and folders that are made in them. Call the result to stop.
 */
export function watchTree(root: string, files: readonly string[], onChange: (path: string) => void): () => void {
  const watchers = new Map<string, FSWatcher>();
  let isClosed = false;
  const add = (folder: string) => {
    if (isClosed || watchers.has(folder) || watchers.size >= MAX_FOLDERS) return;
    try {
      const watcher = watch(folder, { persistent: false }, (event, name) => changed(folder, event, name));
      watcher.on('error', () => remove(folder));
      watchers.set(folder, watcher);
    } catch {
      // It has gone, or the system watches no more folders.
    }
  };
  const remove = (folder: string) => {
    watchers.get(folder)?.close();
    watchers.delete(folder);
  };
  const changed = (folder: string, event: string, name: string | null) => {
    if (isClosed || name === null || name === '.git' || name === 'node_modules') return;
    const path = join(folder, name);
    // One that went, and may have come back, is another folder: its watcher is silent from then on.
    if (event === 'rename') remove(path);
    if (statSync(path, { throwIfNoEntry: false })?.isDirectory() !== true) return onChange(path);
    if (watchers.has(path)) return;
    add(path);
    // What was made in it before it was watched.
    for (const made of watchers.has(path) ? readdirSync(path) : []) changed(path, 'rename', made);
  };
  for (const folder of new Set(['.', ...files.map((file) => dirname(file))])) add(join(root, folder));
  return () => {
    isClosed = true;
    for (const folder of [...watchers.keys()]) remove(folder);
  };
}
