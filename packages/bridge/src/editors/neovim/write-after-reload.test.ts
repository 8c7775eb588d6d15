import { mkdtempSync, readFileSync, realpathSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { neovims } from '../../../testing/neovim/neovims.ts';
import { NeovimUser } from '../../../testing/neovim/user.ts';

describe.each(neovims)('in Neovim %s', (neovim) => {
  let folder: string;
  let user: NeovimUser;
  let count = 0;

  beforeAll(async () => {
    folder = realpathSync(mkdtempSync(join(tmpdir(), 'hawser-write-')));
    user = await NeovimUser.start(neovim, { folder });
    await user.lua("require('hawser.stamps').watch()");
  });

  afterEach(() => user.lua("vim.o.eventignore = '' vim.cmd('silent! %bwipeout!') _G.notices = {}"));

  afterAll(async () => {
    await user.dispose();
    rmSync(folder, { recursive: true, force: true, maxRetries: 5 });
  });

  const textOf = (file: string) => readFileSync(file, 'utf8');
  const opened = async (text: string, extension = 'txt'): Promise<string> => {
    const file = join(folder, `${++count}.${extension}`);
    writeFileSync(file, text);
    await user.command(`edit ${file}`);
    return file;
  };
  /** Writes a file as an agent does, and tells the plugin. */
  const changed = async (file: string, text: string) => {
    const { mtimeMs } = statSync(file);
    // The clock of a filesystem has steps.
    while (statSync(file).mtimeMs === mtimeMs) writeFileSync(file, text);
    await user.lua(RELOAD, file);
  };
  const shows = (text: string) =>
    user.until("table.concat(vim.api.nvim_buf_get_lines(0, 0, -1, false), '\\n') .. '\\n' == ...", text);
  const mode = async () => (await user.nvim.request('nvim_get_mode')).mode;

  it.each([
    ['another size', 'one\n', 'one\ntwo\nthree\n'],
    ['the same size', 'one\n', 'two\n'],
    ['the same text', 'one\n', 'one\n'],
    ['less text', 'one\ntwo\nthree\n', 'two\n'],
  ])('a file that an agent gave %s is written without a question', async (_what, text, next) => {
    const file = await opened(text);
    await changed(file, next);
    await shows(next);
    await user.keys('Omine<Esc>:write<CR>');
    await expect.poll(() => textOf(file)).toBe(`mine\n${next}`);
    expect(await user.lua('return vim.bo.modified')).toBe(false);
  });

  it('a file in a hidden buffer that is read-only is written without a question', async () => {
    const file = await opened('one\n');
    await user.command('setlocal readonly nomodifiable');
    await user.command('enew');
    await changed(file, 'one\ntwo\n');
    await user.command(`buffer ${file}`);
    expect(await user.lua('return { vim.bo.readonly, vim.bo.modifiable, vim.bo.buftype }')).toEqual([true, false, '']);
    await user.keys(':setlocal noreadonly modifiable<CR>Omine<Esc>:write<CR>');
    await expect.poll(() => textOf(file)).toBe('mine\none\ntwo\n');
  });

  it('a file that changes again while the buffer has unsaved text is written only if the user says so', async () => {
    const file = await opened('one\n');
    await changed(file, 'one\ntwo\n');
    await shows('one\ntwo\n');
    await user.typed('Omine<Esc>');
    await changed(file, 'three\n');
    await user.keys(':write<CR>');
    await expect.poll(mode).not.toBe('n');
    await user.keys('n<CR>');
    await expect.poll(mode).toBe('n');
    expect(textOf(file)).toBe('three\n');
    expect(await user.lua('return vim.api.nvim_buf_get_lines(0, 0, -1, false)')).toEqual(['mine', 'one', 'two']);
  });

  it('showing a changed file leaves the file, marks and attached plugins alone, and runs no autocommand', async () => {
    const file = await opened('one\ntwo\nthree\n');
    await user.lua(`_G.happened, _G.space = {}, vim.api.nvim_create_namespace('test')
      _G.mark = vim.api.nvim_buf_set_extmark(0, _G.space, 2, 1, {})
      vim.cmd('3mark a')
      vim.fn.sign_define('Test', { text = '>>' })
      vim.fn.sign_place(1, '', 'Test', vim.fn.bufnr(), { lnum = 3 })
      local function note(what) return function() table.insert(_G.happened, what) end end
      vim.api.nvim_buf_attach(0, false, { on_reload = note('on_reload'), on_detach = note('on_detach') })
      local events = { 'BufReadPre', 'BufReadPost', 'BufWritePre', 'BufWritePost', 'BufFilePost', 'FileType' }
      _G.noting = vim.api.nvim_create_augroup('Noting', { clear = true })
      for _, event in ipairs(events) do
        vim.api.nvim_create_autocmd(event, { group = _G.noting, callback = note(event) })
      end
      vim.api.nvim_create_autocmd('OptionSet', { group = _G.noting, pattern = 'buftype', callback = note('buftype') })`);
    const next = 'zero\none\ntwo\nthree\n';
    await changed(file, next);
    const { mtimeMs, ctimeMs, ino } = statSync(file);
    await shows(next);
    await user.lua(RELOAD, file);
    const marks = `return {
      vim.api.nvim_buf_get_extmark_by_id(0, _G.space, _G.mark, {})[1], vim.fn.line("'a"),
      vim.fn.sign_getplaced('')[1].signs[1].lnum }`;
    expect(await user.lua(marks)).toEqual([3, 4, 4]);
    expect(await user.lua('vim.api.nvim_del_augroup_by_id(_G.noting) return _G.happened')).toEqual([]);
    expect(statSync(file)).toMatchObject({ mtimeMs, ctimeMs, ino });
  });

  it.each(['*.own', '<buffer>'])('an autocommand that writes %s runs only when the user writes', async (pattern) => {
    const file = await opened('one\n', 'own');
    await user.lua('_G.writes = 0');
    await user.command(`autocmd BufWriteCmd ${pattern} let &modified = 0 | lua _G.writes = _G.writes + 1`);
    await changed(file, 'one\ntwo\n');
    await shows('one\ntwo\n');
    expect(await user.lua('return _G.writes')).toBe(0);
    await user.command('write');
    expect(await user.lua('return _G.writes')).toBe(1);
    await user.command('autocmd! BufWriteCmd *.own');
  });

  it('a file is shown and not written while all autocommands are ignored', async () => {
    const file = await opened('one\n');
    await user.command('set eventignore=all');
    await changed(file, 'one\ntwo\n');
    const { mtimeMs, ctimeMs, ino } = statSync(file);
    await shows('one\ntwo\n');
    expect(statSync(file)).toMatchObject({ mtimeMs, ctimeMs, ino });
    await user.keys('Omine<Esc>:write<CR>');
    await expect.poll(() => textOf(file)).toBe('mine\none\ntwo\n');
    expect(await user.lua('return vim.bo.buftype')).toBe('');
  });
});

const RELOAD = `require('hawser.requests')['workspace/didChangeWatchedFiles'](
  { changes = { { uri = vim.uri_from_fname(...), type = 2 } } })`;
