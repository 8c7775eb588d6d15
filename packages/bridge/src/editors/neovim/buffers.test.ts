import { mkdirSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { attachNeovim } from '../../../testing/neovim/attach.ts';
import { neovims } from '../../../testing/neovim/neovims.ts';
import { NeovimUser } from '../../../testing/neovim/user.ts';
import { temporaryFolder } from '../../../testing/temporary-folder.ts';
import type { RemoteEditor } from '../remote/remote-editor.ts';

describe.each(neovims)('buffers of Neovim %s', (neovim) => {
  let folder: string;
  let user: NeovimUser;
  let editor: RemoteEditor;

  beforeEach(async () => {
    folder = temporaryFolder();
    const before = "require('hawser').setup { auto_start = false, selection = { debounce_ms = 1 } }";
    user = await NeovimUser.start(neovim, { folder, before });
    editor = await attachNeovim(user);
  });

  afterEach(async () => {
    await editor.close();
    await user.dispose();
  });

  const file = (name: string, content: string | Buffer = ''): string => {
    writeFileSync(join(folder, name), content);
    return join(folder, name);
  };
  const listed = async () => (await editor.openDocuments()).map(({ path }) => path);
  const modeIs = (mode: string) => user.until('vim.api.nvim_get_mode().mode == ...', mode);

  it('one that is only known by name is listed, with the lines of its file', async () => {
    const path = file('a.ts', 'one\ntwo\n');
    symlinkSync(path, join(folder, 'link.ts'));
    await user.command(`badd ${join(folder, 'link.ts')}`);
    await expect
      .poll(() => editor.openDocuments())
      .toMatchObject([{ path, lineCount: 3, languageId: 'typescript', isActive: false }]);
    await editor.openFile({ path });
    expect(await editor.openDocuments()).toMatchObject([{ path, isActive: true }]);
  });

  it('one of no file is not listed: help, a terminal, a scratch buffer, a directory, an address, an unlisted one', async () => {
    const path = file('a.txt');
    mkdirSync(join(folder, 'directory'));
    await user.command('help | terminal');
    await user.command('new | setlocal buftype=nofile | call setline(1, "text")');
    await user.command(`badd ${join(folder, 'directory')} | badd scp://somewhere/file`);
    await user.command(`edit ${file('unlisted.txt')} | setlocal nobuflisted`);
    await user.command(`edit ${path}`);
    await expect.poll(listed).toEqual([path]);
  });

  it('one without a name is untitled once there is text in it', async () => {
    await user.command('enew');
    await user.typed('isome text<Esc>');
    await expect
      .poll(() => editor.openDocuments())
      .toMatchObject([{ path: expect.stringMatching(/^Untitled-\d+$/), isUntitled: true, isDirty: true }]);
    await expect(editor.save?.(String((await listed())[0]))).rejects.toThrow('Not an absolute path');
  });

  it('one that was opened through a link has the path of its file', async () => {
    const path = file('a.txt', 'one\n');
    symlinkSync(folder, join(folder, 'link'));
    await user.command(`edit ${join(folder, 'link', 'a.txt')}`);
    await expect.poll(listed).toEqual([path]);
    await editor.setSelection?.(path, { start: { line: 0, character: 0 }, end: { line: 0, character: 3 } });
    expect(await editor.selection()).toMatchObject({ path, text: 'one' });
  });

  it('one that another tab shows is shown there', async () => {
    const path = file('a.txt');
    await user.command(`edit ${path} | tabnew`);
    await editor.openFile({ path });
    expect(await user.lua('return { vim.fn.tabpagenr(), vim.fn.tabpagenr("$"), vim.fn.winnr("$") }')).toEqual([
      1, 2, 1,
    ]);
  });

  it('one is shown beside a user who types, and the keys stay theirs', async () => {
    const [own, other] = [file('own.txt'), file('other.txt')];
    await user.command(`edit ${own}`);
    await user.keys('ihello ');
    await modeIs('i');
    expect(await editor.openFile({ path: other })).toMatchObject({ isActive: false });
    expect(await user.lua('return vim.fn.bufwinnr(...) > 0', other)).toBe(true);
    await user.keys('world<Esc>');
    await modeIs('n');
    expect(await user.lua('return vim.api.nvim_buf_get_lines(vim.fn.bufnr(...), 0, -1, false)', own)).toEqual([
      'hello world',
    ]);
  });

  it('one is shown beside a terminal, which keeps the focus and its window', async () => {
    const path = file('a.txt', 'one\n');
    await user.command('terminal');
    await user.keys('i');
    await modeIs('t');
    expect(await editor.openFile({ path })).toMatchObject({ isActive: true });
    expect(await user.lua('return { vim.bo.buftype, vim.fn.winnr("$") }')).toEqual(['terminal', 2]);
    expect(await editor.selection()).toMatchObject({ path, text: '' });
  });

  it("one is shown although 'hidden' is off and the window has unsaved text", async () => {
    const [own, other] = [file('own.txt'), file('other.txt')];
    await user.command(`set nohidden | edit ${own}`);
    await user.typed('iunsaved<Esc>');
    await editor.openFile({ path: other });
    expect(await editor.openDocuments()).toMatchObject([
      { path: own, isDirty: true },
      { path: other, isActive: true },
    ]);
    await editor.closeFile?.(other);
    expect(await user.lua('return vim.api.nvim_buf_get_lines(0, 0, -1, false)')).toEqual(['unsaved']);
  });

  it('one whose file another Neovim edits is opened read-only, without a question', async () => {
    const path = file('a.txt', 'one\n');
    const other = await NeovimUser.start(neovim, { folder });
    try {
      await other.command(`set directory=${folder} swapfile | edit ${path}`);
      await other.typed('itheirs<Esc>');
      await other.command('preserve');
      await user.command(`set directory=${folder}`);
      await editor.openFile({ path });
      expect(await user.lua('return { vim.bo.readonly, vim.fn.getline(1) }')).toEqual([true, 'one']);
      expect(await user.notices()).toEqual([expect.stringMatching(/a\.txt is open in another Neovim/)]);
    } finally {
      await other.dispose();
    }
  });

  it('closing one keeps the windows that showed it', async () => {
    const [one, two] = [file('one.txt'), file('two.txt')];
    await user.command(`edit ${one} | edit ${two} | vsplit`);
    await expect.poll(listed).toEqual([one, two]);
    await editor.closeFile?.(two);
    expect(await listed()).toEqual([one]);
    expect(await user.lua('return vim.fn.winnr("$")')).toBe(2);
  });

  it("a selection ends before the cursor where 'selection' is exclusive", async () => {
    const path = file('a.txt', 'abcdef\n');
    await user.command(`set selection=exclusive | edit ${path}`);
    await user.typed('0');
    await user.keys('vlll');
    await expect.poll(async () => (await editor.selection())?.text).toBe('abc');
    await editor.setSelection?.(path, { start: { line: 0, character: 1 }, end: { line: 0, character: 3 } });
    expect(await editor.selection()).toMatchObject({ text: 'bc' });
  });

  it('a selection of a whole large file is cut, and its range with it', async () => {
    const line = `${'x'.repeat(99)}\n`;
    const path = file('a.txt', line.repeat(40_000));
    await user.command(`edit ${path}`);
    await user.keys('ggVG');
    await expect.poll(async () => (await editor.selection())?.range.end.line).toBeGreaterThan(1);
    const selection = await editor.selection();
    expect(selection?.text.length).toBeLessThanOrEqual(1024 * 1024);
    expect(selection?.text).toBe(line.repeat(selection?.range.end.line ?? 0));
  });

  it('bytes that are no UTF-8 harm nothing', async () => {
    const path = file('a.txt', Buffer.from([0x61, 0xff, 0xfe, 0x80, 0x62, 0x0a]));
    await user.command(`set fileencodings=utf-8 | edit ++bad=keep ${path}`);
    await user.keys('V');
    await expect.poll(async () => (await editor.selection())?.text).toMatch(/^a.*b$/);
    expect(await listed()).toEqual([path]);
  });
});
