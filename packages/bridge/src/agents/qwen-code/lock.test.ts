import { describe, expect, it } from 'vitest';
import { temporaryLink } from '../../../testing/temporary-folder.ts';
import { qwenLock, qwenLockFolder, readQwenLock } from './lock.ts';

const { nameFor, contentFor } = qwenLock({ lockFolder: '/q/ide', ideName: 'Neovim (work)' }, 4711);
const lock = { port: 40123, token: 'secret', folders: ['/', '/not/there'] };
const found = { port: 40123, pid: 4711, token: 'secret', folders: ['/', '/not/there'] };

describe("Qwen Code's lock", () => {
  it.each([
    [undefined, '/h/.qwen/ide'],
    ['', '/h/.qwen/ide'],
    ['/q', '/q/ide'],
    ['~/q', '/h/q/ide'],
    ['~', '/h/ide'],
  ])('with QWEN_HOME=%s is in %s', (QWEN_HOME, folder) => {
    expect(qwenLockFolder({ home: '/h', variables: { QWEN_HOME } })).toBe(folder);
  });

  it('holds exactly the fields that Qwen Code reads, ideInfo among them', () => {
    const { real, path } = temporaryLink();
    expect(nameFor(lock)).toBe('40123.lock');
    expect(contentFor({ ...lock, folders: [path] })).toBe(
      `{"port":40123,"workspacePath":"${real}","authToken":"secret","ppid":4711,"ideName":"Neovim (work)",` +
        '"ideInfo":{"name":"neovim-work","displayName":"Neovim (work)"}}',
    );
  });

  it('is read back as it was written', () => {
    expect(readQwenLock('40123.lock', contentFor(lock))).toEqual(found);
  });

  it('of another program may lack what we do not need', () => {
    const little = { port: 40123, pid: undefined, token: undefined, folders: [] };
    expect(readQwenLock('40123.lock', '{"ppid":"x"}')).toEqual(little);
    expect(readQwenLock('x.lock', '{}')).toBeUndefined();
    expect(readQwenLock('40123.lock', '')).toEqual(new Error('It holds no JSON object'));
  });
});
