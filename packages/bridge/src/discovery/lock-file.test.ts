import {
  chmodSync,
  chownSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  symlinkSync,
  unlinkSync,
  watch,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it, onTestFinished } from 'vitest';
import { startChild } from '../../testing/child.ts';
import { temporaryFolder } from '../../testing/temporary-folder.ts';
import { claudeLockReader } from '../agents/claude-code/lock.ts';
import {
  heldByAnother,
  type LockFile,
  type LockFileEvent,
  type LockFileOptions,
  openLockFile,
  type WatchFolder,
} from './lock-file.ts';

const NAME = '40123.lock';
const cannotWatch: WatchFolder = () => {
  throw new Error('ENOSPC: System limit for number of file watchers reached');
};

describe('an open lock file', () => {
  it('is there with its content, for this user alone, in a folder for this user alone', () => {
    const directory = join(temporaryFolder(), 'a', 'ide');
    const { file } = open({ directory });
    expect(file.path).toBe(join(directory, NAME));
    expect(readFileSync(file.path, 'utf8')).toBe('{"pid":1}');
    expect(modeOf(file.path)).toBe('600');
    expect(modeOf(directory)).toBe('700');
    expect(modeOf(join(directory, '..'))).toBe('700');
    expect(file.warning).toBeUndefined();
    expect(readdirSync(directory)).toEqual([NAME]);
  });

  it('is as private under a umask that hides nothing or everything', () => {
    const before = process.umask();
    onTestFinished(() => void process.umask(before));
    for (const umask of [0o000, 0o277]) {
      const directory = join(temporaryFolder(), 'ide');
      process.umask(umask);
      const { file } = open({ directory });
      process.umask(before);
      expect([modeOf(directory), modeOf(file.path)]).toEqual(['700', '600']);
    }
  });

  it('leaves the mode of a folder that was there', () => {
    const directory = temporaryFolder();
    chmodSync(directory, 0o755);
    const { file } = open({ directory });
    expect(modeOf(directory)).toBe('755');
    expect(file.warning).toBeUndefined();
  });

  it('warns of a folder that everybody can write to', () => {
    const directory = temporaryFolder();
    chmodSync(directory, 0o777);
    const { file } = open({ directory });
    expect(file.warning?.message).toBe(`Every user of this machine can write to this folder: ${directory}`);
    expect(modeOf(directory)).toBe('777');
  });

  it.skipIf(process.getuid?.() !== 0)('warns of a folder of another user (needs root)', () => {
    const directory = temporaryFolder();
    chownSync(directory, 12_345, 12_345);
    expect(open({ directory }).file.warning?.message).toContain('This folder belongs to another user');
  });

  it('does not keep its process running', async () => {
    const folder = temporaryFolder();
    const child = await startChild(idleProgram(folder), { folder });
    expect(await child.line()).toBe('open');
    await child.ended;
    expect(existsSync(join(folder, NAME))).toBe(false);
  });

  it('replaces what an earlier owner of the port left', () => {
    const directory = temporaryFolder();
    writeFileSync(join(directory, NAME), 'old', { mode: 0o644 });
    const { file } = open({ directory });
    expect(readFileSync(file.path, 'utf8')).toBe('{"pid":1}');
    expect(modeOf(file.path)).toBe('600');
  });

  it('replaces a link and leaves what it leads to', () => {
    const directory = temporaryFolder();
    writeFileSync(join(directory, 'precious'), 'text');
    symlinkSync('precious', join(directory, NAME));
    open({ directory });
    expect(readFileSync(join(directory, 'precious'), 'utf8')).toBe('text');
  });

  it('cannot be opened where its folder cannot be made', () => {
    const folder = temporaryFolder();
    writeFileSync(join(folder, 'file'), '');
    expect(() => open({ directory: join(folder, 'file', 'ide') })).toThrow('ENOTDIR');
  });

  it('cannot be opened in place of a folder, and leaves nothing half written', () => {
    const directory = temporaryFolder();
    mkdirSync(join(directory, NAME, 'x'), { recursive: true });
    expect(() => open({ directory })).toThrow();
    expect(readdirSync(directory)).toEqual([NAME]);
  });

  it('says what it is updated to', () => {
    const { file } = open({ directory: temporaryFolder() });
    file.update('{"pid":1,"workspaceFolders":["/b"]}');
    expect(readFileSync(file.path, 'utf8')).toBe('{"pid":1,"workspaceFolders":["/b"]}');
    file.close();
    expect(existsSync(file.path)).toBe(false);
  });

  it('is never seen half written by another process', async () => {
    const folder = temporaryFolder();
    const { file } = open({ directory: folder, content: contentOf(0) });
    const reader = await startChild(readerProgram(file.path), { folder });
    expect(await reader.line()).toBe('reading');
    for (let round = 1; round <= 100; round++) file.update(contentOf(round));
    reader.process.stdin?.end();
    const { reads, bad } = JSON.parse(await reader.line());
    expect(bad).toEqual([]);
    expect(reads).toBeGreaterThan(0);
  });
});

describe('closing', () => {
  it('removes the file and the folder that was made for it, at once and once', () => {
    const directory = join(temporaryFolder(), 'ide');
    const { file } = open({ directory });
    file.close();
    expect(existsSync(directory)).toBe(false);
    open({ directory });
    file.close();
    expect(readdirSync(directory)).toEqual([NAME]);
  });

  it('leaves a folder that was there, or that others use', () => {
    const there = temporaryFolder();
    open({ directory: there }).file.close();
    expect(readdirSync(there)).toEqual([]);
    const made = join(there, 'ide');
    const { file } = open({ directory: made });
    writeFileSync(join(made, '1.lock'), '');
    file.close();
    expect(readdirSync(made)).toEqual(['1.lock']);
  });

  it('leaves the file of another', () => {
    const { file } = open({ directory: temporaryFolder(), watch: cannotWatch });
    writeFileSync(file.path, 'theirs');
    file.close();
    expect(readFileSync(file.path, 'utf8')).toBe('theirs');
  });

  it('ends all watching: what is deleted afterwards stays deleted', async () => {
    const { file, events } = open({ directory: temporaryFolder(), pollEvery: 1 });
    file.close();
    file.update('something else');
    await new Promise(setImmediate);
    expect(existsSync(file.path)).toBe(false);
    expect(events.received).toEqual([]);
  });

  it('happens in the exit handler of a process that ends in the middle of things', async () => {
    const folder = temporaryFolder();
    const directory = join(folder, 'ide');
    const child = await startChild(ownerProgram(directory), { folder });
    const path = await child.line();
    expect(existsSync(path)).toBe(true);
    await child.end('SIGTERM');
    expect(existsSync(directory)).toBe(false);
  });
});

describe.each([
  ['watched', { pollEvery: 3_600_000 }],
  ['polled where watching is impossible', { watch: cannotWatch, pollEvery: 5 }],
])('a lock file that is %s', (_way, options) => {
  it('is restored if it is deleted', async () => {
    const { file, events } = open({ ...options, directory: temporaryFolder() });
    unlinkSync(file.path);
    expect(await events.next()).toEqual({ kind: 'restored' });
    expect(readFileSync(file.path, 'utf8')).toBe('{"pid":1}');
    expect(modeOf(file.path)).toBe('600');
  });

  it('comes back with its folder, and comes back again', async () => {
    const directory = join(temporaryFolder(), 'ide');
    const { file, events } = open({ ...options, directory });
    rmSync(directory, { recursive: true });
    expect(await events.next()).toEqual({ kind: 'restored' });
    expect(modeOf(directory)).toBe('700');
    writeFileSync(file.path, 'theirs, alive');
    expect(await events.next()).toEqual({ kind: 'taken' });
    unlinkSync(file.path);
    expect(await events.next()).toEqual({ kind: 'restored' });
    expect(existsSync(file.path)).toBe(true);
  });

  it('comes back where it was when its folder is moved away', async () => {
    const directory = join(temporaryFolder(), 'ide');
    const { file, events } = open({ ...options, directory });
    await eventsDelivered(directory);
    renameSync(directory, `${directory}-old`);
    expect(await events.next()).toEqual({ kind: 'restored' });
    expect(existsSync(file.path)).toBe(true);
  });

  it('comes back with what it was updated to', async () => {
    const { file, events } = open({ ...options, directory: temporaryFolder() });
    file.update('{"pid":2}');
    unlinkSync(file.path);
    expect(await events.next()).toEqual({ kind: 'restored' });
    expect(readFileSync(file.path, 'utf8')).toBe('{"pid":2}');
  });

  it('comes back when it is replaced by nonsense or by a dead owner', async () => {
    const { file, events } = open({ ...options, directory: temporaryFolder() });
    writeFileSync(file.path, 'theirs, dead');
    await events.next();
    expect(readFileSync(file.path, 'utf8')).toBe('{"pid":1}');
  });

  it('is left to a different live owner, and comes back when that one is gone', async () => {
    let isTheirs = true;
    const { file, events } = open({ ...options, directory: temporaryFolder(), isTaken: () => isTheirs });
    writeFileSync(file.path, 'theirs, alive');
    expect(await events.next()).toEqual({ kind: 'taken' });
    file.update('{"pid":3}');
    expect(readFileSync(file.path, 'utf8')).toBe('theirs, alive');
    isTheirs = false;
    unlinkSync(file.path);
    expect(await events.next()).toEqual({ kind: 'restored' });
    expect(readFileSync(file.path, 'utf8')).toBe('{"pid":3}');
  });

  it('says once why it cannot come back, and comes back when it can', async () => {
    const parent = temporaryFolder();
    const directory = join(parent, 'ide');
    const { file, events } = open({ ...options, directory });
    rmSync(directory, { recursive: true });
    writeFileSync(directory, 'in the way');
    expect(await events.next()).toMatchObject({ kind: 'failed', error: { code: 'EEXIST' } });
    rmSync(directory);
    expect(await events.next()).toEqual({ kind: 'restored' });
    expect(existsSync(file.path)).toBe(true);
  });
});

describe('a lock file that is deleted again and again', () => {
  it('comes back no more often than its rest allows', async () => {
    const { file, events } = open({ directory: temporaryFolder(), restFor: 3_600_000, pollEvery: 1 });
    unlinkSync(file.path);
    await events.next();
    unlinkSync(file.path);
    const other = open({ directory: join(file.path, '..'), name: '1.lock', pollEvery: 1 });
    unlinkSync(other.file.path);
    await other.events.next();
    expect(events.received).toEqual([{ kind: 'restored' }]);
    expect(existsSync(file.path)).toBe(false);
  });
});

describe('heldByAnother', () => {
  const read = claudeLockReader({ runningInWindows: false });
  const isTaken = heldByAnother({ name: NAME, read, pid: 100, isAlive: (pid) => pid !== 300 });
  it.each([
    ['a live process of another', '{"pid":200}', true],
    ['a dead process', '{"pid":300}', false],
    ['our own process', '{"pid":100}', false],
    ['no owner', 'nonsense', false],
  ])('tells %s', (_who, text, expected) => {
    expect(isTaken(text)).toBe(expected);
  });
});

interface Opened {
  readonly file: LockFile;
  readonly events: Events;
}

function open(options: Partial<LockFileOptions> & { readonly directory: string }): Opened {
  const events = new Events();
  const file = openLockFile({
    name: NAME,
    content: '{"pid":1}',
    isTaken: (text) => text.includes('alive'),
    onEvent: (event) => events.push(event),
    restFor: 1,
    ...options,
  });
  onTestFinished(() => file.close());
  return { file, events };
}

class Events {
  readonly received: LockFileEvent[] = [];
  readonly #waiting: ((event: LockFileEvent) => void)[] = [];
  #read = 0;

  push(event: LockFileEvent): void {
    this.received.push(event);
    const waiting = this.#waiting.shift();
    if (waiting === undefined) return;
    this.#read++;
    waiting(event);
  }

  next(): Promise<LockFileEvent> {
    const event = this.received[this.#read];
    if (event === undefined) return new Promise((resolve) => this.#waiting.push(resolve));
    this.#read++;
    return Promise.resolve(event);
  }
}

/** The system notifies all watchers of a process in one order: an event of a new file comes after all earlier ones. */
async function eventsDelivered(directory: string): Promise<void> {
  const watcher = watch(directory);
  const delivered = new Promise<void>((resolve) => {
    watcher.on('change', (_event, name) => name === 'marker' && resolve());
  });
  writeFileSync(join(directory, 'marker'), '');
  await delivered;
  watcher.close();
}

function modeOf(path: string): string {
  return (statSync(path).mode & 0o777).toString(8);
}

function contentOf(round: number): string {
  return JSON.stringify({ round, filler: 'x'.repeat((round % 7) * 9000) });
}

function readerProgram(path: string): string {
  return `
    import { readFileSync } from 'node:fs';
    const bad = [];
    let reads = 0;
    let isOver = false;
    process.stdin.resume().on('end', () => { isOver = true; });
    const look = () => {
      for (let i = 0; i < 50; i++) {
        reads++;
        try { JSON.parse(readFileSync(${JSON.stringify(path)}, 'utf8')); } catch (error) { bad.push(String(error)); }
      }
      if (!isOver) setImmediate(look);
      else console.log(JSON.stringify({ reads, bad }));
    };
    look();
    console.log('reading');
  `;
}

function holderProgram(directory: string, then: string): string {
  return `
    import { openLockFile } from './lock-file.ts';
    const file = openLockFile({
      directory: ${JSON.stringify(directory)}, name: '${NAME}', content: '{}', isTaken: () => false,
    });
    process.on('exit', () => file.close());
    ${then}
  `;
}

const idleProgram = (directory: string) => holderProgram(directory, "console.log('open');");

const ownerProgram = (directory: string) =>
  holderProgram(
    directory,
    `process.on('SIGTERM', () => process.exit(0));
    setInterval(() => file.update(String(Math.random())), 1);
    console.log(file.path);`,
  );
