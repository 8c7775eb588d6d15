import { chmod, mkdir, readdir, readFile, rm, symlink, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { temporaryFolder } from '../../../testing/temporary-folder.ts';
import { realPath } from '../../access/paths.ts';
import { workspaceEditor } from '../../editors/workspace/workspace-editor.ts';
import { TemporaryFiles } from '../../temporary-files.ts';
import type { Applier, FileWrite } from '../applier.ts';
import { editorApplier } from './editor-applier.ts';
import { SetJournal } from './set-journal.ts';

let folder: string;
let editor: ReturnType<typeof workspaceEditor>;
let applier: Applier;

beforeEach(() => {
  folder = temporaryFolder();
  editor = workspaceEditor({ folders: [folder] });
  applier = editorApplier({
    editor,
    temporaryFiles: new TemporaryFiles(undefined),
    journal: new SetJournal(undefined),
    realPath,
  });
});

afterEach(() => editor.close());

const at = (name: string) => join(folder, name);
const write = (name: string, expected: string | undefined, text: string | undefined): FileWrite => ({
  path: at(name),
  expected,
  text,
  lineEnds: 'kept',
});
const text = (name: string) => readFile(at(name), 'utf8');

describe('one file', () => {
  it('is changed, made and removed', async () => {
    await writeFile(at('a'), 'old\n');
    expect(await applier.apply([write('a', 'old\n', 'new\n')])).toEqual([{ accepted: 'new\n', saved: 'new\n' }]);
    await applier.apply([write('deep/er/b', undefined, 'made\n')]);
    expect([await text('a'), await text('deep/er/b')]).toEqual(['new\n', 'made\n']);
    await applier.apply([write('a', 'new\n', undefined)]);
    expect(await readdir(folder)).toEqual(['deep']);
  });

  it('keeps its line ends and its byte order mark', async () => {
    await writeFile(at('a'), '\ufeffone\r\ntwo\r\n');
    await applier.apply([write('a', 'one\ntwo\n', 'one\nTWO\nthree\n')]);
    expect(await text('a')).toBe('\ufeffone\r\nTWO\r\nthree\r\n');
  });

  it('that does not contain what the user saw stays as it is', async () => {
    await writeFile(at('a'), 'other\n');
    const applying = applier.apply([write('a', 'old\n', 'new\n')]);
    await expect(applying).rejects.toThrow(`${at('a')} has changed since; look at it again`);
    expect(await text('a')).toBe('other\n');
  });

  it('that is a link by now is not written through it', async () => {
    await writeFile(at('outside'), 'old\n');
    await symlink(at('outside'), at('a'));
    await expect(applier.apply([write('a', 'old\n', 'new\n')])).rejects.toThrow('is a symbolic link now');
    expect(await text('outside')).toBe('old\n');
  });
});

describe('a set', () => {
  const names = ['a', 'b', 'c'];
  const all = () => names.map((name) => write(name, `${name}\n`, `${name}2\n`));

  beforeEach(async () => {
    for (const name of names) await writeFile(at(name), `${name}\n`);
  });

  const unchanged = async () => {
    expect(await Promise.all(names.map(text))).toEqual(['a\n', 'b\n', 'c\n']);
    expect((await readdir(folder)).filter((name) => name.startsWith('.'))).toEqual([]);
  };

  it('is written as a whole', async () => {
    await applier.apply([...all(), write('new/d', undefined, 'd\n')]);
    expect(await Promise.all(names.map(text))).toEqual(['a2\n', 'b2\n', 'c2\n']);
    expect(await text('new/d')).toBe('d\n');
  });

  it('of which one is read-only is not written at all', async () => {
    await chmod(at('c'), 0o444);
    await expect(applier.apply(all())).rejects.toThrow(`Read-only: ${at('c')}`);
    await unchanged();
  });

  it('of which one has changed is not written at all', async () => {
    await writeFile(at('c'), 'other\n');
    await expect(applier.apply(all())).rejects.toThrow('has changed since');
    expect([await text('a'), await text('b'), await text('c')]).toEqual(['a\n', 'b\n', 'other\n']);
  });

  it('of which one has no room for a character is not written at all', async () => {
    await writeFile(at('c'), Buffer.from('c\u00e4\n', 'latin1'));
    const writes = [...all().slice(0, 2), write('c', 'c\u00e4\n', 'c\u20ac\n')];
    await expect(applier.apply(writes)).rejects.toThrow('Latin-1, the encoding of this file, has no character €');
    expect([await text('a'), await text('b')]).toEqual(['a\n', 'b\n']);
  });

  it('of which one can’t be made is taken back, new and removed files, too', async () => {
    await mkdir(at('taken'));
    const writes = [
      write('a', 'a\n', 'a2\n'),
      write('b', 'b\n', undefined),
      write('made', undefined, 'made\n'),
      // Its folder becomes a file by the write before it.
      write('made/c', undefined, 'c\n'),
    ];
    await expect(applier.apply(writes)).rejects.toThrow();
    await rm(at('taken'), { recursive: true });
    await unchanged();
    expect(await readdir(folder)).toEqual(names);
  });

  it('of which one has unsaved text in the editor is not written at all', async () => {
    const dirty = {
      path: at('b'),
      languageId: 'plaintext',
      lineCount: 1,
      isActive: true,
      isDirty: true,
      isUntitled: false,
    };
    const careful = editorApplier({
      editor: { ...editor, name: 'An editor', openDocuments: async () => [dirty] },
      temporaryFiles: new TemporaryFiles(undefined),
      journal: new SetJournal(undefined),
      realPath,
    });
    await expect(careful.apply(all())).rejects.toThrow(`${at('b')} has unsaved changes in An editor`);
    await unchanged();
  });
});
