import { execFileSync } from 'node:child_process';
import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { patchOf } from './patch.ts';

let folder: string;

beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'hawser-patch-'));
});

afterAll(() => rmSync(folder, { recursive: true, force: true, maxRetries: 5 }));

const LONG = Array.from({ length: 40 }, (_, line) => `line ${line}\n`).join('');

describe('patchOf', () => {
  it.each([
    ['a change', 'a.txt', 'one\ntwo\n', 'one\nTWO\n'],
    [
      'several stretches',
      'a.txt',
      LONG,
      LONG.replace('line 2\n', '').replace('line 5\n', 'x\n').replace('line 30\n', '30\n31\n'),
    ],
    ['a new file', 'new.txt', undefined, 'one\ntwo\n'],
    ['a new file in a new folder', 'deep/er/new.txt', undefined, 'one\n'],
    ['a new file without text', 'empty.txt', undefined, ''],
    ['a file that loses its text', 'a.txt', 'one\ntwo\n', ''],
    ['a file that gets its first text', 'a.txt', '', 'one\n'],
    ['a final newline that is added', 'a.txt', 'one\ntwo', 'one\ntwo\n'],
    ['a final newline that is removed', 'a.txt', 'one\ntwo\n', 'one\ntwo'],
    ['no final newline on both sides', 'a.txt', 'one\ntwo\nthree', 'ONE\ntwo\nthree'],
    ['line ends of Windows', 'a.txt', 'one\r\ntwo\r\n', 'one\r\nTWO\r\n'],
    ['line ends that change', 'a.txt', 'one\ntwo\n', 'one\r\ntwo\r\n'],
    ['carriage returns alone', 'a.txt', 'one\rtwo\rthree\nfour\r', 'one\rTWO\rthree\nfour\r'],
    ['control characters', 'a.txt', '\x1b[2J\n\f\n', '\x1b[3J\n\f\x00\n'],
    ['a name with spaces', 'my own file.txt', 'one\n', 'two\n'],
    ['a name in another script', 'naïve 漢字.txt', 'one\n', 'two\n'],
    ['a name with quotes, backslashes and control characters', 'a"b\\c\td\ne.txt', 'one\n', 'two\n'],
    ['a name that looks like an option', '-p1 --- a', undefined, 'two\n'],
  ])('git apply takes %s', (_what, name, oldText, newText) => {
    const path = join(folder, name);
    mkdirSync(dirname(path), { recursive: true });
    rmSync(path, { force: true });
    if (oldText !== undefined) writeFileSync(path, oldText);
    // As the command prints it: what stands before the patch is passed over.
    const patch = `# proposed by an agent\n${patchOf(name, { oldText, newText })}`;
    execFileSync('git', ['apply', '--whitespace=nowarn'], { cwd: folder, input: patch, stdio: 'pipe' });
    expect(existsSync(path)).toBe(true);
    expect(readFileSync(path, 'utf8')).toBe(newText);
  });

  it('names the hunks below each header', () => {
    const newText = LONG.replace('line 2\n', '').replace('line 5\n', 'x\n').replace('line 30\n', '30\n31\n');
    const headers = patchOf('a.txt', { oldText: LONG, newText }).match(/^@@.*$/gm);
    expect(headers).toEqual(['@@ -1,9 +1,8 @@ hunks 1-2', '@@ -28,7 +27,8 @@ hunk 3']);
  });

  it('is empty if nothing changes', () => {
    expect(patchOf('a.txt', { oldText: LONG, newText: LONG })).toBe('');
  });
});
