import { spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { chmodSync, existsSync, mkdirSync, statSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:net';
import { join } from 'node:path';
import { describe, expect, it, onTestFinished } from 'vitest';
import { temporaryFolder } from '../../testing/temporary-folder.ts';
import { makeSocketFolder, removeSilentSockets, socketFolder } from './socket-folder.ts';

describe('the folder of sockets', () => {
  const home = (length: number) => ({ stateFolder: `/${'s'.repeat(length)}`, temporaryFolder: '/tmp' });
  const longest = (folder: string) => Buffer.byteLength(join(folder, 'name.sock'));

  it('is in the state folder, and in the temporary one if paths there would be longer than systems allow', () => {
    const fits = socketFolder(home(85), 'kind', 'name.sock');
    expect(fits).toBe(`/${'s'.repeat(85)}/kind`);
    const moved = socketFolder(home(120), 'kind', 'name.sock');
    expect(moved).toMatch(new RegExp(`^/tmp/hawser-${process.getuid?.()}-[0-9a-f]{8}$`));
    expect(moved).not.toBe(socketFolder(home(120), 'other', 'name.sock'));
    for (const folder of [fits, moved]) expect(longest(folder)).toBeLessThanOrEqual(103);
  });

  it('that fits nowhere is refused with what to do', () => {
    const both = { stateFolder: `/${'s'.repeat(120)}`, temporaryFolder: `/${'t'.repeat(120)}` };
    expect(() => socketFolder(both, 'kind', 'name.sock')).toThrow('set XDG_STATE_HOME to a shorter folder');
  });

  it('is for this user alone, also if it was there before', () => {
    const folder = join(temporaryFolder(), 'a', 'b');
    makeSocketFolder(folder);
    expect(statSync(folder).mode & 0o777).toBe(0o700);
    chmodSync(folder, 0o755);
    makeSocketFolder(folder);
    expect(statSync(folder).mode & 0o777).toBe(0o700);
    const file = join(temporaryFolder(), 'file');
    writeFileSync(file, '');
    expect(() => makeSocketFolder(file)).toThrow();
  });
});

describe('sockets that crashes left', () => {
  it('are removed; those that answer and files of other names stay', async () => {
    const folder = temporaryFolder();
    const [stale, living, other] = ['stale.sock', 'living.sock', 'notes'].map((name) => join(folder, name)) as [
      string,
      string,
      string,
    ];
    // The process ends without closing its socket.
    const program = `require('net').createServer().listen(${JSON.stringify(stale)}, () => process.kill(process.pid, 9))`;
    spawnSync(process.execPath, ['-e', program]);
    expect(existsSync(stale)).toBe(true);
    const server = createServer().listen(living);
    onTestFinished(() => void server.close());
    await once(server, 'listening');
    mkdirSync(other);
    await removeSilentSockets(folder, (name) => name.endsWith('.sock'));
    expect([stale, living, other].map((path) => existsSync(path))).toEqual([false, true, true]);
    await removeSilentSockets(join(folder, 'absent'), () => true);
  });
});
