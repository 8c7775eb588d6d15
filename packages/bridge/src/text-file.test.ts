import {
  chmod,
  chown,
  link,
  lstat,
  mkdir,
  readdir,
  readFile,
  stat,
  symlink,
  unlink,
  utimes,
  writeFile,
} from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { temporaryFolders } from '../testing/workspace-folder.ts';
import { TemporaryFiles } from './temporary-files.ts';
import { ChangedOnDisk, readTextFile, writeTextFile } from './text-file.ts';

const makeFolder = temporaryFolders();
const LIMIT = 1_000_000;
const temporaryFiles = new TemporaryFiles(undefined);

async function fileWith(content: string | Buffer): Promise<{ folder: string; path: string }> {
  const folder = await makeFolder();
  const path = join(folder, 'a.txt');
  await writeFile(path, content);
  return { folder, path };
}

async function rewrite(path: string, text: string): Promise<void> {
  const { encoding, stamp } = await readTextFile(path, LIMIT);
  await writeTextFile(path, text, { encoding, replaces: stamp, temporaryFiles });
}

describe('readTextFile', () => {
  it('says what is wrong with what it cannot read', async () => {
    const { folder, path } = await fileWith('12345');
    await expect(readTextFile(join(folder, 'missing'), LIMIT)).rejects.toThrow(`No such file: ${folder}/missing`);
    await expect(readTextFile(join(path, 'below'), LIMIT)).rejects.toThrow('No such file');
    await expect(readTextFile(folder, LIMIT)).rejects.toThrow(`Not a regular file: ${folder} is a directory`);
    await expect(readTextFile('/dev/null', LIMIT)).rejects.toThrow('Not a regular file: /dev/null is a device');
    await expect(readTextFile(path, 4)).rejects.toThrow(`Too large: ${path} has more than 4 bytes`);
  });
});

describe('writeTextFile', () => {
  it.each([
    ['UTF-16 with its mark', Buffer.from('\ufeffa\r\n', 'utf16le'), 'ä', Buffer.from('\ufeffä', 'utf16le')],
    ['Latin-1', Buffer.from([0xe4, 0x0a]), 'ü', Buffer.from([0xfc])],
    ['mixed line ends', Buffer.from('a\r\nb\nc\rd'), 'a\rb\r\nc\n', Buffer.from('a\rb\r\nc\n')],
  ])('keeps the encoding and every line end: %s', async (_, before, text, after) => {
    const { path } = await fileWith(before);
    await rewrite(path, text);
    expect((await readFile(path)).equals(after)).toBe(true);
  });

  it('replaces the file by another one, with mode and owner of the first, and leaves nothing beside it', async () => {
    const { folder, path } = await fileWith('one');
    await chmod(path, 0o4751);
    const isSuperuser = process.getuid?.() === 0;
    if (isSuperuser) await chown(path, 1234, 2345);
    await chmod(path, 0o4751);
    const before = await stat(path);
    await rewrite(path, 'two');
    const after = await stat(path);
    expect(after.ino).not.toBe(before.ino);
    expect([after.mode, after.uid, after.gid]).toEqual([before.mode, before.uid, before.gid]);
    expect(await readdir(folder)).toEqual(['a.txt']);
  });

  it('writes through links and keeps them, also where they lead to nothing yet', async () => {
    const { folder, path } = await fileWith('one');
    await mkdir(join(folder, 'links'));
    const [first, second, dangling] = ['first', 'second', 'dangling'].map((name) => join(folder, 'links', name));
    if (first === undefined || second === undefined || dangling === undefined) throw new Error('No names');
    await symlink('../a.txt', first);
    await symlink('first', second);
    await rewrite(second, 'two');
    expect(await readFile(path, 'utf8')).toBe('two');
    expect((await lstat(second)).isSymbolicLink() && (await lstat(first)).isSymbolicLink()).toBe(true);
    await symlink('../new.txt', dangling);
    await writeTextFile(dangling, 'new', { encoding: 'utf8', replaces: 'nothing', temporaryFiles });
    expect(await readFile(join(folder, 'new.txt'), 'utf8')).toBe('new');
    expect((await lstat(dangling)).isSymbolicLink()).toBe(true);
  });

  it('a file with two names keeps both', async () => {
    const { folder, path } = await fileWith('a long text');
    await link(path, join(folder, 'b.txt'));
    await rewrite(path, 'short');
    expect(await readFile(join(folder, 'b.txt'), 'utf8')).toBe('short');
    expect((await readdir(folder)).sort()).toEqual(['a.txt', 'b.txt']);
  });

  it('refuses when the content has changed, though size and time are the same', async () => {
    const { folder, path } = await fileWith('one');
    const { stamp } = await readTextFile(path, LIMIT);
    const { atime, mtime } = await stat(path);
    await writeFile(path, 'two');
    await utimes(path, atime, mtime);
    await expect(writeTextFile(path, 'mine', { encoding: 'utf8', replaces: stamp, temporaryFiles })).rejects.toThrow(
      ChangedOnDisk,
    );
    expect(await readFile(path, 'utf8')).toBe('two');
    expect(await readdir(folder)).toEqual(['a.txt']);
  });

  it('leaves a file that another program makes at the last moment', async () => {
    const folder = await makeFolder();
    const path = join(folder, 'new.txt');
    const writes = Array.from({ length: 20 }, (_, index) =>
      writeTextFile(path, `text ${index}`, { encoding: 'utf8', replaces: 'nothing', temporaryFiles }).then(() => index),
    );
    const results = await Promise.allSettled(writes);
    const done = results.flatMap((result) => (result.status === 'fulfilled' ? [result.value] : []));
    expect(done).toHaveLength(1);
    expect(await readFile(path, 'utf8')).toBe(`text ${done[0]}`);
    expect(await readdir(folder)).toEqual(['new.txt']);
  });

  it('does not mind when only the times have changed', async () => {
    const { path } = await fileWith('one');
    const { stamp } = await readTextFile(path, LIMIT);
    await utimes(path, 1, 1);
    await writeTextFile(path, 'two', { encoding: 'utf8', replaces: stamp, temporaryFiles });
    expect(await readFile(path, 'utf8')).toBe('two');
  });

  it('refuses when the file was deleted, or created by another program', async () => {
    const { path } = await fileWith('one');
    const { stamp } = await readTextFile(path, LIMIT);
    await expect(writeTextFile(path, 'x', { encoding: 'utf8', replaces: 'nothing', temporaryFiles })).rejects.toThrow(
      ChangedOnDisk,
    );
    await unlink(path);
    await expect(writeTextFile(path, 'x', { encoding: 'utf8', replaces: stamp, temporaryFiles })).rejects.toThrow(
      'was deleted',
    );
    await expect(readFile(path)).rejects.toThrow('ENOENT');
  });

  it('a new file has the mode that new files have', async () => {
    const folder = await makeFolder();
    const path = join(folder, 'new.txt');
    await writeTextFile(path, 'x', { encoding: 'utf8', replaces: 'nothing', temporaryFiles });
    await writeFile(join(folder, 'reference'), '');
    expect((await stat(path)).mode).toBe((await stat(join(folder, 'reference'))).mode);
  });
});
