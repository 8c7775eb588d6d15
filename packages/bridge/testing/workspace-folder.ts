import { watch } from 'node:fs';
import { mkdtemp, readFile, realpath, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach } from 'vitest';

/** Makes folders that are gone after the test. */
export function temporaryFolders(): () => Promise<string> {
  const made: string[] = [];
  afterEach(async () => {
    for (const folder of made.splice(0)) await rm(folder, { recursive: true, force: true, maxRetries: 5 });
  });
  return async () => {
    const folder = await realpath(await mkdtemp(join(tmpdir(), 'hawser-workspace-')));
    made.push(folder);
    return folder;
  };
}

/** Waits for a file in a folder to have any text, and gives it. */
export function textAppears(folder: string, name: string): Promise<string> {
  return new Promise((resolve) => {
    const look = async () => {
      const text = await readFile(join(folder, name), 'utf8').catch(() => '');
      if (text === '') return;
      watcher.close();
      resolve(text);
    };
    const watcher = watch(folder, look);
    void look();
  });
}
