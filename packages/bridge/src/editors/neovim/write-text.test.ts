import { mkdtempSync, readFileSync, realpathSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { attachNeovim } from '../../../testing/neovim/attach.ts';
import { type Neovim, neovims } from '../../../testing/neovim/neovims.ts';
import { NeovimUser } from '../../../testing/neovim/user.ts';
import type { RemoteEditor } from '../remote/remote-editor.ts';

for (const neovim of neovims) describeWrites(neovim);

function describeWrites(neovim: Neovim): void {
  describe(`a text that is written through Neovim ${neovim.version}`, () => {
    const folder = realpathSync(mkdtempSync(join(tmpdir(), 'hawser-writes-')));
    let user: NeovimUser;
    let editor: RemoteEditor;
    let path: string;
    let count = 0;

    beforeAll(async () => {
      user = await NeovimUser.start(neovim, { folder, before: "require('hawser').setup { auto_start = false }" });
      editor = await attachNeovim(user);
    });
    afterAll(async () => {
      await editor.close();
      await user.dispose();
      rmSync(folder, { recursive: true, force: true, maxRetries: 5 });
    });
    beforeEach(async () => {
      count += 1;
      path = join(folder, `${count}.txt`);
      writeFileSync(path, 'one\ntwo\nthree\n');
      await editor.openFile({ path });
    });

    const write = (text: string, expected: string | undefined = 'one\ntwo\nthree\n') =>
      editor.writeText?.(path, text, { expected });
    const lines = () => user.lua('return vim.api.nvim_buf_get_lines(0, 0, -1, false)');

    it('is one step to undo, apart from what the user typed before', async () => {
      await user.typed('ggAx<Esc>');
      await user.command('silent write');
      await write('onex\nTWO\nTHREE\n', 'onex\ntwo\nthree\n');
      expect(await lines()).toEqual(['onex', 'TWO', 'THREE']);
      await user.command('silent undo');
      expect(await lines()).toEqual(['onex', 'two', 'three']);
      expect(await user.lua('return vim.bo.modified')).toBe(true);
      await user.command('silent redo');
      expect(await user.lua('return vim.bo.modified')).toBe(false);
    });

    it('replaces what the user has emptied and saved', async () => {
      await user.command('silent %delete | silent write');
      expect(readFileSync(path, 'utf8')).toBe('');
      await write('one\n', '');
      expect(readFileSync(path, 'utf8')).toBe('one\n');
    });

    it('leaves the cursor, marks and the window where they were', async () => {
      await user.command('3 | normal! ma0l');
      await write('zero\none\ntwo\nthree\n');
      expect(await user.lua("return { vim.fn.line('.'), vim.fn.col('.'), vim.fn.line(\"'a\") }")).toEqual([4, 2, 4]);
    });

    it('passes the commands that the user runs at each save, and a save that fails changes nothing', async () => {
      await user.command('autocmd BufWritePre <buffer> silent %s/TWO/formatted/e');
      await write('one\nTWO\nthree\n');
      expect(readFileSync(path, 'utf8')).toBe('one\nformatted\nthree\n');
      await user.command("autocmd BufWritePre <buffer> throw 'not now'");
      await expect(write('new\n', 'one\nformatted\nthree\n')).rejects.toThrow(/not now.*txt/);
      expect(await lines()).toEqual(['one', 'formatted', 'three']);
      expect(await user.lua('return vim.bo.modified')).toBe(false);
      expect(readFileSync(path, 'utf8')).toBe('one\nformatted\nthree\n');
    });

    it('keeps options of the user', async () => {
      await user.command('set nowritebackup | setlocal fixendofline');
      await write('no line end');
      expect(readFileSync(path, 'utf8')).toBe('no line end');
      expect(await user.lua('return { vim.o.writebackup, vim.bo.fixendofline }')).toEqual([false, true]);
    });

    it('reaches a file that has changed meanwhile only if that was expected', async () => {
      writeFileSync(path, 'theirs\n');
      await expect(write('mine\n')).rejects.toThrow('The file has changed');
      expect(readFileSync(path, 'utf8')).toBe('theirs\n');
      await write('both\n', 'theirs\n');
      expect(readFileSync(path, 'utf8')).toBe('both\n');
    });

    it('needs no answer from the user when the buffer has got changes of the file before', async () => {
      writeFileSync(path, 'one\n2\nthree\n');
      await user.until("vim.api.nvim_buf_get_lines(0, 1, 2, false)[1] == '2'");
      await write('one\n2\n3\n', 'one\n2\nthree\n');
      expect(readFileSync(path, 'utf8')).toBe('one\n2\n3\n');
      await user.typed('ggAx<Esc>');
      await editor.save?.(path);
      expect(readFileSync(path, 'utf8')).toBe('onex\n2\n3\n');
    });
  });
}
