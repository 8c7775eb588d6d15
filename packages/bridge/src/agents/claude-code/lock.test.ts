import { describe, expect, it } from 'vitest';
import { temporaryLink } from '../../../testing/temporary-folder.ts';
import { claudeLock, claudeLockFolder, claudeLockReader } from './lock.ts';

const lockOf = (runningInWindows: boolean) =>
  claudeLock({ lockFolder: '/c/ide', ideName: 'Neovim', runningInWindows }, 4711);
const content = { port: 40123, token: 'secret', folders: ['/'] };

describe("Claude Code's lock", () => {
  it.each([
    ['/c', '/c/ide'],
    [undefined, '/h/.claude/ide'],
    ['', '/h/.claude/ide'],
  ])('with CLAUDE_CONFIG_DIR=%s is in %s', (CLAUDE_CONFIG_DIR, folder) => {
    expect(claudeLockFolder({ home: '/h', variables: { CLAUDE_CONFIG_DIR } })).toBe(folder);
  });

  it('is named for its port', () => {
    expect(lockOf(false).nameFor({ port: 40123 })).toBe('40123.lock');
  });

  it('holds exactly the fields that Claude Code reads, and real folders', () => {
    const { real, path } = temporaryLink();
    expect(lockOf(false).contentFor({ ...content, folders: [path, '/not/there', real] })).toBe(
      `{"pid":4711,"workspaceFolders":["${real}","/not/there"],"ideName":"Neovim","transport":"ws",` +
        '"runningInWindows":false,"authToken":"secret"}',
    );
  });

  it.each([true, false])('is read back as it was written, with runningInWindows %s', (runningInWindows) => {
    const { contentFor, read } = lockOf(runningInWindows);
    const found = { port: 40123, pid: 4711, token: 'secret', folders: ['/'] };
    expect(read('40123.lock', contentFor(content))).toEqual(found);
    const other = claudeLockReader({ runningInWindows: !runningInWindows });
    expect(other('40123.lock', contentFor(content))).toEqual(new Error('It is of another system'));
  });
});
