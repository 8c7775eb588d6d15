import {
  appendFileSync,
  chmodSync,
  mkdtempSync,
  readFileSync,
  realpathSync,
  rmSync,
  truncateSync,
  utimesSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { basename, join } from 'node:path';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { attachNeovim } from '../../../testing/neovim/attach.ts';
import { neovims } from '../../../testing/neovim/neovims.ts';
import { NeovimUser } from '../../../testing/neovim/user.ts';
import type { RemoteEditor } from '../remote/remote-editor.ts';

/** Every file was written at this time, as far as its time says. */
const TIME = 1_700_000_000;

const old = Array.from({ length: 40 }, (_each, index) => `line ${index + 1}`);
const fresh = ['new first', 'new second', ...old];
/** Lua that gives a file its text. */
const FILL = "local file = io.open(path, 'w') file:write(given) file:close()";
const textOf = (lines: readonly string[]) => `${lines.join('\n')}\n`;

describe.each(neovims)('in Neovim %s, a file', (neovim) => {
  let folder: string;
  let user: NeovimUser;
  let editor: RemoteEditor;
  let count = 0;

  beforeAll(async () => {
    folder = realpathSync(mkdtempSync(join(tmpdir(), 'hawser-reload-')));
    const before = `vim.o.foldmethod = 'manual' vim.opt.shortmess:append('A')
      require('hawser').setup { auto_start = false, selection = { debounce_ms = 1 } }`;
    user = await NeovimUser.start(neovim, { folder, before });
    writeFileSync(path('early.txt'), 'one\n');
    await user.command(`edit ${path('early.txt')}`);
    writeFileSync(path('early.txt'), 'one\ntwo\n');
    // Every look at a file that was asked for is noted, with what it has led to, and may be answered at once.
    await user.lua(`local requests = require('hawser.requests')
      local reload = requests['workspace/didChangeWatchedFiles']
      _G.looks, _G.answers = {}, {}
      requests['workspace/didChangeWatchedFiles'] = function(params)
        reload(params)
        for _, change in ipairs(params.changes) do
          local path = vim.uri_to_fname(change.uri)
          local size = vim.fn.getfsize(path)
          local looks = _G.looks[path] or {}
          looks[size] = looks[size] or vim.api.nvim_buf_get_lines(0, 0, -1, false)
          local answer = _G.answers[path]
          if answer and answer.size == size then
            _G.answers[path] = nil
            answer.act(path)
          end
        end
      end`);
    editor = await attachNeovim(user);
  });

  afterEach(() => user.lua("vim.cmd('silent! only! | silent! %bwipeout!') _G.notices = {}"));

  afterAll(async () => {
    await editor.close();
    await user.dispose();
    rmSync(folder, { recursive: true, force: true, maxRetries: 5 });
  });

  const path = (name: string) => join(folder, name);
  const lines = (): Promise<string[]> => user.lua('return vim.api.nvim_buf_get_lines(0, 0, -1, false)');
  const isModified = (): Promise<boolean> => user.lua('return vim.bo.modified');
  const shows = (text: readonly string[]) =>
    user.until('vim.deep_equal(vim.api.nvim_buf_get_lines(0, 0, -1, false), ...)', text);

  /** Does something to a file and waits for a look that finds it in this size. Gives what was shown after that look. */
  const seen = async (file: string, size: number, change: () => unknown): Promise<string[]> => {
    await user.lua('_G.looks[...] = {}', file);
    await change();
    await user.until('_G.looks[({ ... })[1]][({ ... })[2]]', file, size);
    return user.lua('return _G.looks[({ ... })[1]][({ ... })[2]]', file, size);
  };
  /** What happens as soon as a file was seen in this size. */
  const answered = (file: string, size: number, code: string, given = '') =>
    user.lua(
      `local path, size, code, given = ...
       local act = assert(loadstring('local path, given = ... ' .. code))
       _G.answers[path] = { size = size, act = function(path) act(path, given) end }`,
      file,
      size,
      code,
      given,
    );
  const written = (file: string, text: string | Buffer) => {
    writeFileSync(file, text);
    utimesSync(file, TIME, TIME);
  };
  /** Opens a new file, and waits for the look at what was written before it was followed. */
  const edit = async (name: string, text: string | Buffer): Promise<string> => {
    const file = path(`${++count}-${name}`);
    written(file, text);
    await seen(file, Buffer.byteLength(text), () => user.command(`edit ${file}`));
    return file;
  };
  const editLong = async (name: string): Promise<string> => {
    const file = await edit(name, textOf(old));
    await user.command('20,30fold | normal! 25Gzo');
    await user.command('20foldclose | call cursor(35, 3)');
    return file;
  };

  it('that was written after it was read and before there was a bridge is shown', async () => {
    await shows(['one', 'two']);
    expect(await isModified()).toBe(false);
  });

  it.each([
    ['emptied', '', () => undefined],
    ['emptied, and its time is not changed yet', '', (file: string) => utimesSync(file, TIME, TIME)],
    ['half written', textOf(fresh).slice(0, 100), () => undefined],
    ['half written up to the end of a line', textOf(fresh.slice(0, 12)), () => undefined],
  ])(
    'that is seen while it is %s is shown when it is whole, with cursor, folds and undo as they were',
    async (_how, part, then) => {
      const file = await editLong('a.txt');
      await answered(file, part.length, FILL, textOf(fresh));
      const shown = await seen(file, part.length, () => {
        writeFileSync(file, part);
        then(file);
      });
      expect(shown).toEqual(old);
      await shows(fresh);
      expect(await isModified()).toBe(false);
      expect(await user.lua('return vim.api.nvim_win_get_cursor(0)')).toEqual([37, 2]);
      expect(await user.lua('return { vim.fn.foldclosed(25), vim.fn.foldclosedend(25) }')).toEqual([22, 32]);
      await user.typed('u');
      await user.typed('u');
      expect(await lines()).toEqual(old);
      expect(await isModified()).toBe(true);
      expect(await user.notices()).toEqual([]);
    },
  );

  it.each([
    ['at another time', () => undefined],
    ['at the same time', (file: string) => utimesSync(file, TIME, TIME)],
  ])('that stays empty, %s, is shown so after a while, without another event', async (_when, then) => {
    const file = await edit('a.txt', textOf(old));
    const shown = await seen(file, 0, () => {
      truncateSync(file);
      then(file);
    });
    expect(shown).toEqual(old);
    await shows(['']);
    expect(await isModified()).toBe(false);
    expect(await user.notices()).toEqual([]);
  });

  it('that was reloaded is undone with one u, apart from what was typed before, and follows again after a redo', async () => {
    const file = await edit('a.txt', 'one\ntwo\nthree\n');
    await user.typed('Omine<Esc>');
    await user.command('silent write');
    await seen(file, 18, () => written(file, 'mine\nONE\ntwo\nTHREE'));
    await shows(['mine', 'ONE', 'two', 'THREE']);
    expect(await isModified()).toBe(false);
    await user.typed('u');
    expect(await lines()).toEqual(['mine', 'one', 'two', 'three']);
    expect(await isModified()).toBe(true);
    await user.typed('u');
    expect(await lines()).toEqual(['one', 'two', 'three']);
    await user.typed('2<C-r>');
    expect(await lines()).toEqual(['mine', 'ONE', 'two', 'THREE']);
    expect(await isModified()).toBe(false);
    await seen(file, 4, () => written(file, 'new\n'));
    await shows(['new']);
  });

  it('that stays without its end is shown so after a while, without another event', async () => {
    const file = await edit('a.txt', textOf(old));
    const cut = textOf(old.slice(0, 10));
    expect(await seen(file, cut.length, () => writeFileSync(file, cut))).toEqual(old);
    await shows(old.slice(0, 10));
    expect(await isModified()).toBe(false);
  });

  it('that is never whole for long is shown nevertheless', async () => {
    const file = await edit('a.txt', 'of 0\n');
    let step = 0;
    const writing = setInterval(() => writeFileSync(file, `of ${++step}\n`), 20);
    await user.until("vim.fn.getline(1) ~= 'of 0'");
    clearInterval(writing);
    await shows([`of ${step}`]);
    expect(await isModified()).toBe(false);
  });

  it('that grows is shown at once', async () => {
    const file = await edit('a.txt', 'one\n');
    expect(await seen(file, 8, () => appendFileSync(file, 'two\n'))).toEqual(['one', 'two']);
  });

  it.each([
    ['and size', 'one\n', 'two\n'],
    ['and another size', 'one\n', 'one\ntwo\nthree\n'],
    ['and size, CRLF and no final line end', 'one\r\ntwo', 'one\r\nsix'],
    ['and size, with a mark of byte order', '\u{feff}one\n', '\u{feff}two\n'],
  ])('that keeps its time %s is shown, and undo knows that the file says something else', async (_what, text, next) => {
    const linesOf = (each: string) => each.replace('\u{feff}', '').replace(/\n$/, '').split(/\r?\n/);
    const file = await edit('a.txt', text);
    written(file, next);
    await shows(linesOf(next));
    expect(await isModified()).toBe(false);
    await user.typed('u');
    expect([await lines(), await isModified()]).toEqual([linesOf(text), true]);
    await user.typed('<C-r>');
    expect([await lines(), await isModified()]).toEqual([linesOf(next), false]);
    await user.command('setlocal nofixendofline | silent write');
    expect(readFileSync(file, 'utf8')).toBe(next);
    expect(await user.notices()).toEqual([]);
  });

  it.each([
    ['a file without a final line end', 'one\n', 'one'],
    ['a file with one', 'one', 'one\n'],
  ])('that becomes %s at the same time is written as it is', async (_what, text, next) => {
    const file = await edit('a.txt', text);
    await user.command('setlocal nofixendofline');
    written(file, next);
    await user.until('vim.bo.endofline == ...', next.endsWith('\n'));
    expect(await isModified()).toBe(false);
  });

  it.each([
    ['in another encoding', Buffer.from('n\xe9e\n', 'latin1'), Buffer.from('n\xe9es\n', 'latin1'), ['nées']],
    ['with a NUL', 'a\0b\n', 'a\0bc\n', ['a\0bc']],
  ])('%s that keeps its time is shown', async (_what, text, next, expected) => {
    const file = await edit('a.txt', text);
    written(file, next);
    await shows(expected);
    expect(await isModified()).toBe(false);
  });

  it('in a buffer that is not shown, and may not be changed, is followed', async () => {
    const file = await edit('a.txt', Buffer.from('n\xe9e\n', 'latin1'));
    const other = await edit('b.txt', 'one\n');
    await user.command('setlocal nomodifiable readonly');
    await user.command('enew');
    written(file, Buffer.from('n\xe9es\n', 'latin1'));
    written(other, 'two\n');
    await user.until("vim.fn.getbufline(..., 1)[1] == 'nées'", file);
    await user.until("vim.fn.getbufline(..., 1)[1] == 'two'", other);
    await user.command(`buffer ${other}`);
    expect(await user.lua('return { vim.bo.modifiable, vim.bo.readonly, vim.bo.modified }')).toEqual([
      false,
      true,
      false,
    ]);
  });

  it.each([
    ['', () => undefined],
    [', at the same time', (file: string) => utimesSync(file, TIME, TIME)],
  ])('of which an autocommand makes another text is read with it%s', async (_when, then) => {
    await user.command('autocmd BufReadPost *.asc silent %s/secret/what was hidden/e | setlocal nomodified');
    const file = await edit('a.asc', 'the secret\n');
    expect(await lines()).toEqual(['the what was hidden']);
    writeFileSync(file, 'the other secret\n');
    then(file);
    await shows(['the other what was hidden']);
    expect(await isModified()).toBe(false);
  });

  it('that the user writes in another form is left as it is on the screen', async () => {
    await user.command('autocmd BufReadPost *.rot silent normal! ggg?G');
    await user.lua(`vim.api.nvim_create_autocmd('BufWritePre', { pattern = '*.rot', command = 'silent normal! ggg?G' })
      vim.api.nvim_create_autocmd('BufWritePost', { pattern = '*.rot', command = 'silent normal! ggg?G | setlocal nomodified' })`);
    const file = await edit('a.rot', 'frperg\n');
    await user.command('setlocal nomodified');
    expect(await lines()).toEqual(['secret']);
    await user.typed('cwother<Esc>');
    expect(await seen(file, 6, () => user.command('silent write'))).toEqual(['other']);
    expect(await seen(file, 6, () => chmodSync(file, 0o600))).toEqual(['other']);
  });

  it('that did not exist is shown when it does, without a question', async () => {
    const file = path('new.txt');
    await user.command(`edit ${file}`);
    await seen(file, 0, () => writeFileSync(file, ''));
    expect(await user.lua('return vim.v.warningmsg')).toBe('');
    writeFileSync(file, 'one\ntwo\n');
    await shows(['one', 'two']);
    expect(await isModified()).toBe(false);
  });

  it('that is written while the window of the command line is open is shown after that', async () => {
    const file = await edit('a.txt', 'one\n');
    await user.keys('q:');
    await user.until("vim.fn.getcmdwintype() == ':'");
    await seen(file, 8, () => appendFileSync(file, 'two\n'));
    await user.keys(':quit<CR>');
    await shows(['one', 'two']);
    expect(await isModified()).toBe(false);
  });

  it('with a long name is named by its end, so that the message keeps its advice on a screen of 80 columns', async () => {
    const file = await edit('a-file-whose-name-takes-most-of-the-line.txt', 'one\n');
    await user.keys('Omine<Esc>');
    writeFileSync(file, 'two\n');
    await user.until('#_G.notices > 0');
    const [notice = ''] = await user.notices();
    expect(notice).toMatch(/^Hawser: ….*\.txt changed on disk; your text was kept, :e! reloads$/);
    expect(notice.length).toBeLessThan(80);
  });

  it('that is emptied and then filled leaves what was typed in between, and the user gets a message once', async () => {
    const file = await edit('a.txt', textOf(old));
    await answered(file, 0, `vim.api.nvim_feedkeys('Omine\\27', 'xt', false) ${FILL}`, textOf(fresh));
    truncateSync(file);
    const notice = `Hawser: ${basename(file)} changed on disk; your text was kept, :e! reloads`;
    await user.until('#_G.notices > 0');
    expect(await user.notices()).toEqual([notice]);
    utimesSync(file, TIME + 1, TIME + 1);
    await user.until('#_G.notices > 1');
    expect(await user.notices()).toEqual([notice, notice]);
    expect([await lines(), await isModified()]).toEqual([['mine', ...old], true]);
  });
});
