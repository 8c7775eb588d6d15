import { execFileSync } from 'node:child_process';
import { mkdirSync, symlinkSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { temporaryFolder } from '../../testing/temporary-folder.ts';
import { listFiles } from './list-files.ts';

const { signal } = new AbortController();

function folderWith(...names: string[]): string {
  const folder = temporaryFolder();
  for (const name of names) {
    mkdirSync(dirname(join(folder, name)), { recursive: true });
    writeFileSync(join(folder, name), '');
  }
  return folder;
}

function git(folder: string, ...args: string[]): void {
  execFileSync('git', ['-c', 'user.name=t', '-c', 'user.email=t@example.org', ...args], {
    cwd: folder,
    stdio: 'ignore',
  });
}

describe('listFiles', () => {
  it('in a repository, lists what git does not ignore, each once', async () => {
    const folder = folderWith('a.ts', 'b c.ts', 'dist/x.js', 'sub/é.ts', 'new.ts');
    writeFileSync(join(folder, '.gitignore'), 'dist/\n');
    git(folder, 'init');
    git(folder, 'add', 'a.ts', 'b c.ts');
    expect(await listFiles(folder, { signal })).toEqual({
      files: ['.gitignore', 'a.ts', 'b c.ts', 'new.ts', 'sub/é.ts'],
      isCut: false,
    });
    expect((await listFiles(join(folder, 'sub'), { signal })).files).toEqual(['é.ts']);
  });

  it('never runs the program that a repository names as its monitor', async () => {
    const folder = folderWith('a.ts');
    git(folder, 'init');
    git(folder, 'config', 'core.fsmonitor', `touch ${join(folder, 'ran')}; false`);
    expect((await listFiles(folder, { signal })).files).toEqual(['a.ts']);
    expect((await listFiles(folder, { signal })).files).not.toContain('ran');
  });

  it('without git, lists all but packages and version control, and follows no link to a folder', async () => {
    const folder = folderWith('a.ts', 'node_modules/p/index.js', 'deep/er/b.ts');
    symlinkSync(folder, join(folder, 'loop'));
    expect((await listFiles(folder, { signal })).files).toEqual(['a.ts', 'deep/er/b.ts', 'loop']);
  });

  it('lists a folder that the repository around it ignores', async () => {
    const folder = folderWith('scratch/a.ts');
    writeFileSync(join(folder, '.gitignore'), 'scratch/\n');
    git(folder, 'init');
    expect((await listFiles(join(folder, 'scratch'), { signal })).files).toEqual(['a.ts']);
  });

  it('says when there are more files than the limit', async () => {
    const folder = folderWith('a', 'b', 'c');
    expect(await listFiles(folder, { signal, maxFiles: 2 })).toEqual({ files: ['a', 'b'], isCut: true });
    git(folder, 'init');
    expect(await listFiles(folder, { signal, maxFiles: 2 })).toEqual({ files: ['a', 'b'], isCut: true });
  });

  it('rejects when it is cancelled', async () => {
    const reason = new Error('no longer wanted');
    await expect(listFiles(folderWith('a'), { signal: AbortSignal.abort(reason) })).rejects.toBe(reason);
  });
});
