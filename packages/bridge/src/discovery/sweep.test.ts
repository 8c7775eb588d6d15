import { once } from 'node:events';
import { chownSync, mkdirSync, readdirSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:net';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { startChild } from '../../testing/child.ts';
import { temporaryFolder } from '../../testing/temporary-folder.ts';
import { isAlive, isListening } from './alive.ts';
import { claudeLockReader } from './claude-lock.ts';
import { readJetbrainsLock } from './jetbrains-lock.ts';
import { findLocks, type SweepOptions, sweep } from './sweep.ts';

const read = claudeLockReader({ runningInWindows: false });
const real: SweepOptions = { read, isAlive, isListening };
const DEAD = 100;
const LIVE = 200;
/** Process 200 lives, port 2000 listens. */
const told: SweepOptions = { read, isAlive: (pid) => pid === LIVE, isListening: async (port) => port === 2000 };

describe('a sweep after a crash', () => {
  it('removes the lock of a bridge that was killed, and leaves those of the living', async () => {
    const folder = temporaryFolder();
    const directory = join(folder, 'ide');
    const killed = await startChild(bridgeProgram(directory), { folder });
    const living = await startChild(bridgeProgram(directory), { folder });
    const [killedPath, livingPath] = [await killed.line(), await living.line()];
    expect(await sweep(directory, real)).toMatchObject({ removed: [] });
    await killed.end('SIGKILL');
    expect(readFileSync(killedPath, 'utf8')).toContain(`"pid":${killed.pid}`);
    expect(await sweep(directory, real)).toEqual({ removed: [killedPath], kept: [livingPath], unjudged: [] });
    expect(findLocks(directory, read).map(({ path }) => path)).toEqual([livingPath]);
  });

  it('leaves no trace of a bridge killed at whatever moment of its writing', async () => {
    const folder = temporaryFolder();
    const directory = join(folder, 'ide');
    for (let round = 0; round < 5; round++) {
      const child = await startChild(busyProgram(directory), { folder });
      await child.line();
      await child.end('SIGKILL');
      await sweep(directory, real);
      expect(readdirSync(directory)).toEqual([]);
    }
  }, 30_000);
});

describe('a sweep', () => {
  it('removes a lock only if its process is dead and its port silent', async () => {
    const directory = folderWith({
      '1000.lock': lockOf(DEAD),
      '1001.lock': lockOf(LIVE),
      '2000.lock': lockOf(DEAD),
    });
    expect(await sweep(directory, told)).toEqual({
      removed: [join(directory, '1000.lock')],
      kept: [join(directory, '1001.lock'), join(directory, '2000.lock')],
      unjudged: [],
    });
    expect(readdirSync(directory)).toEqual(['1001.lock', '2000.lock']);
  });

  it('keeps the lock of a dead process whose port somebody listens on', async () => {
    const folder = temporaryFolder();
    const gone = await startChild('', { folder });
    await gone.end('SIGKILL');
    const server = createServer((socket) => socket.on('error', () => {})).listen(0, '127.0.0.1');
    await once(server, 'listening');
    const address = server.address();
    const name = `${typeof address === 'object' ? address?.port : ''}.lock`;
    const directory = folderWith({ [name]: lockOf(gone.pid) });
    expect((await sweep(directory, real)).kept).toEqual([join(directory, name)]);
    server.close();
    await once(server, 'close');
    expect((await sweep(directory, real)).removed).toEqual([join(directory, name)]);
  });

  it.each([
    ['1000.lock', 'nonsense', 'It holds no JSON object'],
    ['1000.lock', '[1]', 'It holds no JSON object'],
    ['1000.lock', '', 'It holds no JSON object'],
    ['1000.lock', '{"workspaceFolders":[]}', 'It names no process'],
    ['1000.lock', '{"pid":-1}', 'It names no process'],
    ['1000.lock', '{"pid":0}', 'It names no process'],
    ['1000.lock', '{"pid":100,"runningInWindows":true}', 'It is of another system'],
    ['1000.txt', '{"pid":100}', 'Its name is not that of a lock'],
    ['0.lock', '{"pid":100}', 'Its name is not that of a lock'],
    ['70000.lock', '{"pid":100}', 'Its name is not that of a lock'],
    ['01.lock', '{"pid":100}', 'Its name is not that of a lock'],
    ['.a.lock.tmp', '{"pid":100}', 'Its name is not that of a lock'],
  ])('leaves and reports what is not its to judge: %s %s', async (name, text, why) => {
    const directory = folderWith({ [name]: text });
    const path = join(directory, name);
    expect(await sweep(directory, told)).toEqual({ removed: [], kept: [], unjudged: [{ path, why }] });
    expect(readFileSync(path, 'utf8')).toBe(text);
  });

  it('leaves and reports links, folders and files too long to be locks', async () => {
    const directory = folderWith({ '1003.lock': `{"pid":100}${' '.repeat(70_000)}` });
    symlinkSync('/etc/hostname', join(directory, '1001.lock'));
    mkdirSync(join(directory, '1002.lock'));
    const { removed, unjudged } = await sweep(directory, told);
    expect(removed).toEqual([]);
    expect(unjudged.map(({ why }) => why.slice(0, why.indexOf(':')))).toEqual([
      'Not a regular file',
      'Not a regular file',
      'Longer than 65536 bytes',
    ]);
  });

  it.skipIf(process.getuid?.() !== 0)('leaves and reports the files of another user (needs root)', async () => {
    const directory = folderWith({ '1000.lock': lockOf(DEAD) });
    const path = join(directory, '1000.lock');
    chownSync(path, 12_345, 12_345);
    expect((await sweep(directory, told)).unjudged).toEqual([{ path, why: `A file of another user: ${path}` }]);
  });

  it('leaves a lock that a new owner wrote while its port was asked', async () => {
    const directory = folderWith({ '1000.lock': lockOf(DEAD) });
    const isListeningSoon = async () => {
      writeFileSync(join(directory, '1000.lock'), lockOf(LIVE));
      return false;
    };
    expect((await sweep(directory, { ...told, isListening: isListeningSoon })).removed).toEqual([]);
    expect(readFileSync(join(directory, '1000.lock'), 'utf8')).toBe(lockOf(LIVE));
  });

  it('removes what a dead writer left half written, and leaves what a live one is writing', async () => {
    const [left, busy] = [`.1.lock.${DEAD}-0123456789ab.tmp`, `.1.lock.${LIVE}-0123456789ab.tmp`];
    const directory = folderWith({ [left]: '{"pi', [busy]: '{"pi' });
    expect(await sweep(directory, told)).toEqual({ removed: [join(directory, left)], kept: [], unjudged: [] });
    expect(readdirSync(directory)).toEqual([busy]);
  });

  it('of a folder that does not exist finds nothing', async () => {
    const directory = join(temporaryFolder(), 'ide');
    expect(await sweep(directory, told)).toEqual({ removed: [], kept: [], unjudged: [] });
    expect(findLocks(directory, read)).toEqual([]);
  });

  it('of locks that name no process removes those with a token of ours and a silent port', async () => {
    const directory = folderWith({
      '1000.json': jetbrainsLockOf(1000, 'ours'),
      '1001.json': jetbrainsLockOf(1001, 'theirs'),
      '2000.json': jetbrainsLockOf(2000, 'ours'),
    });
    expect(await sweep(directory, { ...told, read: readJetbrainsLock, ownTokens: ['ours'] })).toEqual({
      removed: [join(directory, '1000.json')],
      kept: [join(directory, '2000.json')],
      unjudged: [{ path: join(directory, '1001.json'), why: 'It does not say whose it is' }],
    });
  });
});

describe('findLocks', () => {
  it('gives what the locks say, and passes over the rest', () => {
    const text = '{"pid":100,"workspaceFolders":["/a",1],"authToken":"t","ideName":"x","transport":"ws"}';
    const directory = folderWith({ '1000.lock': text, '1001.lock': 'nonsense', 'a.txt': '' });
    expect(findLocks(directory, read)).toEqual([
      { path: join(directory, '1000.lock'), lock: { port: 1000, pid: 100, token: 't', folders: ['/a'] } },
    ]);
  });
});

function folderWith(files: Readonly<Record<string, string>>): string {
  const directory = temporaryFolder();
  for (const [name, text] of Object.entries(files)) writeFileSync(join(directory, name), text);
  return directory;
}

function lockOf(pid: number): string {
  return JSON.stringify({ pid, workspaceFolders: ['/w'], ideName: 'x', transport: 'ws', authToken: 't' });
}

function jetbrainsLockOf(port: number, authToken: string): string {
  return JSON.stringify({ port, authToken, projectPath: '/w' });
}

/** Listens on a port and keeps a lock that says so. */
function bridgeProgram(directory: string): string {
  return `
    import { createServer } from 'node:net';
    import { claudeLockContent, claudeLockName } from './claude-lock.ts';
    import { openLockFile } from './lock-file.ts';
    const server = createServer((socket) => socket.on('error', () => {})).listen(0, '127.0.0.1', () => {
      const file = openLockFile({
        directory: ${JSON.stringify(directory)},
        name: claudeLockName(server.address().port),
        content: claudeLockContent({
          pid: process.pid, workspaceFolders: ['/'], ideName: 'x', authToken: 't', runningInWindows: false,
        }),
        isTaken: () => false,
      });
      console.log(file.path);
    });
  `;
}

/** Writes its lock as fast as it can. */
function busyProgram(directory: string): string {
  return `
    import { openLockFile } from './lock-file.ts';
    const contentOf = (round) => JSON.stringify({ pid: process.pid, round });
    const file = openLockFile({
      directory: ${JSON.stringify(directory)}, name: '1.lock', content: contentOf(0), isTaken: () => false,
    });
    console.log(file.path);
    for (let round = 1; ; round++) file.update(contentOf(round));
  `;
}
