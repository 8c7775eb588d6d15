import { once } from 'node:events';
import { existsSync, mkdirSync, readdirSync, watch } from 'node:fs';
import { join } from 'node:path';
import { beforeEach, describe, expect, it } from 'vitest';
import { type Household, temporaryHousehold } from '../../testing/program.ts';

let house: Household;

beforeEach(() => {
  house = temporaryHousehold();
});

/** What agents and commands would find in this home. */
function found(): string[] {
  const state = join(house.home, '.local', 'state', 'hawser');
  const folders = [
    join(house.home, '.claude', 'ide'),
    join(house.home, '.copilot', 'ide'),
    join(house.home, '.qwen', 'ide'),
    join(state, 'control'),
    join(state, 'mcp'),
  ];
  return folders.filter((folder) => existsSync(folder)).flatMap((folder) => readdirSync(folder));
}

/** The first lock file is there; other adapters are not open yet. */
async function firstLock(): Promise<void> {
  const folder = join(house.home, '.claude', 'ide');
  mkdirSync(folder, { recursive: true, mode: 0o700 });
  const watcher = watch(folder);
  await once(watcher, 'change');
  watcher.close();
}

describe.each([
  ['serve', ['serve', '--headless'], 0],
  ['run --serve', ['run', '--serve', 'sleep', '600'], 143],
] as const)('hawser %s that is told to end while its bridge opens', (_name, args, expected) => {
  it.each([1, 2, 3])('leaves no lock file and no socket, and says nothing (try %i)', async () => {
    const written = firstLock();
    const child = house.start(args);
    let err = '';
    child.stderr?.on('data', (data) => {
      err += data;
    });
    const ended = once(child, 'close');
    await written;
    child.kill('SIGTERM');
    const [code] = await ended;
    expect({ code, found: found(), err: err.split('\n').filter((line) => line.startsWith('hawser:')) }).toEqual({
      code: expected,
      found: [],
      err: [],
    });
  });
});
