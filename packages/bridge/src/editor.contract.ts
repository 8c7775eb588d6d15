import { chmod, lstat, mkdir, mkdtemp, readFile, realpath, rm, stat, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it, type TestContext } from 'vitest';
import type { Diagnostic, Editor, EditorEvent, Range } from './editor.ts';

/** An editor, and the hands of its user. What is absent is skipped, with the reason from the notes. */
export interface EditorUnderTest {
  readonly editor: Editor;
  /** Makes this the unsaved text of an open document: exactly what saving is to write, but for a byte order mark. */
  type(path: string, text: string): Promise<void>;
  select(path: string, range: Range): Promise<void>;
  mention?(path: string, lines?: { readonly first: number; readonly last: number }): Promise<void>;
  changeFolders?(folders: readonly [string, ...string[]]): Promise<void>;
  /** Makes the editor find this and no other problem in a file. */
  report?(path: string, problem: Diagnostic): Promise<void>;
  /** A file that the editor's formatter changes. */
  readonly unformatted?: { readonly name: string; readonly text: string; readonly formatted: string };
  dispose(): Promise<void>;
}

export interface EditorNotes {
  /** Why the editor, or its test, lacks something. */
  readonly lacks?: Partial<Record<keyof Editor | keyof EditorUnderTest, string>>;
}

/** What every editor must do. The folder that an editor is made for is its only workspace folder. */
export function describeEditor(
  name: string,
  makeEditor: (folder: string) => Promise<EditorUnderTest>,
  { lacks = {} }: EditorNotes = {},
): void {
  describe(`${name} keeps the contract of an editor`, () => {
    let folder: string;
    let underTest: EditorUnderTest;
    let editor: Editor;

    beforeEach(async () => {
      folder = await realpath(await mkdtemp(join(tmpdir(), 'hawser-editor-')));
      underTest = await makeEditor(folder);
      editor = underTest.editor;
    });

    afterEach(async () => {
      await underTest.dispose();
      await rm(folder, { recursive: true, force: true, maxRetries: 5 });
    });

    const file = async (fileName: string, content: string | Buffer): Promise<string> => {
      const path = join(folder, fileName);
      await writeFile(path, content);
      return path;
    };
    const opened = async (fileName: string, content: string | Buffer): Promise<string> => {
      const path = await file(fileName, content);
      await editor.openFile({ path });
      return path;
    };
    const documentAt = async (path: string) =>
      (await editor.openDocuments()).find((document) => document.path === path);
    const typed = async (path: string, text: string) => {
      await underTest.type(path, text);
      await until(editor, async () => (await documentAt(path))?.isDirty === true);
    };
    const selectionIs = (path: string, range: Range) =>
      until(editor, async () => {
        const selection = await editor.selection();
        return selection?.path === path && JSON.stringify(selection.range) === JSON.stringify(range);
      });
    const present = <Member>(context: TestContext, member: Member | undefined, what: keyof typeof lacks): Member => {
      if (member === undefined) context.skip(lacks[what] ?? `it has no ${what}`);
      return member as Member;
    };
    /** For tests of what only an editor with a list of its documents can say. */
    const listsDocuments = (context: TestContext) => {
      if (lacks.openDocuments !== undefined) context.skip(lacks.openDocuments);
    };
    const save = (context: TestContext) => present(context, editor.save?.bind(editor), 'save');
    const closeFile = (context: TestContext) => present(context, editor.closeFile?.bind(editor), 'closeFile');
    const setSelection = (context: TestContext) => present(context, editor.setSelection?.bind(editor), 'setSelection');

    describe('documents', () => {
      it('it has a name and the folder it was made for', async () => {
        expect(editor.name).not.toBe('');
        expect(await editor.workspaceFolders()).toEqual([folder]);
      });

      it('nothing is open at first', async () => {
        expect(await editor.openDocuments()).toEqual([]);
        expect(await editor.selection()).toBeUndefined();
      });

      it('an opened file is described, listed and active', async () => {
        const path = await file('a.ts', 'one\ntwo');
        const expected = {
          path,
          languageId: 'typescript',
          lineCount: 2,
          isActive: true,
          isDirty: false,
          isUntitled: false,
        };
        expect(await editor.openFile({ path })).toEqual(expected);
        expect(await editor.openDocuments()).toEqual([expected]);
      });

      it('a file opened in the background is listed and not active', async (context) => {
        listsDocuments(context);
        const [front, back] = [await opened('front.txt', ''), await file('back.txt', '')];
        expect(await editor.openFile({ path: back, inBackground: true })).toMatchObject({ isActive: false });
        expect((await documentAt(front))?.isActive).toBe(true);
        expect((await documentAt(back))?.isActive).toBe(false);
      });

      it('opening a file again keeps one document with its unsaved text, and makes it the active one', async (context) => {
        listsDocuments(context);
        const [one, two] = [await opened('one.txt', '1'), await opened('two.txt', '2')];
        await typed(one, 'unsaved');
        await editor.openFile({ path: one });
        expect((await editor.openDocuments()).map(({ path }) => path).sort()).toEqual([one, two]);
        expect(await documentAt(one)).toMatchObject({ isActive: true, isDirty: true });
        expect(await documentAt(two)).toMatchObject({ isActive: false });
      });

      it('a file can be opened with something selected', async () => {
        const path = await file('a.txt', 'one\ntwo\nthree');
        const range = rangeOf(1, 0, 2, 3);
        await editor.openFile({ path, range });
        await selectionIs(path, range);
        expect(await editor.selection()).toEqual({ path, range, text: 'two\nthr' });
      });

      it('what is no file is not opened, and the message names it', async () => {
        const directory = join(folder, 'directory');
        await mkdir(directory);
        for (const path of [join(folder, 'missing.txt'), directory]) {
          await expect(editor.openFile({ path })).rejects.toThrow(path);
        }
        expect(await editor.openDocuments()).toEqual([]);
      });

      it('a closed document is listed no more', async (context) => {
        const path = await opened('a.txt', 'text');
        await closeFile(context)(path);
        expect(await documentAt(path)).toBeUndefined();
        await expect(closeFile(context)(path)).rejects.toThrow(path);
      });

      it('a document with unsaved text is not closed', async (context) => {
        const path = await opened('a.txt', 'text');
        await typed(path, 'unsaved');
        await expect(closeFile(context)(path)).rejects.toThrow(path);
        expect((await documentAt(path))?.isDirty).toBe(true);
      });
    });

    describe('saving', () => {
      it.for([
        ['LF', 'a\nb\n', 'a\nc\n', 'a\nc\n'],
        ['CRLF', 'a\r\nb\r\n', 'a\r\nc\r\n', 'a\r\nc\r\n'],
        ['no final line end', 'a\nb', 'a\nc', 'a\nc'],
        ['CRLF without a final line end', 'a\r\nb', 'a\r\nc', 'a\r\nc'],
        ['a byte order mark', '\ufeffa\n', 'ä\n', '\ufeffä\n'],
        ['characters of two, three and four bytes', 'ä€😀\n', '😀€ä\n', '😀€ä\n'],
      ] as const)(
        'unsaved text is dirty and not on disk until it is saved exactly: %s',
        async ([, before, text, after], context) => {
          const path = await opened('a.txt', before);
          await typed(path, text);
          expect(await readFile(path, 'utf8')).toBe(before);
          await save(context)(path);
          expect(await readFile(path, 'utf8')).toBe(after);
          await until(editor, async () => (await documentAt(path))?.isDirty === false);
        },
      );

      it('the mode of a file and the link to it stay', async (context) => {
        const target = await file('target.sh', '#!/bin/sh\n');
        await chmod(target, 0o750);
        const link = join(folder, 'link.sh');
        await symlink('target.sh', link);
        const { path } = await editor.openFile({ path: link });
        await typed(path, '#!/bin/bash\n');
        await save(context)(path);
        expect((await lstat(link)).isSymbolicLink()).toBe(true);
        expect((await stat(target)).mode & 0o777).toBe(0o750);
        expect(await readFile(target, 'utf8')).toBe('#!/bin/bash\n');
      });

      it('a file that has changed on disk is not overwritten, and the unsaved text is kept', async (context) => {
        const path = await opened('a.txt', 'one\n');
        await typed(path, 'mine\n');
        await writeFile(path, 'two\n');
        await expect(save(context)(path)).rejects.toThrow(path);
        expect(await readFile(path, 'utf8')).toBe('two\n');
        expect((await documentAt(path))?.isDirty).toBe(true);
      });

      it('a read-only file is opened but not written', async (context) => {
        const path = await file('a.txt', 'one\n');
        await chmod(path, 0o444);
        await editor.openFile({ path });
        await typed(path, 'two\n');
        await expect(save(context)(path)).rejects.toThrow(path);
        expect(await readFile(path, 'utf8')).toBe('one\n');
      });

      it('a document that is not open is not saved', async (context) => {
        const path = await file('a.txt', '');
        await expect(save(context)(path)).rejects.toThrow(path);
      });

      it('formatting gives the formatted text, and changes nothing', async (context) => {
        const format = present(context, editor.format?.bind(editor), 'format');
        const { name: fileName, text, formatted } = present(context, underTest.unformatted, 'unformatted');
        const path = await opened(fileName, text);
        expect(await format(path)).toBe(formatted);
        expect((await documentAt(path))?.isDirty).toBe(false);
        expect(await readFile(path, 'utf8')).toBe(text);
        await typed(path, `${text}${text}`);
        expect(await format(path)).toBe(`${formatted}${formatted}`);
        expect(await readFile(path, 'utf8')).toBe(text);
      });
    });

    describe('selection', () => {
      const cases: readonly (readonly [string, string, Range, string])[] = [
        ['nothing, where the cursor is', 'one\ntwo', rangeOf(1, 2, 1, 2), ''],
        ['a word', 'one two three', rangeOf(0, 4, 0, 7), 'two'],
        ['up to the end of a line', 'one\ntwo', rangeOf(0, 1, 0, 3), 'ne'],
        ['an emoji, which is two units', 'a😀b', rangeOf(0, 1, 0, 3), '😀'],
        ['what follows an emoji', '😀😀b', rangeOf(0, 4, 0, 5), 'b'],
        ['a letter with a combining mark', 'xe\u0301y', rangeOf(0, 1, 0, 3), 'e\u0301'],
        ['what follows a tab, which is one unit', '\t\tx', rangeOf(0, 2, 0, 3), 'x'],
        ['several lines', 'one\ntwo\nthree', rangeOf(0, 2, 2, 2), 'e\ntwo\nth'],
        ['lines with CRLF, which is at the end of them', 'ä\r\ntwo\r\n', rangeOf(0, 0, 1, 2), 'ä\r\ntw'],
      ];

      it.for(cases)('a user selects %s', async ([, content, range, text]) => {
        const path = await opened('a.txt', content);
        await underTest.select(path, range);
        await selectionIs(path, range);
        expect(await editor.selection()).toEqual({ path, range, text });
      });

      it.for(cases)('an agent selects %s', async ([, content, range, text], context) => {
        const path = await opened('a.txt', content);
        await setSelection(context)(path, range);
        await selectionIs(path, range);
        expect(await editor.selection()).toEqual({ path, range, text });
      });

      it('a position outside the text means the nearest one in it', async (context) => {
        const path = await opened('a.txt', 'one\ntwo');
        await setSelection(context)(path, rangeOf(0, 99, 99, 0));
        await selectionIs(path, rangeOf(0, 3, 1, 3));
        expect((await editor.selection())?.text).toBe('\ntwo');
      });

      it('selecting in another document makes it the active one', async (context) => {
        listsDocuments(context);
        const [one, two] = [await opened('one.txt', '1'), await opened('two.txt', '2')];
        await setSelection(context)(one, rangeOf(0, 0, 0, 1));
        await selectionIs(one, rangeOf(0, 0, 0, 1));
        expect(await documentAt(one)).toMatchObject({ isActive: true });
        expect(await documentAt(two)).toMatchObject({ isActive: false });
      });

      it('nothing is selected in a document that is not open', async (context) => {
        listsDocuments(context);
        const path = await file('a.txt', 'one');
        await expect(setSelection(context)(path, rangeOf(0, 0, 0, 1))).rejects.toThrow(path);
      });

      it('unsaved text is what is selected in', async (context) => {
        listsDocuments(context);
        const path = await opened('a.txt', 'old');
        await typed(path, 'unsaved');
        await underTest.select(path, rangeOf(0, 2, 0, 7));
        await selectionIs(path, rangeOf(0, 2, 0, 7));
        expect((await editor.selection())?.text).toBe('saved');
      });
    });

    describe('events', () => {
      it('a selection event carries what is selected', async () => {
        const path = await opened('a.txt', 'a😀b');
        const received = receivedFrom(editor, 'selection');
        await underTest.select(path, rangeOf(0, 1, 0, 3));
        const selection = { path, range: rangeOf(0, 1, 0, 3), text: '😀' };
        await until(editor, async () => JSON.stringify(received.at(-1)?.selection) === JSON.stringify(selection));
        expect(await editor.selection()).toEqual(selection);
      });

      it('opening, typing, saving and closing cause documents events', async (context) => {
        listsDocuments(context);
        const path = await file('a.txt', '');
        const received = receivedFrom(editor, 'documents');
        const receivedAfter = async (act: () => Promise<unknown>) => {
          received.length = 0;
          await act();
          await until(editor, async () => received.length > 0);
        };
        await receivedAfter(() => editor.openFile({ path }));
        await receivedAfter(() => underTest.type(path, 'x'));
        await receivedAfter(() => save(context)(path));
        await receivedAfter(() => closeFile(context)(path));
      });

      it('a mention event carries the file and the lines, if there are any', async (context) => {
        const mention = present(context, underTest.mention?.bind(underTest), 'mention');
        const path = await opened('a.txt', 'a\nb\nc');
        const received = receivedFrom(editor, 'mention');
        await mention(path);
        await mention(path, { first: 1, last: 2 });
        await until(editor, async () => received.length === 2);
        expect(received).toEqual([
          { kind: 'mention', path },
          { kind: 'mention', path, lines: { first: 1, last: 2 } },
        ]);
      });

      it('a workspace event carries the folders', async (context) => {
        const changeFolders = present(context, underTest.changeFolders?.bind(underTest), 'changeFolders');
        const other = join(folder, 'other');
        await mkdir(other);
        const received = receivedFrom(editor, 'workspace');
        await changeFolders([other]);
        await until(editor, async () => received.length > 0);
        expect(received.at(-1)).toEqual({ kind: 'workspace', folders: [other] });
        expect(await editor.workspaceFolders()).toEqual([other]);
      });

      it('a diagnostics event names the files, whose diagnostics can then be asked for', async (context) => {
        const diagnostics = present(context, editor.diagnostics?.bind(editor), 'diagnostics');
        const report = present(context, underTest.report?.bind(underTest), 'report');
        const [path, sound] = [await opened('a.txt', 'ab\n'), await opened('sound.txt', 'ab\n')];
        const received = receivedFrom(editor, 'diagnostics');
        const problem: Diagnostic = { message: 'Not so', severity: 'warning', range: rangeOf(0, 1, 0, 2) };
        await report(path, problem);
        await until(editor, async () => received.some(({ paths }) => paths.includes(path)));
        expect(await diagnostics(path)).toMatchObject([{ path, diagnostics: [problem] }]);
        expect(await diagnostics(sound)).toEqual([{ path: sound, diagnostics: [] }]);
        expect(await diagnostics()).toMatchObject([{ path, diagnostics: [problem] }]);
      });

      it('a listener that has unsubscribed receives nothing, and one that throws affects no other', async () => {
        const path = await opened('a.txt', 'one');
        const left: EditorEvent[] = [];
        const received: EditorEvent[] = [];
        const leave = editor.subscribe((event) => left.push(event));
        editor.subscribe(() => {
          throw new Error('a bad listener');
        });
        editor.subscribe((event) => received.push(event));
        leave();
        leave();
        await underTest.select(path, rangeOf(0, 0, 0, 2));
        await until(editor, async () => received.some(({ kind }) => kind === 'selection'));
        expect(left).toEqual([]);
        expect((await editor.selection())?.text).toBe('on');
      });
    });

    it('closing twice is safe', async () => {
      await opened('a.txt', 'one');
      await Promise.all([editor.close(), editor.close()]);
      await editor.close();
    });
  });
}

function rangeOf(startLine: number, startCharacter: number, endLine: number, endCharacter: number): Range {
  return {
    start: { line: startLine, character: startCharacter },
    end: { line: endLine, character: endCharacter },
  };
}

/** Resolves when the condition holds: looked at now and after every event. */
function until(editor: Editor, condition: () => Promise<boolean>): Promise<void> {
  return new Promise((resolve, reject) => {
    const look = () => {
      condition().then((holds) => {
        if (!holds) return;
        leave();
        resolve();
      }, reject);
    };
    const leave = editor.subscribe(look);
    look();
  });
}

/** The events of one kind, as they come. */
function receivedFrom<Kind extends EditorEvent['kind']>(
  editor: Editor,
  kind: Kind,
): Extract<EditorEvent, { kind: Kind }>[] {
  const received: Extract<EditorEvent, { kind: Kind }>[] = [];
  editor.subscribe((event) => {
    if (isOfKind(event, kind)) received.push(event);
  });
  return received;
}

function isOfKind<Kind extends EditorEvent['kind']>(
  event: EditorEvent,
  kind: Kind,
): event is Extract<EditorEvent, { kind: Kind }> {
  return event.kind === kind;
}
