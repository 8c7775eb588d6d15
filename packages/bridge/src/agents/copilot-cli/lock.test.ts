import { describe, expect, it, vi } from 'vitest';
import { temporaryLink } from '../../../testing/temporary-folder.ts';
import { copilotLock, copilotLockFolder, readCopilotLock } from './lock.ts';

vi.setSystemTime(1_790_000_000_000);
const { nameFor, contentFor } = copilotLock({ lockFolder: '/c/ide', ideName: 'Neovim' }, 4711);
vi.useRealTimers();
const nameAt = (socketPath: string) => nameFor({ port: 0, socketPath });
const lock = { port: 0, socketPath: '/run/a.sock', token: 'secret', folders: ['/'] };

describe("Copilot CLI's lock", () => {
  it.each([
    ['/c', '/c/ide'],
    [undefined, '/h/.copilot/ide'],
    ['', '/h/.copilot/ide'],
  ])('with COPILOT_HOME=%s is in %s', (COPILOT_HOME, folder) => {
    expect(copilotLockFolder({ home: '/h', variables: { COPILOT_HOME } })).toBe(folder);
  });

  it('is named with a UUID, always the same for one socket', () => {
    const uuid = /^[0-9a-f]{8}-[0-9a-f]{4}-8[0-9a-f]{3}-a[0-9a-f]{3}-[0-9a-f]{12}\.lock$/;
    expect(nameAt('/run/a.sock')).toMatch(uuid);
    expect(nameAt('/run/a.sock')).toBe(nameAt('/run/a.sock'));
    expect(nameAt('/run/a.sock')).not.toBe(nameAt('/run/b.sock'));
  });

  it('holds exactly the fields that Copilot CLI reads, and real folders', () => {
    const { real, path } = temporaryLink();
    expect(contentFor({ ...lock, folders: [path, '/not/there', real] })).toBe(
      '{"socketPath":"/run/a.sock","scheme":"unix","headers":{"Authorization":"Nonce secret"},"pid":4711,' +
        `"timestamp":1790000000000,"workspaceFolders":["${real}","/not/there"],"ideName":"Neovim"}`,
    );
  });

  it('is read back as it was written', () => {
    const found = { port: undefined, pid: 4711, token: 'secret', folders: ['/'] };
    expect(readCopilotLock(nameFor(lock), contentFor(lock))).toEqual(found);
  });

  it.each([
    ['a.json', contentFor(lock), undefined],
    ['a.lock', '[]', 'It holds no JSON object'],
    ['a.lock', '{"pid":0}', 'It names no process'],
  ])('%s with %s is not ours to judge', (name, text, reason) => {
    expect(readCopilotLock(name, text)).toEqual(reason && new Error(reason));
  });

  it('of another program may lack what we do not need', () => {
    const found = { port: undefined, pid: 1, token: undefined, folders: [] };
    expect(readCopilotLock('a.lock', '{"pid":1,"headers":null,"workspaceFolders":"x"}')).toEqual(found);
    expect(readCopilotLock('a.lock', '{"pid":1,"headers":{"Authorization":"Bearer x"}}')).toEqual(found);
  });
});
