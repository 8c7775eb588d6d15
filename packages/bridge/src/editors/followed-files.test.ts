import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { temporaryFolder } from '../../testing/temporary-folder.ts';
import { FollowedFiles } from './followed-files.ts';

let folder: string;
const followers: FollowedFiles[] = [];

beforeEach(() => {
  folder = temporaryFolder();
});

afterEach(() => {
  for (const each of followers.splice(0)) each.close();
});

/** Follows a file, and takes its time with each change. */
function follower(path: string, receive: () => Promise<void>) {
  const reported: (readonly string[])[] = [];
  let wake = (): void => undefined;
  const files = new FollowedFiles(
    async (changed) => {
      reported.push(changed);
      wake();
      await receive();
    },
    (problem) => {
      throw problem;
    },
  );
  followers.push(files);
  files.set([path]);
  const hasReported = async (times: number): Promise<void> => {
    while (reported.length < times) {
      await new Promise<void>((resolve) => {
        wake = resolve;
      });
    }
  };
  return { reported, hasReported };
}

it('what changes while a change is being reported is reported after that, once', async () => {
  const path = join(folder, 'a.txt');
  writeFileSync(path, '');
  let goOn = (): void => undefined;
  const slow = follower(path, () => new Promise((resolve) => (goOn = resolve)));
  const quick = follower(path, async () => undefined);
  // It may have been written before it was followed.
  await Promise.all([slow.hasReported(1), quick.hasReported(1)]);
  for (const times of [2, 3]) {
    writeFileSync(path, String(times));
    await quick.hasReported(times);
  }
  expect(slow.reported).toEqual([[path]]);
  goOn();
  await slow.hasReported(2);
  expect(slow.reported).toEqual([[path], [path]]);
});
