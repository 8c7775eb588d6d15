import { chmodSync, existsSync, mkdirSync, readdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeEach, describe, expect, it } from 'vitest';
import { DEAD_PID } from '../../testing/dead-pid.ts';
import { type Household, temporaryHousehold } from '../../testing/program.ts';
import { recordLock } from '../discovery/lock-record.ts';

let house: Household;

beforeEach(() => {
  house = temporaryHousehold();
});

describe('what hawser serve logs of the files it finds', () => {
  it('stale locks of its own that it removes; those of other programs it leaves alone', async () => {
    const locks = join(house.home, '.claude', 'ide');
    mkdirSync(locks, { recursive: true, mode: 0o700 });
    const [own, others] = [join(locks, '1.lock'), join(locks, '2.lock')];
    const pid = DEAD_PID;
    const stale = JSON.stringify({ pid, workspaceFolders: ['/nowhere'], transport: 'ws', authToken: 'token' });
    for (const path of [own, others]) writeFileSync(path, stale);
    recordLock(own, { stateFolder: join(house.home, '.local', 'state', 'hawser'), port: 1, pid, token: 'token' });
    const { logs } = await house.serve();
    await logs(`stale lock removed path=${own}`);
    expect([own, others].map((path) => existsSync(path))).toEqual([false, true]);
  });

  it('a lock folder that every user can write to', async () => {
    const locks = join(house.home, '.claude', 'ide');
    mkdirSync(locks, { recursive: true });
    chmodSync(locks, 0o777);
    const { logs } = await house.serve();
    await logs(`error folder agent=claude-code message=Every user of this machine can write to this folder: ${locks}`);
  });

  it('ports and tokens that no start has used for half a year are forgotten', async () => {
    const state = join(house.home, '.local', 'state', 'hawser');
    mkdirSync(state, { recursive: true, mode: 0o700 });
    const day = 24 * 60 * 60 * 1000;
    const [old, recent] = ['0', '1'].map((digit) => `identity-${digit.repeat(32)}.json`) as [string, string];
    writeFileSync(join(state, old), JSON.stringify({ used: new Date(Date.now() - 181 * day).toISOString() }));
    writeFileSync(join(state, recent), JSON.stringify({ used: new Date(Date.now() - 179 * day).toISOString() }));
    const { child } = await house.serve();
    // It forgets after it has said that it listens.
    expect((await house.run('stop')).code).toBe(0);
    expect(child.pid).toBeDefined();
    expect(readdirSync(state)).not.toContain(old);
    expect(readdirSync(state)).toContain(recent);
  });
});

it('a call that is refused is one line of the log, not a stack', async () => {
  const { child, line, logs } = await house.serve();
  let written = '';
  child.stderr?.on('data', (data) => {
    written += data;
  });
  const agent = await house.agent(line);
  expect(await agent.callRaw('openFile', { filePath: 'nowhere.txt' })).toMatchObject({ isError: true });
  await logs('info failed agent=claude-code what=tool openFile');
  expect(written).not.toMatch(/^ {4}at /m);
});

it('the bridge keeps serving after the reader of its log has closed the pipe', async () => {
  const { child, line } = await house.serve();
  child.stderr?.destroy();
  // The first one may be answered before its line fails.
  for (const filePath of ['first.txt', 'second.txt']) {
    const agent = await house.agent(line);
    expect(await agent.callRaw('openFile', { filePath })).toMatchObject({ isError: true });
  }
  expect((await house.run('stop')).code).toBe(0);
});
