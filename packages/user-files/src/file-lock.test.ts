import { existsSync, mkdtempSync, readFileSync, rmSync, utimesSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { beforeEach, expect, it, onTestFinished } from 'vitest';
import { DEAD_PID } from '../../bridge/testing/dead-pid.ts';
import { takeFileLock } from './file-lock.ts';
import { machineName } from './machine.ts';

let path: string;

beforeEach(() => {
  const folder = mkdtempSync(join(tmpdir(), 'hawser-lock-'));
  onTestFinished(() => rmSync(folder, { recursive: true }));
  path = join(folder, 'a.lock');
});

const take = (signal = new AbortController().signal) => takeFileLock(path, signal);

it('is held until it is released, and who waits for it can stop', async () => {
  const release = await take();
  const waiting = new AbortController();
  const second = take(waiting.signal);
  waiting.abort(new Error('No more'));
  await expect(second).rejects.toThrow('No more');
  const third = take();
  await release();
  await (await third)();
  expect(existsSync(path)).toBe(false);
});

const LONG_AGO = new Date(Date.now() - 200_000);

it.each([
  ['a process that has ended', `${machineName()} ${DEAD_PID}`, undefined],
  ['a process whose number another one has by now', `${machineName()} ${process.pid}`, LONG_AGO],
  ['another machine, long ago', 'elsewhere 1', LONG_AGO],
  ['nobody, long ago', '', LONG_AGO],
])('of %s is taken', async (_, owner, since) => {
  writeFileSync(path, owner);
  if (since !== undefined) utimesSync(path, since, since);
  const release = await take();
  expect(readFileSync(path, 'utf8')).toBe(`${machineName()} ${process.pid}`);
  await release();
});
