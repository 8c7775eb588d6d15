import { readdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { temporaryFolders } from '../../../testing/workspace-folder.ts';
import { TemporaryFiles } from '../../temporary-files.ts';
import { formatText } from './format.ts';
import type { Command } from './run-command.ts';

const makeFolder = temporaryFolders();
const temporaryFiles = new TemporaryFiles(undefined);
const options = { signal: new AbortController().signal, temporaryFiles };
const node = (script: string, ...args: string[]): Command => [process.execPath, '-e', script, ...args];
const shout =
  "const fs = require('fs'); const f = process.argv[1]; fs.writeFileSync(f, fs.readFileSync(f, 'latin1').toUpperCase(), 'latin1')";

describe('formatText', () => {
  it('gives the command a copy of the unsaved text beside the file, in its encoding, and takes it away', async () => {
    const folder = await makeFolder();
    const path = join(folder, "it's $& HOME.ts");
    await writeFile(path, 'on disk');
    const format = { command: node(`${shout}; fs.writeFileSync('argument', f)`, '{file}') };
    expect(await formatText(format, { path, text: 'unsaved ä', encoding: 'latin1' }, options)).toBe('UNSAVED Ä');
    expect(await readFile(path, 'utf8')).toBe('on disk');
    expect((await readdir(folder)).sort()).toEqual(['argument', "it's $& HOME.ts"]);
    expect(await readFile(join(folder, 'argument'), 'utf8')).toMatch(/\/\.hawser-[^/]+\.it's \$& HOME\.ts$/);
  });

  it('gives the command the text on stdin and may tell it the path', async () => {
    const path = join(await makeFolder(), 'a.ts');
    const command = node("process.stdout.write(process.argv[1] + ':'); process.stdin.pipe(process.stdout)", '{file}');
    const formatted = await formatText({ command, via: 'stdin' }, { path, text: 'ä\r\n', encoding: 'latin1' }, options);
    expect(formatted).toBe(`${path}:ä\r\n`);
  });

  it('a command that fails says why, and one that says nothing has not formatted', async () => {
    const file = { path: join(await makeFolder(), 'a.ts'), text: 'text', encoding: 'utf8' } as const;
    const failing = { command: node("console.error('syntax error'); process.exit(3)") };
    await expect(formatText(failing, file, options)).rejects.toThrow(/failed with exit code 3: syntax error$/);
    await expect(formatText({ command: node('') }, file, options)).rejects.toThrow('wrote nothing to stdout');
    const failingOnCopy = { command: node('process.exit(1)', '{file}') };
    await expect(formatText(failingOnCopy, file, options)).rejects.toThrow('failed with exit code 1');
    expect(await readdir(join(file.path, '..'))).toEqual([]);
  });

  it('formats a file with the longest name that there is', async () => {
    const path = join(await makeFolder(), `${'n'.repeat(252)}.ts`);
    const format = { command: node(`${shout}; process.exit(f.endsWith('.ts') ? 0 : 1)`, '{file}') };
    expect(await formatText(format, { path, text: 'text', encoding: 'utf8' }, options)).toBe('TEXT');
  });

  it('stops when it is aborted', async () => {
    const aborting = new AbortController();
    const file = { path: join(await makeFolder(), 'a.ts'), text: 'text', encoding: 'utf8' } as const;
    const formatted = formatText({ command: node('setInterval(() => {}, 1000)') }, file, {
      ...options,
      signal: aborting.signal,
    });
    aborting.abort(new Error('no longer wanted'));
    await expect(formatted).rejects.toThrow('no longer wanted');
  });
});
