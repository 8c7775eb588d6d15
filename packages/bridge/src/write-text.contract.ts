import { chmod, lstat, mkdir, mkdtemp, readFile, realpath, rm, stat, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { EditorUnderTest } from './editor.contract.ts';
import type { Editor } from './editor.ts';

const utf16 = (text: string) => Buffer.from(`\ufeff${text}`, 'utf16le');
const latin1 = (text: string) => Buffer.from(text, 'latin1');

/** Texts of files in UTF-8, and new ones. */
const TEXTS: readonly (readonly [what: string, oldText: string, newText: string])[] = [
  ['LF', 'a\nb\nc\n', 'a\nB\nc\n'],
  ['CRLF', 'a\r\nb\r\n', 'a\r\nB\r\n'],
  ['LF and CRLF mixed', 'a\r\nb\nc\r\n', 'a\r\nB\nc\r\nd\n'],
  ['CRLF that becomes LF', 'a\r\nb\r\n', 'a\nb\n'],
  ['LF that becomes CRLF', 'a\nb\n', 'a\r\nb\r\n'],
  ['no final line end', 'a\nb', 'a\nc'],
  ['a final line end that goes', 'a\nb\n', 'a\nb'],
  ['a final line end that comes', 'a\nb', 'a\nb\n'],
  ['an empty file', '', 'a\n'],
  ['a file that becomes empty', 'a\n', ''],
  ['a file of one empty line', '\n', '\n\n'],
  ['characters of two, three and four bytes', 'ä€😀\n', '😀€ä\n'],
];
/** The bytes of a file, its text, the new text, and the bytes that are to be in the file. */
const CASES: readonly (readonly [string, string | Buffer, string, string, string | Buffer])[] = [
  ...TEXTS.map(([what, oldText, newText]) => [what, oldText, oldText, newText, newText] as const),
  ['a byte order mark', '\ufeffa\n', 'a\n', 'ä\n', '\ufeffä\n'],
  ['UTF-16', utf16('ä\nb\n'), 'ä\nb\n', 'ä\nc\n', utf16('ä\nc\n')],
  ['Latin-1', latin1('ä\nb\n'), 'ä\nb\n', 'ä\nc\n', latin1('ä\nc\n')],
];

export interface WriteTextNotes {
  /** Why the editor does not open the documents whose files it writes. */
  readonly opensNothing?: string;
}

/** What `writeText` of every editor must do. */
export function describeWriteText(
  name: string,
  makeEditor: (folder: string) => Promise<EditorUnderTest>,
  { opensNothing }: WriteTextNotes = {},
): void {
  describe(`${name} keeps the contract of writeText`, () => {
    let folder: string;
    let underTest: EditorUnderTest;
    let editor: Editor;

    beforeEach(async () => {
      folder = await realpath(await mkdtemp(join(tmpdir(), 'hawser-write-')));
      underTest = await makeEditor(folder);
      editor = underTest.editor;
    });

    afterEach(async () => {
      await underTest.dispose();
      await rm(folder, { recursive: true, force: true, maxRetries: 5 });
    });

    const at = (file: string) => join(folder, file);
    const file = async (fileName: string, content: string | Buffer) => {
      await writeFile(at(fileName), content);
      return at(fileName);
    };
    const write = (path: string, text: string, expected: string | undefined) =>
      (editor.writeText as NonNullable<Editor['writeText']>)(path, text, { expected });
    const documentAt = async (path: string) => (await editor.openDocuments()).find((each) => each.path === path);
    const isDirty = async (path: string) => (await documentAt(path))?.isDirty;

    it('texts are written exactly, in open documents and others', async () => {
      for (const [index, [what, before, oldText, newText, after]] of CASES.entries()) {
        for (const how of ['open', 'closed']) {
          const path = await file(`${index}-${how}.txt`, before);
          if (how === 'open') await editor.openFile({ path });
          await write(path, newText, oldText);
          expect(await readFile(path), `${what}, ${how}`).toEqual(Buffer.from(after));
          const mayBeClosed = how === 'closed' && opensNothing !== undefined;
          expect((await isDirty(path)) ?? !mayBeClosed, `${what}, ${how}`).toBe(false);
        }
      }
    });

    it('one change follows another, and what is in the background stays there', async () => {
      const [front, path] = [await file('front.txt', ''), await file('a.txt', 'one\n')];
      if (opensNothing !== undefined) await editor.openFile({ path, inBackground: true });
      await editor.openFile({ path: front });
      await write(path, 'two\n', 'one\n');
      await write(path, 'three\n', 'two\n');
      expect(await readFile(path, 'utf8')).toBe('three\n');
      expect(await documentAt(front)).toMatchObject({ isActive: true });
      expect(await documentAt(path)).toMatchObject({ isActive: false, lineCount: 2 });
    });

    it('a new file is made, with its folders', async () => {
      const path = at('new/folder/a.ts');
      await write(path, 'let a;\n', undefined);
      expect(await readFile(path, 'utf8')).toBe('let a;\n');
      await write(path, 'let b;\n', 'let a;\n');
      expect(await readFile(path, 'utf8')).toBe('let b;\n');
    });

    it('a file that was not open is open after it was written', async (context) => {
      if (opensNothing !== undefined) context.skip(opensNothing);
      const path = at('a.ts');
      await write(path, 'let a;\n', undefined);
      expect(await documentAt(path)).toMatchObject({ languageId: 'typescript', isDirty: false, isUntitled: false });
    });

    it('a document that is older than its file is brought up to date first', async () => {
      const path = await file('a.txt', 'one\n');
      await editor.openFile({ path });
      await writeFile(path, 'one\nand more\n');
      await write(path, 'two\nand more\n', 'one\nand more\n');
      expect(await readFile(path, 'utf8')).toBe('two\nand more\n');
      expect(await isDirty(path)).toBe(false);
    });

    it('a file that is not what was expected is left alone, and the message names it', async () => {
      const path = await file('a.txt', 'theirs\n');
      await mkdir(at('directory'));
      for (const opens of [false, true]) {
        if (opens) await editor.openFile({ path });
        await expect(write(path, 'new\n', 'old\n')).rejects.toThrow(path);
        await expect(write(path, 'new\n', undefined)).rejects.toThrow(path);
        expect(await readFile(path, 'utf8')).toBe('theirs\n');
      }
      await expect(write(at('missing.txt'), 'new\n', 'old\n')).rejects.toThrow(at('missing.txt'));
      await expect(write(at('directory'), 'new\n', 'old\n')).rejects.toThrow(at('directory'));
      expect((await editor.openDocuments()).map((each) => each.path)).toEqual([path]);
    });

    it('a document with unsaved text keeps it, though its file is as expected', async () => {
      const path = await file('a.txt', 'one\n');
      await editor.openFile({ path });
      await underTest.type(path, 'mine\n');
      await expect(write(path, 'two\n', 'one\n')).rejects.toThrow(path);
      expect(await readFile(path, 'utf8')).toBe('one\n');
      expect(await isDirty(path)).toBe(true);
    });

    it('a document that the user has emptied and saved is written', async (context) => {
      if (editor.save === undefined) return context.skip('a language server can not make its client save');
      const path = await file('a.txt', 'one\n');
      await editor.openFile({ path });
      await underTest.type(path, '');
      await editor.save(path);
      expect(await readFile(path, 'utf8')).toBe('');
      await write(path, 'two\n', '');
      expect(await readFile(path, 'utf8')).toBe('two\n');
    });

    it('a read-only file is not written, and the document stays as it was', async () => {
      const path = await file('a.txt', 'one\n');
      await chmod(path, 0o444);
      await editor.openFile({ path });
      await expect(write(path, 'two\n', 'one\n')).rejects.toThrow(path);
      expect(await readFile(path, 'utf8')).toBe('one\n');
      expect(await isDirty(path)).toBe(false);
    });

    it('the mode of a file and the link to it stay', async () => {
      const target = await file('target.sh', '#!/bin/sh\n');
      await chmod(target, 0o750);
      await symlink('target.sh', at('link.sh'));
      await write(at('link.sh'), '#!/bin/bash\n', '#!/bin/sh\n');
      expect((await lstat(at('link.sh'))).isSymbolicLink()).toBe(true);
      expect((await stat(target)).mode & 0o777).toBe(0o750);
      expect(await readFile(target, 'utf8')).toBe('#!/bin/bash\n');
    });
  });
}
