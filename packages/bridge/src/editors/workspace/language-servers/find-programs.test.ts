import { mkdir, realpath, rm, symlink, writeFile } from 'node:fs/promises';
import { delimiter, join } from 'node:path';
import { beforeEach, describe, expect, it } from 'vitest';
import { writeProgram } from '../../../../testing/language-programs.ts';
import { temporaryFolders } from '../../../../testing/workspace-folder.ts';
import { ProgramSearch } from './find-programs.ts';
import { ADVICE, PROGRAMS } from './program-table.ts';

const makeFolder = temporaryFolders();
let work: string;
let bin: string;

beforeEach(async () => {
  const home = await makeFolder();
  [work, bin] = [join(home, 'work'), join(home, 'bin')];
  await mkdir(join(work, 'packages', 'a', 'src'), { recursive: true });
  await mkdir(bin);
});

const install = (folder: string, name: string) => writeProgram(join(folder, 'node_modules', '.bin', name), '');

/** A package as npm installs it: the program is a link into it. */
async function installPackage(folder: string, name: string, version: string, program: string): Promise<void> {
  const home = join(folder, 'node_modules', name);
  writeProgram(join(home, 'bin', program), '');
  await writeFile(join(home, 'package.json'), JSON.stringify({ name, version }));
  await mkdir(join(folder, 'node_modules', '.bin'), { recursive: true });
  await symlink(join('..', name, 'bin', program), join(folder, 'node_modules', '.bin', program));
}

/** Of each group: the commands by preference, with the place of the program. */
async function found(language: string, from = join(work, 'packages', 'a', 'src'), find: 'auto' | 'path' = 'auto') {
  const groups = await new ProgramSearch({ find, searchPath: bin }).find(language, from, work);
  return groups.map((group) => group.map(({ row, path }) => `${row.command.join(' ')} at ${path}`));
}

describe('looking for language servers', () => {
  it('finds the nearest of the project, then those further up, then those on PATH', async () => {
    writeProgram(join(bin, 'vtsls'), '');
    expect(await found('typescript')).toEqual([[`vtsls --stdio at ${bin}/vtsls`]]);
    install(work, 'vtsls');
    expect(await found('typescript')).toEqual([[`vtsls --stdio at ${work}/node_modules/.bin/vtsls`]]);
    install(join(work, 'packages', 'a'), 'vtsls');
    expect(await found('typescript')).toEqual([[`vtsls --stdio at ${work}/packages/a/node_modules/.bin/vtsls`]]);
    expect(await found('typescript', work)).toEqual([[`vtsls --stdio at ${work}/node_modules/.bin/vtsls`]]);
  });

  it('never looks above the workspace', async () => {
    install(join(work, '..'), 'vtsls');
    expect(await found('typescript')).toEqual([]);
  });

  it('looks on PATH only, if asked to, and not in relative folders of it', async () => {
    install(work, 'vtsls');
    expect(await found('typescript', work, 'path')).toEqual([]);
    const relative = ['', '.', 'node_modules/.bin'].join(delimiter);
    const groups = await new ProgramSearch({ find: 'path', searchPath: relative }).find('typescript', work, work);
    expect(groups).toEqual([]);
  });

  it('leaves out the programs of a folder that is not trusted, also where npm has put them on PATH', async () => {
    install(work, 'vtsls');
    const searchPath = [join(work, 'node_modules', '.bin'), bin].join(delimiter);
    const search = (isTrusted: boolean) =>
      new ProgramSearch({ find: 'auto', searchPath, isTrusted: () => isTrusted }).find('typescript', work, work);
    expect(await search(false)).toEqual([]);
    expect(await search(true)).toHaveLength(1);
    writeProgram(join(bin, 'vtsls'), '');
    expect(await search(false)).toMatchObject([[{ path: join(bin, 'vtsls') }]]);
  });

  it('takes what can be executed, and no folders', async () => {
    await mkdir(join(bin, 'gopls'));
    await writeFile(join(bin, 'clangd'), 'not executable');
    expect(await found('go')).toEqual([]);
    expect(await found('c')).toEqual([]);
  });

  it.each([
    ['5.9.3', 'tsc --noEmit --pretty false'],
    ['7.0.2', 'tsc --lsp --stdio'],
    ['8.1.0-beta', 'tsc --lsp --stdio'],
  ])('TypeScript %s is used as `%s`', async (version, command) => {
    await writeFile(join(work, 'tsconfig.json'), '{}');
    await installPackage(work, 'typescript', version, 'tsc');
    const path = join(work, 'node_modules', '.bin', 'tsc');
    expect(await found('typescript')).toEqual([[`${command} at ${path}`]]);
    const [[program] = []] = await new ProgramSearch({ find: 'auto', searchPath: '' }).find('typescript', work, work);
    expect(program).toMatchObject({ version, folder: work });
  });

  it('a program called tsc that is not of TypeScript is not used', async () => {
    writeProgram(join(bin, 'tsc'), '');
    expect(await found('typescript')).toEqual([]);
  });

  it('a server is preferred to a checker, wherever they are', async () => {
    await writeFile(join(work, 'tsconfig.json'), '{}');
    await installPackage(work, 'typescript', '5.9.3', 'tsc');
    writeProgram(join(bin, 'typescript-language-server'), '');
    expect(await found('typescript')).toEqual([
      [
        `typescript-language-server --stdio at ${bin}/typescript-language-server`,
        `tsc --noEmit --pretty false at ${work}/node_modules/.bin/tsc`,
      ],
    ]);
  });

  it('a program that needs a configuration runs in the nearest folder that has one, and not without', async () => {
    install(work, 'eslint');
    expect(await found('javascript')).toEqual([]);
    await writeFile(join(work, 'eslint.config.js'), '');
    const search = async () => {
      const groups = await new ProgramSearch({ find: 'auto', searchPath: '' }).find(
        'javascript',
        join(work, 'packages', 'a', 'src'),
        work,
      );
      return groups.flat().map(({ folder }) => folder);
    };
    expect(await search()).toEqual([work]);
    await writeFile(join(work, 'packages', 'a', 'eslint.config.js'), '');
    expect(await search()).toEqual([join(work, 'packages', 'a')]);
  });

  it('programs of different groups add up, and Python projects have their own', async () => {
    writeProgram(join(work, '.venv', 'bin', 'ruff'), '');
    writeProgram(join(bin, 'pyright-langserver'), '');
    expect(await found('python')).toEqual([
      [`pyright-langserver --stdio at ${bin}/pyright-langserver`],
      [`ruff server at ${work}/.venv/bin/ruff`, `ruff check --output-format concise {file} at ${work}/.venv/bin/ruff`],
    ]);
  });

  it('a project that was removed meanwhile is no error', async () => {
    await rm(work, { recursive: true });
    expect(await found('typescript')).toEqual([]);
    expect(await realpath(bin)).toBe(bin);
  });

  it('every row has a command, languages and a group, and {file} is a word of its own', () => {
    for (const { command, languages, group } of PROGRAMS) {
      expect(command[0], command.join(' ')).toMatch(/^[\w-]+$/);
      expect(languages.length, command.join(' ')).toBeGreaterThan(0);
      expect(group, command.join(' ')).not.toBe('');
      expect(
        command.every((word) => word === '{file}' || !word.includes('{')),
        command.join(' '),
      ).toBe(true);
    }
  });

  it('what is advised for a language brings a program that is looked for', () => {
    const known = new Set(PROGRAMS.flatMap(({ languages }) => languages));
    for (const { languages } of ADVICE) expect(languages.filter((language) => !known.has(language))).toEqual([]);
    const advised = ADVICE.flatMap(({ languages }) => languages);
    expect(advised.length).toBe(new Set(advised).size);
  });
});
