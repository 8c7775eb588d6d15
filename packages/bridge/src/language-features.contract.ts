import { mkdir, mkdtemp, readFile, realpath, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it, type TestContext } from 'vitest';
import type { Editor, Position, Range } from './editor.ts';
import type { FileEdits, LanguageFeatures } from './language-features.ts';

export interface LanguageFeaturesUnderTest {
  readonly editor: Editor;
  dispose(): Promise<void>;
}

/** A project in which one file declares a function `greet`, and two others call it. Each file is its name and its text. */
export interface LanguageProject {
  readonly greet: readonly [string, string];
  /** Calls it once, behind an emoji. */
  readonly main: readonly [string, string];
  readonly unsorted: readonly [string, string];
  readonly settings: Readonly<Record<string, string>>;
}

const TYPESCRIPT: LanguageProject = {
  greet: [
    'greet.ts',
    [
      "const face = '😀'; export function greet(name: string): string {",
      '  return face + name;',
      '}',
      'export class Crowd {',
      '  size = 2;',
      '}',
      '',
    ].join('\n'),
  ],
  main: ['main.ts', ["import { greet } from './greet';", "/* 😀 */ greet('you');", ''].join('\n')],
  unsorted: [
    'unsorted.ts',
    ["import { greet, Crowd } from './greet';", 'export const crowd = new Crowd();', ''].join('\n'),
  ],
  settings: { 'tsconfig.json': '{ "compilerOptions": { "strict": true } }' },
};

/** What every editor with language servers must do. Columns behind an emoji count twice for it. */
export function describeLanguageFeatures(
  name: string,
  start: (folder: string) => Promise<LanguageFeaturesUnderTest>,
  project: LanguageProject = TYPESCRIPT,
): void {
  const [greetFile, GREET] = project.greet;
  const [mainFile, MAIN] = project.main;
  const [unsortedFile, UNSORTED] = project.unsorted;

  describe(`${name} keeps the contract of language features`, () => {
    let folder: string;
    let underTest: LanguageFeaturesUnderTest;
    let editor: Editor;
    const path = (file: string) => join(folder, file);

    beforeAll(async () => {
      folder = await realpath(await mkdtemp(join(tmpdir(), 'hawser-language-')));
      const files = [project.greet, project.main, project.unsorted, ...Object.entries(project.settings)];
      for (const [file, text] of files) {
        await mkdir(dirname(path(file)), { recursive: true });
        await writeFile(path(file), text);
      }
      underTest = await start(folder);
      editor = underTest.editor;
      for (const file of [greetFile, mainFile, unsortedFile]) await editor.openFile({ path: path(file) });
    });

    afterAll(async () => {
      await underTest.dispose();
      await rm(folder, { recursive: true, force: true, maxRetries: 5 });
    });

    const feature = <Name extends keyof LanguageFeatures>(context: TestContext, name: Name) => {
      const method = editor[name];
      if (method === undefined) context.skip(`it has no ${name}`);
      return method as NonNullable<LanguageFeatures[Name]>;
    };
    const call = () => ({ path: path(mainFile), position: positionOf(MAIN, 'greet(') });
    const declaration = () => ({ path: path(greetFile), range: rangeOf(GREET, 'greet') });

    it('the definition of a name is found in another file', async (context) => {
      expect(await feature(context, 'definition')(call())).toEqual([declaration()]);
    });

    it('the references of a name include its declaration', async (context) => {
      const found = await feature(context, 'references')(call());
      expect(found).toContainEqual(declaration());
      expect(found).toContainEqual({ path: path(mainFile), range: rangeOf(MAIN, 'greet', 'greet(') });
      expect(found.map((each) => each.path)).toContain(path(unsortedFile));
    });

    it('hovering says what a name is, and nothing where there is none', async (context) => {
      const hover = await feature(context, 'hover')(call());
      expect(hover?.text).toContain('greet(name: string): string');
      const nothing = { path: path(mainFile), position: { line: 2, character: 0 } };
      expect(await feature(context, 'hover')(nothing)).toBeUndefined();
    });

    it('the symbols of a document are a tree', async (context) => {
      const symbols = await feature(context, 'documentSymbols')(path(greetFile));
      expect(symbols).toMatchObject([
        { name: 'face' },
        { name: 'greet', kind: 'function', selectionRange: rangeOf(GREET, 'greet') },
        { name: 'Crowd', kind: 'class', children: [{ name: 'size', kind: 'property' }] },
      ]);
    });

    it('the symbols of the workspace are found by their name', async (context) => {
      const symbols = await feature(context, 'workspaceSymbols')('Crowd');
      const found = symbols.find((symbol) => symbol.name === 'Crowd');
      expect(found).toMatchObject({ kind: 'class', location: { path: path(greetFile) } });
    });

    it('a rename returns edits of every file and changes none', async (context) => {
      const at = { path: path(greetFile), position: positionOf(GREET, 'greet') };
      const edits = await feature(context, 'rename')(at, 'welcome');
      expect(edited(GREET, edits, path(greetFile))).toBe(GREET.replaceAll('greet', 'welcome'));
      expect(edited(MAIN, edits, path(mainFile))).toBe(
        MAIN.replace('{ greet }', '{ welcome }').replace('greet(', 'welcome('),
      );
      expect(await readFile(path(mainFile), 'utf8')).toBe(MAIN);
      expect((await editor.openDocuments()).filter(({ isDirty }) => isDirty)).toEqual([]);
    });

    it('what has no name is not renamed, and the server says why', async (context) => {
      const at = { path: path(greetFile), position: positionOf(GREET, 'return') };
      await expect(feature(context, 'rename')(at, 'other')).rejects.toThrow(/rename/i);
    });

    it('code actions return edits and change nothing', async (context) => {
      const actions = await feature(context, 'codeActions')(
        path(unsortedFile),
        { start: ORIGIN, end: ORIGIN },
        { kinds: ['source.organizeImports'] },
      );
      const organize = actions.find(({ kind }) => kind === 'source.organizeImports');
      expect(organize).toMatchObject({ title: expect.any(String), isPreferred: expect.any(Boolean) });
      expect(edited(UNSORTED, organize?.edits ?? [], path(unsortedFile))).toMatch(/import \{ Crowd \} from/);
      expect((await editor.openDocuments()).filter(({ isDirty }) => isDirty)).toEqual([]);
    });

    it('a document that is not open, or has no language server, is refused by name', async (context) => {
      const closed = { path: path('closed.ts'), position: ORIGIN };
      await expect(feature(context, 'hover')(closed)).rejects.toThrow(closed.path);
      const plain = { path: path('plain.txt'), position: ORIGIN };
      await writeFile(plain.path, 'text\n');
      await editor.openFile({ path: plain.path });
      await expect(feature(context, 'hover')(plain)).rejects.toThrow(plain.path);
    });

    it('aborting ends the wait with the reason', async (context) => {
      const reason = new Error('enough');
      await expect(feature(context, 'references')(call(), { signal: AbortSignal.abort(reason) })).rejects.toBe(reason);
      const controller = new AbortController();
      const waiting = feature(context, 'references')(call(), { signal: controller.signal });
      controller.abort(reason);
      await expect(waiting).rejects.toBe(reason);
    });
  });
}

const ORIGIN: Position = { line: 0, character: 0 };

function positionOf(text: string, part: string): Position {
  const before = text.slice(0, text.indexOf(part)).split('\n');
  return { line: before.length - 1, character: before.at(-1)?.length ?? 0 };
}

/** Of the word, where `part` begins. */
function rangeOf(text: string, word: string, part = word): Range {
  const start = positionOf(text, part);
  return { start, end: { line: start.line, character: start.character + word.length } };
}

/** The text with the edits of its file, applied from the end. */
function edited(text: string, all: readonly FileEdits[], path: string): string {
  const starts = [0];
  for (const { index } of text.matchAll(/\n/g)) starts.push(index + 1);
  const at = ({ line, character }: Position) => (starts[line] ?? text.length) + character;
  const edits = all.filter((each) => each.path === path).flatMap((each) => each.edits);
  return [...edits]
    .sort((one, other) => at(other.range.start) - at(one.range.start))
    .reduce(
      (whole, { range, newText }) => whole.slice(0, at(range.start)) + newText + whole.slice(at(range.end)),
      text,
    );
}
