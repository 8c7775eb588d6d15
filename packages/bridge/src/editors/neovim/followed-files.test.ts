import { mkdtempSync, realpathSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import { FollowedFiles } from './followed-files.ts';

let folder: string;
const followers: FollowedFiles[] = [];

beforeEach(() => {
  folder = realpathSync(mkdtempSync(join(tmpdir(), 'hawser-followed-')));
});

afterEach(() => {
  for (const each of followers.splice(0)) each.close();
  rmSync(folder, { recursive: true, force: true });
});

/** Follows a file, and hears of it in its own time. */
function follower(path: string, hear: () => Promise<void>) {
  const told: (readonly string[])[] = [];
  const files = new FollowedFiles(
    async (changed) => {
      told.push(changed);
      await hear();
    },
    (problem) => {
      throw problem;
    },
  );
  followers.push(files);
  files.set([path]);
  const hasHeard = (times: number) => vi.waitUntil(() => told.length >= times, { timeout: 15_000 });
  return { told, hasHeard };
}

it('what changes while a change is being told is told after that, once', async () => {
  const path = join(folder, 'a.txt');
  writeFileSync(path, '');
  let goOn = (): void => undefined;
  const slow = follower(path, () => new Promise((resolve) => (goOn = resolve)));
  const quick = follower(path, async () => undefined);
  // It may have been written before it was followed.
  await Promise.all([slow.hasHeard(1), quick.hasHeard(1)]);
  for (const times of [2, 3]) {
    writeFileSync(path, String(times));
    await quick.hasHeard(times);
  }
  expect(slow.told).toEqual([[path]]);
  goOn();
  await slow.hasHeard(2);
  expect(slow.told).toEqual([[path], [path]]);
});
