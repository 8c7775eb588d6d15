import { symlinkSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { temporaryFolder } from '../../../testing/temporary-folder.ts';
import { claudeLockContent, claudeLockFolder, claudeLockName, claudeLockReader } from './lock.ts';

describe("Claude Code's lock", () => {
  it('is in the ide folder of CLAUDE_CONFIG_DIR, or of ~/.claude when that is unset or empty', () => {
    expect(claudeLockFolder({ configDir: '/c', home: '/h' })).toBe('/c/ide');
    expect(claudeLockFolder({ configDir: undefined, home: '/h' })).toBe('/h/.claude/ide');
    expect(claudeLockFolder({ configDir: '', home: '/h' })).toBe('/h/.claude/ide');
  });

  it('is named for its port', () => {
    expect(claudeLockName(40123)).toBe('40123.lock');
  });

  it('holds exactly the fields that Claude Code reads, and real folders', () => {
    const real = temporaryFolder();
    const link = join(temporaryFolder(), 'link');
    symlinkSync(real, link);
    const content = claudeLockContent({
      pid: 4711,
      workspaceFolders: [link, '/not/there', real],
      ideName: 'Neovim',
      authToken: 'secret',
      runningInWindows: false,
    });
    expect(content).toBe(
      `{"pid":4711,"workspaceFolders":["${real}","/not/there"],"ideName":"Neovim","transport":"ws",` +
        '"runningInWindows":false,"authToken":"secret"}',
    );
  });

  it('is read back as it was written', () => {
    for (const runningInWindows of [true, false]) {
      const lock = { pid: 4711, workspaceFolders: ['/'], ideName: 'x', authToken: 'secret', runningInWindows };
      const read = claudeLockReader({ runningInWindows });
      expect(read('40123.lock', claudeLockContent(lock))).toEqual({
        port: 40123,
        pid: 4711,
        token: 'secret',
        folders: ['/'],
      });
      const other = claudeLockReader({ runningInWindows: !runningInWindows });
      expect(other('40123.lock', claudeLockContent(lock))).toEqual(new Error('It is of another system'));
    }
  });
});
