import { existsSync } from 'node:fs';
import { writeFile } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import type { TrafficEntry } from '../../../traffic/traffic.ts';

/** A name that no file there has yet. */
export function freeName(folder: string): string {
  for (let number = 1; ; number += 1) {
    const name = `hawser-traffic${number === 1 ? '' : `-${number}`}.jsonl`;
    if (!existsSync(join(folder, name))) return name;
  }
}

/** Writes the messages to a new file that only the user can read, one a line, and returns its path. */
export async function saveTraffic(name: string, folder: string, entries: readonly TrafficEntry[]): Promise<string> {
  const path = resolve(folder, name);
  const lines = entries.map(({ characters: _, time, ...entry }) => {
    return `${JSON.stringify({ time: new Date(time).toISOString(), ...entry })}\n`;
  });
  try {
    await writeFile(path, lines.join(''), { mode: 0o600, flag: 'wx' });
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error;
    throw new Error(`${path} exists already; choose another name`, { cause: error });
  }
  return path;
}
