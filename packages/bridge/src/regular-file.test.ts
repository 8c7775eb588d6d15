import { execFileSync } from 'node:child_process';
import { once } from 'node:events';
import { readdirSync, readlinkSync, truncateSync } from 'node:fs';
import { mkdir, writeFile } from 'node:fs/promises';
import { createServer } from 'node:net';
import { join } from 'node:path';
import { describe, expect, it, onTestFinished } from 'vitest';
import { temporaryFolders } from '../testing/workspace-folder.ts';
import { checkRegularFile, MAX_FILE_BYTES, readRegularFile } from './regular-file.ts';

const makeFolder = temporaryFolders();

describe('readRegularFile', () => {
  it('gives the bytes of a file, also of one that claims to be empty', async () => {
    const path = join(await makeFolder(), 'a');
    for (const bytes of [Buffer.alloc(0), Buffer.from([0, 255, 1]), Buffer.alloc(1_000_000, 'x')]) {
      await writeFile(path, bytes);
      expect(bytes.equals(await readRegularFile(path))).toBe(true);
    }
    expect((await readRegularFile('/proc/self/status')).toString()).toMatch(/^Name:/);
  });

  it('refuses a named pipe at once, however many', async () => {
    const folder = await makeFolder();
    const paths = Array.from({ length: 16 }, (_, index) => join(folder, `pipe${index}`));
    execFileSync('mkfifo', paths);
    const results = await Promise.allSettled(paths.map((path) => readRegularFile(path)));
    for (const [index, result] of results.entries()) {
      const message = `Not a regular file: ${paths[index]} is a named pipe`;
      expect(result).toMatchObject({ status: 'rejected', reason: { message } });
    }
  });

  it('opens two files at a time, however many are asked for, and reads them all', async () => {
    const folder = await makeFolder();
    const paths = Array.from({ length: 40 }, (_, index) => join(folder, `file${index}`));
    for (const path of paths) {
      await writeFile(path, '');
      truncateSync(path, 1024 * 1024);
    }
    let most = 0;
    const looking = setInterval(() => (most = Math.max(most, openFilesIn(folder))));
    onTestFinished(() => clearInterval(looking));
    const lengths = await Promise.all(paths.map(async (path) => (await readRegularFile(path)).length));
    expect(lengths).toEqual(paths.map(() => 1024 * 1024));
    expect(most).toBeGreaterThan(0);
    expect(most).toBeLessThanOrEqual(2);
  });

  it('refuses directories, devices and sockets, and says what they are', async () => {
    const folder = await makeFolder();
    await mkdir(join(folder, 'directory'));
    const server = createServer().listen(join(folder, 'socket'));
    await once(server, 'listening');
    onTestFinished(() => void server.close());
    for (const [path, kind] of [
      [join(folder, 'directory'), 'a directory'],
      [join(folder, 'socket'), 'a socket'],
      ['/dev/zero', 'a device'],
    ] as const) {
      await expect(readRegularFile(path)).rejects.toThrow(`Not a regular file: ${path} is ${kind}`);
      await expect(checkRegularFile(path)).rejects.toThrow(`Not a regular file: ${path} is ${kind}`);
    }
  });

  it('refuses what is larger than the limit, without reading it', async () => {
    const path = join(await makeFolder(), 'huge');
    await writeFile(path, '');
    truncateSync(path, 500 * 1024 * 1024);
    const before = process.memoryUsage().rss;
    const message = `Too large: ${path} has more than ${MAX_FILE_BYTES} bytes, which is the limit`;
    await expect(readRegularFile(path)).rejects.toThrow(message);
    expect(process.memoryUsage().rss - before).toBeLessThan(100 * 1024 * 1024);
    truncateSync(path, 5);
    await expect(readRegularFile(path, 4)).rejects.toThrow(`Too large: ${path} has more than 4 bytes`);
    expect(await readRegularFile(path, 5)).toHaveLength(5);
  });

  it('stops at the limit in a file whose size does not say how much it holds', async () => {
    await expect(readRegularFile('/proc/self/status', 10)).rejects.toThrow('has more than 10 bytes');
  });

  it('says what is missing', async () => {
    const folder = await makeFolder();
    await writeFile(join(folder, 'a'), '');
    for (const path of [join(folder, 'missing'), join(folder, 'a', 'below')]) {
      await expect(readRegularFile(path)).rejects.toThrow(`No such file: ${path}`);
    }
  });
});

function openFilesIn(folder: string): number {
  return readdirSync('/proc/self/fd').filter((fd) => linkOf(fd).startsWith(folder)).length;
}

/** Empty for the descriptor of the listing itself, which is closed by now. */
function linkOf(fd: string): string {
  try {
    return readlinkSync(`/proc/self/fd/${fd}`);
  } catch {
    return '';
  }
}
