import { chmod, mkdir, readFile, rename, rm, symlink, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { afterEach, describe, expect, it } from 'vitest';
import { temporaryFolders } from '../../../testing/workspace-folder.ts';
import type { EditorEvent, Range } from '../../editor.ts';
import { type WorkspaceEditor, type WorkspaceEditorOptions, workspaceEditor } from './workspace-editor.ts';

const makeFolder = temporaryFolders();
const open: WorkspaceEditor[] = [];

afterEach(async () => {
  for (const editor of open.splice(0)) await editor.close();
});

async function start(options: Partial<WorkspaceEditorOptions> = {}) {
  const folder = await makeFolder();
  const editor = workspaceEditor({ folders: [folder], ...options });
  open.push(editor);
  const path = join(folder, 'a.txt');
  await writeFile(path, 'one\n');
  await editor.openFile({ path });
  return { editor, folder, path };
}

function nextEvent(editor: WorkspaceEditor, isWanted: (event: EditorEvent) => boolean): Promise<EditorEvent> {
  return new Promise((resolve) => {
    const leave = editor.subscribe((event) => {
      if (!isWanted(event)) return;
      leave();
      resolve(event);
    });
  });
}

const rangeOf = (startLine: number, startCharacter: number, endLine: number, endCharacter: number): Range => ({
  start: { line: startLine, character: startCharacter },
  end: { line: endLine, character: endCharacter },
});
const documentAt = async (editor: WorkspaceEditor, path: string) =>
  (await editor.openDocuments()).find((document) => document.path === path);

describe('documents of the workspace editor', () => {
  it('a document without unsaved text follows its file, however it is written', async () => {
    const { editor, folder, path } = await start();
    const selectionIs = (text: string) =>
      nextEvent(editor, (event) => event.kind === 'selection' && event.selection?.text === text);
    await editor.setSelection(path, rangeOf(0, 0, 1, 0));
    const written = selectionIs('two\n');
    await writeFile(path, 'two\n');
    await written;
    const renamed = selectionIs('three\n');
    await writeFile(join(folder, 'other'), 'three\n');
    await rename(join(folder, 'other'), path);
    await renamed;
    expect(editor.text(path)).toBe('three\n');
    expect((await documentAt(editor, path))?.isDirty).toBe(false);
  });

  it('a document behind a link follows the file that the link leads to', async () => {
    const { editor, folder } = await start();
    await mkdir(join(folder, 'elsewhere'));
    const target = join(folder, 'elsewhere', 'target.txt');
    await writeFile(target, 'one');
    const link = join(folder, 'link.txt');
    await symlink(target, link);
    await editor.openFile({ path: link, range: rangeOf(0, 0, 0, 9) });
    const followed = nextEvent(editor, (event) => event.kind === 'selection' && event.selection?.text === 'two');
    await writeFile(target, 'two');
    await followed;
  });

  it('unsaved text stays when the file changes, and is not saved over it', async () => {
    const { editor, path } = await start();
    editor.setText(path, 'mine\n');
    await writeFile(path, 'theirs\n');
    await editor.openFile({ path });
    expect(editor.text(path)).toBe('mine\n');
    await expect(editor.save(path)).rejects.toThrow('has changed on disk since it was read');
    expect(await readFile(path, 'utf8')).toBe('theirs\n');
    expect((await documentAt(editor, path))?.isDirty).toBe(true);
  });

  it('unsaved text of a deleted file is not saved by accident, and stays', async () => {
    const { editor, path } = await start();
    editor.setText(path, 'mine\n');
    await rm(path);
    await expect(editor.save(path)).rejects.toThrow('was deleted since it was read');
    expect(editor.text(path)).toBe('mine\n');
  });

  it('text at a new path is untitled until it is saved, and never takes the place of a file', async () => {
    const { editor, folder, path } = await start();
    const fresh = join(folder, 'new.ts');
    editor.setText(fresh, 'new');
    expect(await documentAt(editor, fresh)).toMatchObject({
      isDirty: true,
      isUntitled: true,
      languageId: 'typescript',
    });
    await writeFile(fresh, 'theirs');
    await expect(editor.save(fresh)).rejects.toThrow('Another program has made this file');
    await rm(fresh);
    await editor.save(fresh);
    expect(await documentAt(editor, fresh)).toMatchObject({ isDirty: false, isUntitled: false });
    expect(await readFile(fresh, 'utf8')).toBe('new');
    expect((await documentAt(editor, path))?.isActive).toBe(true);
  });

  it('two saves at once, and typing during them, lose nothing', async () => {
    const { editor, path } = await start();
    editor.setText(path, 'two\n');
    const saves = [editor.save(path), editor.save(path)];
    await saves[0];
    editor.setText(path, 'three\n');
    await saves[1];
    expect((await documentAt(editor, path))?.isDirty).toBe((await readFile(path, 'utf8')) !== 'three\n');
    await editor.save(path);
    expect(await readFile(path, 'utf8')).toBe('three\n');
  });

  it('typing back what the file holds is not dirty, and needs no writing', async () => {
    const { editor, path } = await start();
    editor.setText(path, 'two\n');
    editor.setText(path, 'one\n');
    expect((await documentAt(editor, path))?.isDirty).toBe(false);
    await chmod(path, 0o444);
    await editor.save(path);
  });

  it('the one that was active before is active again when the active one is closed', async () => {
    const { editor, folder, path } = await start();
    const other = join(folder, 'b.txt');
    await writeFile(other, '');
    await editor.openFile({ path: other });
    await editor.closeFile(other);
    expect((await editor.selection())?.path).toBe(path);
    const cleared = nextEvent(editor, ({ kind }) => kind === 'selection');
    await editor.closeFile(path);
    expect(await cleared).toEqual({ kind: 'selection', selection: undefined });
  });

  it('shorter text moves the selection into it, and a selection with its ends swapped is put right', async () => {
    const { editor, path } = await start();
    editor.setText(path, 'one\r\ntwo\rthree');
    await editor.setSelection(path, rangeOf(2, 4, 1, 1));
    expect(await editor.selection()).toEqual({ path, range: rangeOf(1, 1, 2, 4), text: 'wo\rthre' });
    editor.setText(path, 'one');
    expect(await editor.selection()).toEqual({ path, range: rangeOf(0, 3, 0, 3), text: '' });
  });

  it('a selection that stays the same is sent once', async () => {
    const { editor, path } = await start();
    const received: EditorEvent[] = [];
    editor.subscribe((event) => received.push(event));
    await editor.setSelection(path, rangeOf(0, 0, 0, 1));
    await editor.setSelection(path, rangeOf(0, 0, 0, 1));
    expect(received).toHaveLength(1);
  });

  it('one function that subscribes twice receives twice, and unsubscribes once', async () => {
    const { editor, path } = await start();
    let count = 0;
    const listener = () => {
      count += 1;
    };
    const leave = editor.subscribe(listener);
    editor.subscribe(listener);
    editor.mention(path);
    leave();
    editor.mention(path);
    expect(count).toBe(3);
  });

  it('without a command there is no format, and no file has diagnostics', async () => {
    const { editor, path } = await start();
    expect(editor.format).toBeUndefined();
    expect(await editor.diagnostics?.()).toEqual([]);
    expect(await editor.diagnostics?.(path)).toEqual([{ path, diagnostics: [] }]);
  });

  it('formatting is refused if something was typed meanwhile', async () => {
    const { editor, path } = await start({
      formatCommand: { command: [process.execPath, '-e', "process.stdin.pipe(process.stdout); console.log('x')"] },
    });
    const formatted = editor.format?.(path);
    editor.setText(path, 'typed');
    await expect(formatted).rejects.toThrow('It was changed while it was formatted');
    expect(editor.text(path)).toBe('typed');
  });

  it('relative paths and a closed editor are refused', async () => {
    const { editor, path } = await start();
    await expect(editor.openFile({ path: 'a.txt' })).rejects.toThrow('Not an absolute path: a.txt');
    await editor.close();
    await expect(editor.openFile({ path })).rejects.toThrow('The editor was closed');
  });

  it('saving runs the check again', async () => {
    const script = "console.log('a.txt:1:1: error: ' + require('fs').readFileSync('a.txt', 'utf8'))";
    const { editor, path } = await start({
      diagnosticsCommand: { command: [process.execPath, '-e', script], matcher: 'gcc' },
    });
    await nextEvent(editor, ({ kind }) => kind === 'diagnostics');
    const checked = nextEvent(editor, ({ kind }) => kind === 'diagnostics');
    editor.setText(path, 'two\n');
    await editor.save(path);
    expect(await checked).toEqual({ kind: 'diagnostics', paths: [path] });
    expect(await editor.diagnostics?.(path)).toMatchObject([{ diagnostics: [{ message: 'two' }] }]);
  });
});

describe('the number of open documents', () => {
  async function openMany(editor: WorkspaceEditor, folder: string, count: number, text = 'text\n') {
    const paths = Array.from({ length: count }, (_, index) => join(folder, `many${index}.ts`));
    for (const path of paths) {
      await writeFile(path, text);
      await editor.openFile({ path, inBackground: true });
    }
    return paths;
  }
  /** After the garbage is collected. */
  const usedBytes = () => {
    setFlagsFromString('--expose-gc');
    runInNewContext('gc')();
    const { heapUsed, external } = process.memoryUsage();
    return heapUsed + external;
  };
  const openPaths = async (editor: WorkspaceEditor) => (await editor.openDocuments()).map(({ path }) => path).sort();

  it('is limited: the ones used least recently are closed', async () => {
    const { editor, folder, path } = await start({ limits: { documents: 4, characters: 1e6 } });
    const [first = '', second = '', ...rest] = await openMany(editor, folder, 3);
    expect(await openPaths(editor)).toEqual([path, first, second, ...rest].sort());
    await editor.openFile({ path: first, inBackground: true });
    const [last = ''] = [join(folder, 'last.ts')];
    await writeFile(last, '');
    await editor.openFile({ path: last, inBackground: true });
    expect(await openPaths(editor)).toEqual([path, first, ...rest, last].sort());
  });

  it('never costs the active document, or one with unsaved text', async () => {
    const { editor, folder, path } = await start({ limits: { documents: 2, characters: 1e6 } });
    const unsaved = join(folder, 'unsaved.ts');
    editor.setText(unsaved, 'not saved');
    const many = await openMany(editor, folder, 5);
    expect(await openPaths(editor)).toEqual([path, unsaved, many[4]].sort());
    expect(editor.text(unsaved)).toBe('not saved');
    expect((await editor.selection())?.path).toBe(path);
  });

  it('is limited by their length, too', async () => {
    const { editor, folder, path } = await start({ limits: { documents: 100, characters: 2500 } });
    const many = await openMany(editor, folder, 5, 'x'.repeat(1000));
    expect(await openPaths(editor)).toEqual([path, many[3], many[4]].sort());
  });

  it('1500 files of 100 kB that agents opened hold little memory', async () => {
    const { editor, folder } = await start();
    const text = 'const answer = 42;\n'.repeat(5000);
    const before = usedBytes();
    await openMany(editor, folder, 1500, text);
    expect(await editor.openDocuments()).toHaveLength(128);
    // All of them would take 142 MB.
    expect((usedBytes() - before) / 1e6).toBeLessThan(30);
  });
});
