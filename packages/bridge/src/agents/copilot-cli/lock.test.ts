import { symlinkSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { temporaryFolder } from '../../../testing/temporary-folder.ts';
import { copilotLockContent, copilotLockFolder, copilotLockName, readCopilotLock } from './lock.ts';

describe("Copilot CLI's lock", () => {
  it('is in the ide folder of COPILOT_HOME, or of ~/.copilot when that is unset or empty', () => {
    expect(copilotLockFolder({ copilotHome: '/c', home: '/h' })).toBe('/c/ide');
    expect(copilotLockFolder({ copilotHome: undefined, home: '/h' })).toBe('/h/.copilot/ide');
    expect(copilotLockFolder({ copilotHome: '', home: '/h' })).toBe('/h/.copilot/ide');
  });

  it('is named with a UUID, always the same for one socket', () => {
    const uuid = /^[0-9a-f]{8}-[0-9a-f]{4}-8[0-9a-f]{3}-a[0-9a-f]{3}-[0-9a-f]{12}\.lock$/;
    expect(copilotLockName('/run/a.sock')).toMatch(uuid);
    expect(copilotLockName('/run/a.sock')).toBe(copilotLockName('/run/a.sock'));
    expect(copilotLockName('/run/a.sock')).not.toBe(copilotLockName('/run/b.sock'));
  });

  const lock = {
    socketPath: '/run/a.sock',
    token: 'secret',
    pid: 4711,
    timestamp: 1_790_000_000_000,
    workspaceFolders: ['/'],
    ideName: 'Neovim',
  };

  it('holds exactly the fields that Copilot CLI reads, and real folders', () => {
    const real = temporaryFolder();
    const link = join(temporaryFolder(), 'link');
    symlinkSync(real, link);
    expect(copilotLockContent({ ...lock, workspaceFolders: [link, '/not/there', real] })).toBe(
      '{"socketPath":"/run/a.sock","scheme":"unix","headers":{"Authorization":"Nonce secret"},"pid":4711,' +
        `"timestamp":1790000000000,"workspaceFolders":["${real}","/not/there"],"ideName":"Neovim"}`,
    );
  });

  it('is read back as it was written', () => {
    expect(readCopilotLock(copilotLockName(lock.socketPath), copilotLockContent(lock))).toEqual({
      port: undefined,
      pid: 4711,
      token: 'secret',
      folders: ['/'],
    });
  });

  it.each([
    ['a.json', copilotLockContent(lock), undefined],
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
