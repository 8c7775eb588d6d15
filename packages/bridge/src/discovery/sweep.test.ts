import { spawnSync } from 'node:child_process';
import { once } from 'node:events';
import {
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  symlinkSync,
  utimesSync,
  writeFileSync,
} from 'node:fs';
import { createServer } from 'node:net';
import { join } from 'node:path';
import { isAlive } from '@hawser/user-files/alive';
import { machineName } from '@hawser/user-files/machine';
import { describe, expect, it } from 'vitest';
import { startChild } from '../../testing/child.ts';
import { temporaryFolder } from '../../testing/temporary-folder.ts';
import { claudeLockReader } from '../agents/claude-code/lock.ts';
import { isListening } from './listening.ts';
import { recordFiles, recordLock } from './lock-record.ts';
import { findLocks, type SweepOptions, sweep } from './sweep.ts';

const read = claudeLockReader({ runningInWindows: false });
const recordedBefore = new Date('2026-01-01T00:00:00Z');
const real: SweepOptions = { isAlive, isListening, recordedBefore };
const DEAD = 100;
const LIVE = 200;
/** Process 200 is alive, port 2000 listens. */
const fixed: SweepOptions = {
  isAlive: (pid) => pid === LIVE,
  isListening: async ({ port }) => port === 2000,
  recordedBefore,
};

describe('a sweep after a crash', () => {
  it('removes the lock of a bridge that was killed, and leaves those of the living', async () => {
    const { folder, directory, stateFolder } = folders();
    const killed = await startChild(bridgeProgram(directory, stateFolder), { folder });
    const living = await startChild(bridgeProgram(directory, stateFolder), { folder });
    const [killedPath, livingPath] = [await killed.line(), await living.line()];
    expect(await sweep(stateFolder, real)).toEqual([]);
    await killed.end('SIGKILL');
    expect(readFileSync(killedPath, 'utf8')).toContain(`"pid":${killed.pid}`);
    expect(await sweep(stateFolder, real)).toEqual([killedPath]);
    expect(existsSync(livingPath)).toBe(true);
    expect(findLocks(directory, read).map(({ pid }) => pid)).toEqual([living.pid]);
    expect(recordFiles(stateFolder)).toHaveLength(1);
  });

  it('leaves no trace of a bridge killed at whatever moment of its writing', async () => {
    const { folder, directory, stateFolder } = folders();
    for (let round = 0; round < 5; round++) {
      const child = await startChild(busyProgram(directory, stateFolder), { folder });
      await child.line();
      await child.end('SIGKILL');
      await sweep(stateFolder, real);
      expect(readdirSync(directory)).toEqual([]);
      expect(readdirSync(join(stateFolder, 'locks'))).toEqual([]);
    }
  });

  const inContainer = ['--pid', '--net', '--fork', '--mount-proc'];
  it('in a container leaves the locks of bridges outside it alone', async (context) => {
    const hasContainers = spawnSync('unshare', [...inContainer, 'true']).status === 0;
    if (!hasContainers) context.skip('it needs root, or the right to use unshare');
    const { folder, directory, stateFolder } = folders();
    const outside = await startChild(bridgeProgram(directory, stateFolder), { folder });
    const path = await outside.line();
    const inside = await startChild(sweepProgram(stateFolder), { folder, run: ['unshare', ...inContainer] });
    expect(JSON.parse(await inside.line())).toEqual([]);
    expect(existsSync(path)).toBe(true);
    expect(recordFiles(stateFolder)).toHaveLength(1);
  });
});

describe('a sweep', () => {
  it('removes what a dead process wrote about the address that the caller has now, and keeps what the caller wrote', async () => {
    const { directory, stateFolder } = folders();
    mkdirSync(directory, { recursive: true });
    const [left, own] = ['left', 'own'].map((name) => {
      const path = join(directory, `${name}.json`);
      writeFileSync(path, 'token');
      recordLock(path, { stateFolder, port: 2000, pid: DEAD, token: 'token' });
      return path;
    }) as [string, string];
    const removed = await sweep(stateFolder, { ...fixed, own: [{ address: { port: 2000 }, paths: [own] }] });
    expect(removed).toEqual([left]);
    expect(existsSync(own)).toBe(true);
  });

  it('asks the socket of a lock that names one', async () => {
    const { directory, stateFolder } = folders();
    const sockets = { silent: join(stateFolder, 'silent.sock'), living: join(stateFolder, 'living.sock') };
    mkdirSync(stateFolder, { recursive: true });
    const server = createServer().listen(sockets.living);
    await once(server, 'listening');
    const paths = Object.entries(sockets).map(([name, socketPath]) => {
      const path = join(directory, `${name}.lock`);
      mkdirSync(directory, { recursive: true });
      writeFileSync(path, 'token');
      recordLock(path, { stateFolder, port: 0, socketPath, pid: DEAD, token: 'token' });
      return path;
    });
    const removed = await sweep(stateFolder, { ...real, isAlive: () => false });
    server.close();
    expect(removed).toEqual([paths[0]]);
    expect(readdirSync(directory)).toEqual(['living.lock']);
  });

  it('removes a lock only if its process is dead and its port silent', async () => {
    const { directory, stateFolder } = folders();
    const stale = writeLock(directory, stateFolder, { port: 1000, pid: DEAD });
    writeLock(directory, stateFolder, { port: 1001, pid: LIVE });
    writeLock(directory, stateFolder, { port: 2000, pid: DEAD });
    expect(await sweep(stateFolder, fixed)).toEqual([stale]);
    expect(readdirSync(directory)).toEqual(['1001.lock', '2000.lock']);
    expect(recordFiles(stateFolder)).toHaveLength(2);
  });

  it("leaves every other program's lock, whatever it says", async () => {
    const { directory, stateFolder } = folders();
    writeLock(directory, stateFolder, { port: 1000, pid: DEAD });
    const theirs = {
      '1001.lock': lockOf(DEAD, 'theirs'),
      '1002.lock': 'nonsense',
      '.1003.lock.100-0123456789ab.tmp': '{"pi',
    };
    for (const [name, text] of Object.entries(theirs)) writeFileSync(join(directory, name), text);
    expect(await sweep(stateFolder, fixed)).toEqual([join(directory, '1000.lock')]);
    expect(readdirSync(directory)).toEqual(Object.keys(theirs).sort());
  });

  it('leaves a lock that another program wrote in its place', async () => {
    const { directory, stateFolder } = folders();
    const path = writeLock(directory, stateFolder, { port: 1000, pid: DEAD });
    writeFileSync(path, lockOf(DEAD, 'theirs'));
    expect(await sweep(stateFolder, fixed)).toEqual([]);
    expect(readFileSync(path, 'utf8')).toBe(lockOf(DEAD, 'theirs'));
    expect(recordFiles(stateFolder)).toEqual([]);
  });

  it('leaves a link or a folder in the place of our lock', async () => {
    const { directory, stateFolder } = folders();
    const link = writeLock(directory, stateFolder, { port: 1000, pid: DEAD });
    const folder = writeLock(directory, stateFolder, { port: 1001, pid: DEAD });
    const elsewhere = join(stateFolder, 'elsewhere');
    renameSync(link, elsewhere);
    symlinkSync(elsewhere, link);
    rmSync(folder);
    mkdirSync(folder);
    expect(await sweep(stateFolder, fixed)).toEqual([]);
    expect(readdirSync(directory)).toEqual(['1000.lock', '1001.lock']);
  });

  it('leaves the locks of another machine, and forgets their records after the given time', async () => {
    const { directory, stateFolder } = folders();
    const path = writeLock(directory, stateFolder, { port: 1000, pid: DEAD });
    const [record = ''] = recordFiles(stateFolder);
    writeFileSync(record, readFileSync(record, 'utf8').replace(machineName(), 'another'));
    expect(await sweep(stateFolder, fixed)).toEqual([]);
    expect(recordFiles(stateFolder)).toEqual([record]);
    utimesSync(record, new Date('2025-01-01'), new Date('2025-01-01'));
    expect(await sweep(stateFolder, fixed)).toEqual([]);
    expect(recordFiles(stateFolder)).toEqual([]);
    expect(existsSync(path)).toBe(true);
  });

  it('keeps the lock of a dead process whose port is in use', async () => {
    const { folder, directory, stateFolder } = folders();
    const gone = await startChild('', { folder });
    await gone.end('SIGKILL');
    const server = createServer((socket) => socket.on('error', () => {})).listen(0, '127.0.0.1');
    await once(server, 'listening');
    const address = server.address();
    const port = typeof address === 'object' ? (address?.port ?? 0) : 0;
    const path = writeLock(directory, stateFolder, { port, pid: gone.pid });
    expect(await sweep(stateFolder, real)).toEqual([]);
    expect(existsSync(path)).toBe(true);
    server.close();
    await once(server, 'close');
    expect(await sweep(stateFolder, real)).toEqual([path]);
  });

  it('leaves a lock that a new owner wrote while its port was asked', async () => {
    const { directory, stateFolder } = folders();
    const path = writeLock(directory, stateFolder, { port: 1000, pid: DEAD });
    const isListeningSoon = async () => {
      writeLock(directory, stateFolder, { port: 1000, pid: LIVE });
      return false;
    };
    expect(await sweep(stateFolder, { ...fixed, isListening: isListeningSoon })).toEqual([]);
    expect(existsSync(path)).toBe(true);
    expect(recordFiles(stateFolder)).toHaveLength(1);
  });

  it.each(['nonsense', '{}', '{"path":1}', '{"path":"/","port":1,"pid":1,"machine":"x","token":""}'])(
    'removes nothing because of a damaged record: %s',
    async (text) => {
      const { directory, stateFolder } = folders();
      const path = writeLock(directory, stateFolder, { port: 1000, pid: DEAD });
      for (const record of recordFiles(stateFolder)) writeFileSync(record, text);
      expect(await sweep(stateFolder, fixed)).toEqual([]);
      expect(existsSync(path)).toBe(true);
    },
  );

  it('removes what a dead writer of this machine left half written, and no other', async () => {
    const { directory, stateFolder } = folders();
    writeLock(directory, stateFolder, { port: 1001, pid: LIVE });
    const name = (machine: string, pid: number) => `.1.lock.${machine}-${pid}-0123456789ab.tmp`;
    const [left, busy, elsewhere] = [name(machineName(), DEAD), name(machineName(), LIVE), name('0123456789ab', DEAD)];
    for (const each of [left, busy, elsewhere]) writeFileSync(join(directory, each), '{"pi');
    expect(await sweep(stateFolder, fixed)).toEqual([join(directory, left)]);
    expect(readdirSync(directory).sort()).toEqual([busy, elsewhere, '1001.lock'].sort());
  });

  it('without a record finds nothing', async () => {
    const { stateFolder } = folders();
    expect(await sweep(join(stateFolder, 'none'), fixed)).toEqual([]);
    expect(findLocks(join(stateFolder, 'none'), read)).toEqual([]);
  });
});

describe('findLocks', () => {
  it('gives what the locks say, and passes over the rest', () => {
    const text = '{"pid":100,"workspaceFolders":["/a",1],"authToken":"t","ideName":"x","transport":"ws"}';
    const directory = temporaryFolder();
    const files = { '1000.lock': text, '1001.lock': 'nonsense', 'a.txt': '' };
    for (const [name, content] of Object.entries(files)) writeFileSync(join(directory, name), content);
    expect(findLocks(directory, read)).toEqual([{ port: 1000, pid: 100, token: 't', folders: ['/a'] }]);
  });
});

function folders() {
  const folder = temporaryFolder();
  const [directory, stateFolder] = [join(folder, 'ide'), join(folder, 'state')];
  for (const path of [directory, stateFolder]) mkdirSync(path);
  return { folder, directory, stateFolder };
}

/** Writes and records a lock the way a bridge does; its token is that of its process. */
function writeLock(directory: string, stateFolder: string, { port, pid }: { port: number; pid: number }): string {
  const path = join(directory, `${port}.lock`);
  const token = `token-${pid}`;
  recordLock(path, { stateFolder, port, pid, token });
  writeFileSync(path, lockOf(pid, token));
  return path;
}

function lockOf(pid: number, authToken: string): string {
  return JSON.stringify({ pid, workspaceFolders: ['/w'], ideName: 'x', transport: 'ws', authToken });
}

/** Listens on a port and keeps a lock that says so. */
function bridgeProgram(directory: string, stateFolder: string): string {
  return `
    import { createServer } from 'node:net';
    import { claudeLock } from '../agents/claude-code/lock.ts';
    import { openLockFile } from './lock-file.ts';
    const server = createServer((socket) => socket.on('error', () => {})).listen(0, '127.0.0.1', () => {
      const { port } = server.address();
      const token = 'token-' + process.pid;
      const lock = claudeLock({ lockFolder: '', ideName: 'x', runningInWindows: false }, process.pid);
      const file = openLockFile({
        directory: ${JSON.stringify(directory)},
        name: lock.nameFor({ port }),
        content: lock.contentFor({ port, token, folders: ['/'] }),
        isTaken: () => false,
        owner: { stateFolder: ${JSON.stringify(stateFolder)}, pid: process.pid, port, token },
      });
      console.log(file.path);
    });
  `;
}

/** Writes its lock as fast as it can. */
function busyProgram(directory: string, stateFolder: string): string {
  return `
    import { openLockFile } from './lock-file.ts';
    const contentOf = (round) => JSON.stringify({ pid: process.pid, authToken: 'token', round });
    const file = openLockFile({
      directory: ${JSON.stringify(directory)}, name: '1.lock', content: contentOf(0), isTaken: () => false,
      owner: { stateFolder: ${JSON.stringify(stateFolder)}, pid: process.pid, port: 1, token: 'token' },
    });
    console.log(file.path);
    for (let round = 1; ; round++) file.update(contentOf(round));
  `;
}

function sweepProgram(stateFolder: string): string {
  return `
    import { isAlive } from '@hawser/user-files/alive';
    import { isListening } from './listening.ts';
    import { sweep } from './sweep.ts';
    const options = { isAlive, isListening, recordedBefore: new Date(0) };
    console.log(JSON.stringify(await sweep(${JSON.stringify(stateFolder)}, options)));
  `;
}
