import { mkdir, readFile, rm, symlink, writeFile } from 'node:fs/promises';
import { delimiter, dirname, join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { nodeFolder, npmPrograms, scriptedServer } from '../../../../testing/language-programs.ts';
import { temporaryFolders } from '../../../../testing/workspace-folder.ts';
import type { EditorEvent } from '../../../editor.ts';
import { type WorkspaceEditor, type WorkspaceEditorOptions, workspaceEditor } from '../workspace-editor.ts';
import type { ProgramRow } from './program-table.ts';

const makeFolder = temporaryFolders();
let folder: string;
let editor: WorkspaceEditor;
let events: EditorEvent[];
let problems: string[];

beforeEach(async () => {
  folder = await makeFolder();
  [events, problems] = [[], []];
});

afterEach(() => editor.close());

const path = (name: string) => join(folder, name);
async function file(name: string, text: string): Promise<string> {
  await mkdir(dirname(path(name)), { recursive: true });
  await writeFile(path(name), text);
  return path(name);
}

function start(programs?: readonly ProgramRow[], options: Partial<WorkspaceEditorOptions> = {}): WorkspaceEditor {
  editor = workspaceEditor({
    folders: [folder],
    // tsc and biome are those that this repository is built with.
    languageServers: {
      find: 'auto',
      searchPath: [npmPrograms, nodeFolder].join(delimiter),
      ...(programs && { programs }),
    },
    onProblem: ({ message }) => problems.push(message),
    ...options,
  });
  editor.subscribe((event) => events.push(event));
  return editor;
}

const found = async (of?: string) =>
  (await editor.diagnostics(of)).flatMap((each) => each.diagnostics.map(({ message }) => message));
const states = async () =>
  ((await editor.languagePrograms?.()) ?? []).map(({ name, state }) => `${name}: ${state}`).sort();

const ODD = 'export const count: number = "x";\n';
const notAssignable = "Type 'string' is not assignable to type 'number'.";

describe('languages without a program', () => {
  const unchecked = async () => (await editor.uncheckedLanguages?.())?.map(({ title }) => title);

  it('are those of files in the workspace that nothing was found for, with what to install', async () => {
    await file('a.ts', ODD);
    await file('b.py', 'x = 1\n');
    await file('c.txt', 'x\n');
    start(undefined, { languageServers: { find: 'auto', searchPath: '/nowhere' } });
    expect(await editor.uncheckedLanguages?.()).toEqual([
      { title: 'TypeScript', install: 'npm i -D typescript typescript-language-server' },
      { title: 'Python', install: 'pip install basedpyright' },
    ]);
  });

  it('are none of those that a program was found for, nor any if a command checks all files', async () => {
    await file('a.ts', ODD);
    await file('b.py', 'x = 1\n');
    start();
    expect(await unchecked()).toEqual(['Python']);
    await editor.close();
    start(undefined, { diagnosticsCommand: { command: ['true'], matcher: 'tsc' } });
    expect(await unchecked()).toEqual([]);
  });
});

describe('diagnostics of tsc', () => {
  it('of a file that is not open, at its place, with the server started by the question', async () => {
    const a = await file('a.ts', `/* 😀 */ ${ODD}`);
    start();
    expect(await states()).toEqual(['tsc --lsp: not started']);
    expect(await editor.diagnostics(a)).toEqual([
      {
        path: a,
        diagnostics: [
          {
            message: notAssignable,
            severity: 'error',
            range: { start: { line: 0, character: 22 }, end: { line: 0, character: 27 } },
            source: 'ts',
            code: 2322,
          },
        ],
      },
    ]);
    expect(await states()).toEqual(['tsc --lsp: running']);
    expect((await editor.languagePrograms?.())?.[0]).toMatchObject({ version: expect.stringMatching(/^7\./), folder });
    expect(problems).toEqual([]);
  });

  it('follow what other programs write, also to files that are neither open nor asked for', async () => {
    const a = await file('a.ts', "import { b } from './b';\nexport const a: number = b;\n");
    await file('tsconfig.json', '{}');
    const b = await file('b.ts', 'export const b = 1;\n');
    start();
    expect(await found(a)).toEqual([]);
    await writeFile(b, "export const b = 'one';\n");
    expect(await found(a)).toEqual([notAssignable]);
    await writeFile(a, "import { b } from './b';\nexport const a: string = b;\n");
    expect(await found(a)).toEqual([]);
    await rm(b);
    expect(await found(a)).toEqual([expect.stringContaining("Cannot find module './b'")]);
  });

  it('are those of the unsaved text, with an event when they change', async () => {
    const a = await file('a.ts', 'export const count: number = 1;\n');
    start();
    await editor.openFile({ path: a });
    expect(await found()).toEqual([]);
    const changed = new Promise<void>((resolve) => {
      editor.subscribe((event) => {
        if (event.kind === 'diagnostics' && event.paths.includes(a)) resolve();
      });
    });
    editor.setText(a, ODD);
    await changed;
    expect(await found()).toEqual([notAssignable]);
    expect(await readFile(a, 'utf8')).toBe('export const count: number = 1;\n');
    editor.setText(a, 'export const count: number = 1;\n');
    expect(await found()).toEqual([]);
  });

  it('are none for a file that is missing or of a language without a server', async () => {
    start();
    expect(await editor.diagnostics(path('missing.ts'))).toEqual([{ path: path('missing.ts'), diagnostics: [] }]);
    const note = await file('note.txt', 'text');
    expect(await editor.diagnostics(note)).toEqual([{ path: note, diagnostics: [] }]);
    expect(await editor.diagnostics()).toEqual([]);
    expect(problems).toEqual([]);
  });
});

describe('several programs', () => {
  it('a linter that publishes on its own adds what it finds, and offers code actions', async () => {
    await file('biome.json', '{}');
    const a = await file('a.ts', `${ODD}debugger;\n`);
    start();
    await editor.openFile({ path: a });
    expect(await found(a)).toEqual([notAssignable, expect.stringContaining('debugger statement')]);
    expect(await states()).toEqual(['biome lsp-proxy: running', 'tsc --lsp: running']);
    const range = { start: { line: 1, character: 0 }, end: { line: 1, character: 1 } };
    const titles = (await editor.codeActions?.(a, range))?.map(({ title }) => title);
    expect(titles).toContainEqual(expect.stringMatching(/noDebugger/));
  });

  it('a checker runs on its folder, again when a file has changed, and not otherwise', async () => {
    const row: ProgramRow = {
      kind: 'checker',
      command: ['tsc', '--noEmit', '--pretty', 'false'],
      languages: ['typescript'],
      group: 'typescript',
      matcher: 'tsc',
      rootFiles: ['tsconfig.json'],
    };
    await file('pkg/tsconfig.json', '{}');
    const [a, b] = [await file('pkg/a.ts', ODD), await file('pkg/b.ts', ODD)];
    start([row]);
    expect(await found(a)).toEqual([notAssignable]);
    expect((await editor.diagnostics()).map((each) => each.path)).toEqual([a, b]);
    await writeFile(b, 'export const count = 1;\n');
    expect(await found(b)).toEqual([]);
    expect(await states()).toEqual(['tsc --noEmit --pretty false: idle']);
    expect(editor.definition).toBeUndefined();
  });

  it('a checker of single files gets the file, and one that fails is reported once and shown as failed', async () => {
    const row: ProgramRow = {
      kind: 'checker',
      command: ['biome', 'lint', '--reporter=github', '{file}'],
      languages: ['typescript'],
      group: 'biome',
      matcher: { pattern: /^::error .*file=(?<file>[^,]+),line=(?<line>\d+).*::(?<message>.*)$/ },
    };
    const a = await file('a b.ts', 'debugger;\n');
    start([row]);
    expect(await found(a)).toEqual([expect.stringContaining('debugger')]);
    await file('biome.json', '{ "linter": 7 }');
    await writeFile(a, 'debugger;\n\n');
    await found(a);
    await found(a);
    expect(await states()).toEqual(['biome lint --reporter=github: failed']);
    expect(problems).toEqual([expect.stringContaining('exit code 1')]);
  });

  it('the next program of a group takes over when the first has failed', async () => {
    const broken = scriptedServer(path('bin'), 'crash-at-start');
    const a = await file('a.ts', ODD);
    const rows: ProgramRow[] = [
      { ...broken, languages: ['typescript'], group: 'typescript' },
      { kind: 'server', command: ['tsc', '--lsp', '--stdio'], languages: ['typescript'], group: 'typescript' },
    ];
    start(rows, {
      languageServers: {
        find: 'auto',
        searchPath: [path('bin'), npmPrograms, nodeFolder].join(delimiter),
        programs: rows,
      },
    });
    expect(await found(a)).toEqual([]);
    expect(problems).toEqual([expect.stringContaining('no licence found')]);
    expect(await found(a)).toEqual([notAssignable]);
  });

  it('no more servers run than allowed', async () => {
    const row = scriptedServer(path('bin'), 'good');
    const rows = Array.from({ length: 10 }, (_, index) => ({
      ...row,
      group: `${index}`,
      command: withIndex(row, index),
    }));
    const a = await file('a.lua', 'one\n');
    start(rows, {
      languageServers: { find: 'path', searchPath: [path('bin'), nodeFolder].join(delimiter), programs: rows },
    });
    await found(a);
    const all = await states();
    expect(all.filter((each) => each.endsWith('running'))).toHaveLength(8);
    expect(problems).toEqual(Array(2).fill(expect.stringContaining('8 language servers run already')));
  });

  it('the command of the user wins over language servers', async () => {
    const a = await file('a.ts', ODD);
    start(undefined, {
      diagnosticsCommand: {
        command: [process.execPath, '-e', "console.log('a.ts(1,1): error TS1: mine')"],
        matcher: 'tsc',
      },
    });
    await expect.poll(() => found(a)).toEqual(['mine']);
    expect(await states()).toEqual([expect.stringContaining('console.log'), 'tsc --lsp: not started']);
  });
});

describe('features of the editor', () => {
  it('appear, with an event, when a program was installed, and go when it was removed', async () => {
    const bin = path('node_modules/.bin');
    const a = await file('a.ts', ODD);
    let seconds = 100;
    const uptime = vi.spyOn(process, 'uptime').mockImplementation(() => seconds);
    try {
      start(undefined, { languageServers: { find: 'auto', searchPath: nodeFolder } });
      expect(await states()).toEqual([]);
      expect([editor.hover, editor.codeActions, editor.format]).toEqual([undefined, undefined, undefined]);
      await mkdir(bin, { recursive: true });
      await symlink(join(npmPrograms, 'tsc'), join(bin, 'tsc'));
      seconds += 6;
      expect(await states()).toEqual(['tsc --lsp: not started']);
      expect(events.filter(({ kind }) => kind === 'features')).toHaveLength(1);
      expect([editor.hover, editor.rename, editor.codeActions].every((member) => member !== undefined)).toBe(true);
      await rm(join(bin, 'tsc'));
      seconds += 6;
      expect(await states()).toEqual([]);
      expect(editor.hover).toBeUndefined();
      expect(events.filter(({ kind }) => kind === 'features')).toHaveLength(2);
      expect(await found(a)).toEqual([]);
    } finally {
      uptime.mockRestore();
    }
  });

  it('a package of a monorepo has its own server', async () => {
    const a = await file('packages/a/src/a.ts', ODD);
    await mkdir(path('packages/a/node_modules/.bin'), { recursive: true });
    await symlink(join(npmPrograms, 'tsc'), path('packages/a/node_modules/.bin/tsc'));
    start(undefined, { languageServers: { find: 'auto', searchPath: nodeFolder } });
    expect(await states()).toEqual(['tsc --lsp: not started']);
    expect(await found(a)).toEqual([notAssignable]);
  });

  it('a server whose style is the usual one formats, and the document stays as it is', async () => {
    await file('biome.json', '{}');
    const a = await file('a.ts', 'export   const a = {b:1}\n');
    start();
    await states();
    await editor.openFile({ path: a });
    expect(await editor.format?.(a)).toBe('export const a = { b: 1 };\n');
    expect(editor.text(a)).toBe('export   const a = {b:1}\n');
    expect(await readFile(a, 'utf8')).toBe('export   const a = {b:1}\n');
  });
});

function withIndex({ command: [program, ...args] }: ProgramRow, index: number): [string, ...string[]] {
  return [program, ...args, String(index)];
}
