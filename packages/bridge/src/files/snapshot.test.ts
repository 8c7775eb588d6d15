import { execFileSync } from 'node:child_process';
import { mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { temporaryFolder } from '../../testing/temporary-folder.ts';
import { isAsInGit, isIgnored, takeSnapshot } from './snapshot.ts';

const { signal } = new AbortController();

function git(folder: string, ...args: string[]): void {
  const identity = ['-c', 'user.name=t', '-c', 'user.email=t@example.org'];
  execFileSync('git', [...identity, ...args], { cwd: folder, stdio: 'ignore' });
}

function write(folder: string, files: Record<string, string | Buffer>): void {
  for (const [name, text] of Object.entries(files)) {
    mkdirSync(dirname(join(folder, name)), { recursive: true });
    writeFileSync(join(folder, name), text);
  }
}

/** A repository with a clean, a changed, an untracked and an ignored file. */
function repository(): string {
  const folder = temporaryFolder();
  git(folder, 'init');
  write(folder, { '.gitignore': '*.log\n', 'clean.ts': 'clean\n', 'sub/changed.ts': 'before\n', 'gone.ts': 'gone\n' });
  git(folder, 'add', '.');
  git(folder, 'commit', '-m', 'first');
  write(folder, { 'sub/changed.ts': 'changed by the user\n', 'new.ts': 'untracked\n', 'x.log': 'ignored\n' });
  rmSync(join(folder, 'gone.ts'));
  return folder;
}

describe('a snapshot', () => {
  it('has the texts of that moment, those of the user’s uncommitted changes, too', async () => {
    const folder = repository();
    const snapshot = await takeSnapshot(folder, { signal });
    write(folder, { 'clean.ts': 'agent\n', 'sub/changed.ts': 'agent\n', 'new.ts': 'agent\n', 'made.ts': 'agent\n' });
    const textOf = (name: string) => snapshot.textOf(join(folder, name));
    expect(await textOf('clean.ts')).toEqual({ kind: 'text', text: 'clean\n' });
    expect(await textOf('sub/changed.ts')).toEqual({ kind: 'text', text: 'changed by the user\n' });
    expect(await textOf('new.ts')).toEqual({ kind: 'text', text: 'untracked\n' });
    expect(await textOf('made.ts')).toEqual({ kind: 'no file' });
    expect(await textOf('gone.ts')).toEqual({ kind: 'no file' });
  });

  it('knows which files may have changed, also when they are staged or committed since', async () => {
    const folder = repository();
    const snapshot = await takeSnapshot(folder, { signal });
    write(folder, { 'clean.ts': 'agent\n', 'made.ts': 'agent\n', 'y.log': 'agent\n' });
    const named = async () => (await snapshot.candidates(signal)).map((path) => path.slice(folder.length + 1));
    const expected = ['clean.ts', 'gone.ts', 'made.ts', 'new.ts', 'sub/changed.ts'];
    expect(await named()).toEqual(expected);
    git(folder, 'add', '-A');
    git(folder, 'commit', '-m', 'second');
    expect(await named()).toEqual(expected);
  });

  it('of a folder without git has all texts up to a limit', async () => {
    const folder = temporaryFolder();
    write(folder, { 'a.ts': 'a\n', 'b.ts': 'x'.repeat(100), 'c.ts': 'c\n', 'z.bin': Buffer.from([0, 1]) });
    const snapshot = await takeSnapshot(folder, { signal, maxBytes: 50 });
    write(folder, { 'a.ts': 'agent\n' });
    const textOf = (name: string) => snapshot.textOf(join(folder, name));
    expect(await textOf('a.ts')).toEqual({ kind: 'text', text: 'a\n' });
    expect(await textOf('c.ts')).toEqual({ kind: 'unknown' });
    expect(await textOf('z.bin')).toEqual({ kind: 'unknown' });
    expect(await textOf('new.ts')).toEqual({ kind: 'no file' });
  });

  it('changes nothing in the repository', async () => {
    const folder = repository();
    const state = () => execFileSync('git', ['status', '--porcelain'], { cwd: folder, encoding: 'utf8' });
    const before = state();
    const snapshot = await takeSnapshot(folder, { signal });
    await snapshot.candidates(signal);
    expect(state()).toBe(before);
  });
});

it('a file is as in git after a checkout, and not after an edit', async () => {
  const folder = repository();
  expect(await isAsInGit(folder, join(folder, 'clean.ts'), signal)).toBe(true);
  expect(await isAsInGit(folder, join(folder, 'sub/changed.ts'), signal)).toBe(false);
  expect(await isAsInGit(folder, join(folder, 'new.ts'), signal)).toBe(false);
  git(folder, 'checkout', '--', 'sub/changed.ts');
  expect(await isAsInGit(folder, join(folder, 'sub/changed.ts'), signal)).toBe(true);
});

it('ignored files are known as such', async () => {
  const folder = repository();
  expect(await isIgnored(folder, join(folder, 'x.log'), signal)).toBe(true);
  expect(await isIgnored(folder, join(folder, 'new.ts'), signal)).toBe(false);
  expect(await isIgnored(temporaryFolder(), '/nowhere', signal)).toBe(false);
});
