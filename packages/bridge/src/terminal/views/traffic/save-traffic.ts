import { existsSync } from 'node:fs';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import type { ControlClient } from '../../../control/control-client.ts';
import type { TrafficEntry } from '../../../traffic/traffic.ts';

/** A bridge that does not answer does not keep the file from being written. */
const ANNOUNCE_MS = 2000;

/** A name that no file there has yet. */
export function freeName(folder: string): string {
  for (let number = 1; ; number += 1) {
    const name = `hawser-traffic${number === 1 ? '' : `-${number}`}.jsonl`;
    if (!existsSync(join(folder, name))) return name;
  }
}

/**
 * Writes the messages to a new file that only the user can read, one a line, and tells the bridge that no agent
 * writes it.
 */
export async function saveTraffic(
  path: string,
  entries: readonly TrafficEntry[],
  bridge: Pick<ControlClient, 'announce'>,
): Promise<void> {
  const lines = entries.map(({ characters: _, time, ...entry }) => {
    return `${JSON.stringify({ time: new Date(time).toISOString(), ...entry })}\n`;
  });
  const text = lines.join('');
  const announce = (content: string | undefined) =>
    // An older bridge does not know the call.
    Promise.race([bridge.announce(path, content).catch(() => {}), delay(ANNOUNCE_MS, undefined, { ref: false })]);
  const taken = new Error(`${path} exists already; choose another name`);
  if (existsSync(path)) throw taken;
  await announce(text);
  try {
    await writeFile(path, text, { mode: 0o600, flag: 'wx' });
  } catch (error) {
    await announce(undefined);
    throw (error as NodeJS.ErrnoException).code === 'EEXIST' ? taken : error;
  }
}
