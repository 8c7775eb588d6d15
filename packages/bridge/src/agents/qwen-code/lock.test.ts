import { describe, expect, it } from 'vitest';
import { temporaryLink } from '../../../testing/temporary-folder.ts';
import { qwenLockContent, qwenLockFolder, qwenLockName, readQwenLock } from './lock.ts';

const lock = { port: 40123, token: 'secret', folders: ['/', '/not/there'], ideName: 'Neovim (work)' };
const found = { port: 40123, pid: 4711, token: 'secret', folders: ['/', '/not/there'] };

describe("Qwen Code's lock", () => {
  it('is in the ide folder of QWEN_HOME, which may begin with ~, or of ~/.qwen', () => {
    expect(qwenLockFolder({ qwenHome: undefined, home: '/h' })).toBe('/h/.qwen/ide');
    expect(qwenLockFolder({ qwenHome: '', home: '/h' })).toBe('/h/.qwen/ide');
    expect(qwenLockFolder({ qwenHome: '/q', home: '/h' })).toBe('/q/ide');
    expect(qwenLockFolder({ qwenHome: '~/q', home: '/h' })).toBe('/h/q/ide');
    expect(qwenLockFolder({ qwenHome: '~', home: '/h' })).toBe('/h/ide');
  });

  it('holds exactly the fields that Qwen Code reads, ideInfo among them', () => {
    const { real, path } = temporaryLink();
    expect(qwenLockName(40123)).toBe('40123.lock');
    expect(qwenLockContent({ ...lock, folders: [path], pid: 4711 })).toBe(
      `{"port":40123,"workspacePath":"${real}","authToken":"secret","ppid":4711,"ideName":"Neovim (work)",` +
        '"ideInfo":{"name":"neovim-work","displayName":"Neovim (work)"}}',
    );
  });

  it('is read back as it was written', () => {
    expect(readQwenLock('40123.lock', qwenLockContent({ ...lock, pid: 4711 }))).toEqual(found);
  });

  it('of another program may lack what we do not need', () => {
    const little = { port: 40123, pid: undefined, token: undefined, folders: [] };
    expect(readQwenLock('40123.lock', '{"ppid":"x"}')).toEqual(little);
    expect(readQwenLock('x.lock', '{}')).toBeUndefined();
    expect(readQwenLock('40123.lock', '')).toEqual(new Error('It holds no JSON object'));
  });
});
