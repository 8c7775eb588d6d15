import { join } from 'node:path';
import { makePrivateFolder, readOwnFile, writePrivateFile } from '@hawser/user-files/private-file';

const MAX_LINES = 1000;
/** Files longer than 64 KiB are not read back. */
const MAX_BYTES = 60 * 1024;

/** What the user typed, newest first, in a file that only the user can read. */
export function readHistory(stateFolder: string): string[] {
  const text = readOwnFile(pathIn(stateFolder));
  return typeof text === 'string'
    ? text
        .split('\n')
        .filter((line) => line !== '')
        .reverse()
    : [];
}

/** Takes lines with the newest first. Throws if they can't be written. */
export function writeHistory(stateFolder: string, lines: readonly string[]): void {
  makePrivateFolder(stateFolder);
  const kept: string[] = [];
  let bytes = 0;
  for (const line of lines.slice(0, MAX_LINES)) {
    bytes += Buffer.byteLength(line) + 1;
    if (bytes > MAX_BYTES) break;
    kept.push(line);
  }
  writePrivateFile(pathIn(stateFolder), `${kept.reverse().join('\n')}\n`);
}

function pathIn(stateFolder: string): string {
  return join(stateFolder, 'shell-history');
}
