import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { DiffNvim } from '../../../testing/neovim/diff-nvim.ts';
import { isAtLeast, neovims } from '../../../testing/neovim/neovims.ts';

const change = { old: 'a\nb\nc\n', new: 'a\nB\nc\n' };
const layouts = ['split', 'tab', 'inline'] as const;

describe.each(neovims)('the layout around diff views of Neovim %s', (neovim) => {
  const endings: [fact: string, keys: string][] = [
    ['accepted', '\\aa'],
    ['closed', ':q<CR>'],
    ['rejected in the other window', '<C-w>h\\ad'],
  ];

  const cases = layouts.flatMap((layout) => endings.map((ending) => [layout, ...ending] as const));
  test.each(cases.filter(([layout, , keys]) => layout !== 'inline' || !keys.startsWith('<C-w>')))(
    'everything is as before, %s, %s',
    async (layout, _fact, keys) => {
      const nvim = await DiffNvim.start(neovim);
      await nvim.lua(WORKPLACE);
      const before = await nvim.lua(PICTURE);
      await nvim.show({ ...change, layout });
      expect(await nvim.lua(PICTURE)).not.toEqual(before);
      await nvim.type(keys);
      await nvim.decisions();
      expect(await nvim.lua(PICTURE)).toEqual(before);
    },
  );

  test('a queue of proposals leaves everything as it was before the first', async () => {
    const nvim = await DiffNvim.start(neovim);
    await nvim.lua(WORKPLACE);
    const before = await nvim.lua(PICTURE);
    for (const layout of layouts) await nvim.show({ ...change, layout, id: layout });
    for (const [index, keys] of ['\\aa', '\\ad', ':q<CR>'].entries()) {
      await nvim.type(keys);
      await nvim.decisions(index + 1);
    }
    expect(await nvim.lua(PICTURE)).toEqual(before);
  });

  test("the working folder stays, also with 'autochdir'", async () => {
    const nvim = await DiffNvim.start(neovim);
    mkdirSync(join(nvim.folder, 'sub'));
    writeFileSync(join(nvim.folder, 'sub', 'a.txt'), 'a\n');
    await nvim.command('set autochdir | edit sub/a.txt');
    const folder = await nvim.lua('return vim.fn.getcwd()');
    for (const [index, layout] of layouts.entries()) {
      await nvim.show({ ...change, layout, id: layout });
      await nvim.type('<C-w>w<C-w>w\\aa');
      await nvim.decisions(index + 1);
    }
    expect(await nvim.lua('return vim.fn.getcwd()')).toBe(folder);
  });

  test('a user who is elsewhere stays there', async () => {
    const nvim = await DiffNvim.start(neovim);
    await nvim.lua(WORKPLACE);
    await nvim.show(change);
    await nvim.type('<C-w>k5G');
    const window = await nvim.lua('return vim.api.nvim_get_current_win()');
    await nvim.lua(`require('hawser.diff.actions').accept('p')`);
    await nvim.decisions();
    expect(await nvim.lua('return { vim.api.nvim_get_current_win(), vim.fn.line(".") }')).toEqual([window, 5]);
  });

  test('windows that the user opened meanwhile stay', async () => {
    const nvim = await DiffNvim.start(neovim);
    await nvim.show(change);
    await nvim.type('<C-w>k:vnew mine<CR>');
    const mine = await nvim.lua('return vim.api.nvim_get_current_win()');
    await nvim.lua(`require('hawser.diff.actions').reject()`);
    await nvim.decisions();
    expect(await nvim.lua('return { vim.api.nvim_get_current_win(), vim.fn.winnr("$"), vim.fn.bufname() }')).toEqual([
      mine,
      2,
      'mine',
    ]);
  });

  test('the last window of all goes back to what was shown before', async () => {
    const nvim = await DiffNvim.start(neovim);
    await nvim.command('edit mine.txt');
    await nvim.show({ ...change, layout: 'inline' });
    await nvim.type('<C-w>k:q<CR>');
    await nvim.lua(`require('hawser.diff.actions').reject()`);
    await nvim.decisions();
    expect(
      await nvim.lua(`return { vim.fn.bufname(), vim.fn.winnr('$'), vim.wo.statusline == vim.go.statusline }`),
    ).toEqual(['mine.txt', 1, true]);
    await nvim.command('edit other.txt');
  });

  test("the user's own diff goes on as it is, and ours gets a tab of its own", async () => {
    const nvim = await DiffNvim.start(neovim);
    await nvim.lua(`
      vim.cmd('edit one.txt')
      vim.api.nvim_buf_set_lines(0, 0, -1, false, { 'x', 'y', 'z' })
      vim.cmd('diffthis | vnew two.txt')
      vim.api.nvim_buf_set_lines(0, 0, -1, false, { 'x', 'Y', 'z' })
      vim.cmd('diffthis')`);
    const own = `
      local found = {}
      for _, window in ipairs(vim.api.nvim_tabpage_list_wins(vim.api.nvim_list_tabpages()[1])) do
        local highlight = vim.api.nvim_win_call(window, function()
          return { vim.fn.diff_hlID(1, 1), vim.fn.synIDattr(vim.fn.diff_hlID(2, 1), 'name') }
        end)
        found[#found + 1] = { window, vim.wo[window].diff, vim.wo[window].scrollbind, vim.wo[window].foldmethod, highlight }
      end
      return found`;
    const before = await nvim.lua(own);
    await nvim.show(change);
    expect(await nvim.lua('return #vim.api.nvim_list_tabpages()')).toBe(2);
    expect(await nvim.lua(own)).toEqual(before);
    await nvim.type('\\aa');
    await nvim.decisions();
    expect(await nvim.lua(own)).toEqual(before);
    expect(await nvim.lua('return #vim.api.nvim_list_tabpages()')).toBe(1);
  });

  test('a window with too little room gives way to a tab', async () => {
    const nvim = await DiffNvim.start(neovim);
    await nvim.command('vsplit | vsplit | vsplit');
    await nvim.show(change);
    expect(await nvim.lua('return #vim.api.nvim_list_tabpages()')).toBe(2);
    await nvim.type('\\aa');
    await nvim.decisions();
    expect(await nvim.lua('return #vim.api.nvim_list_tabpages()')).toBe(1);
  });

  test('the windows of panels and terminals keep their size: a file gives room', async () => {
    const nvim = await DiffNvim.start(neovim);
    await nvim.lua(`
      vim.cmd('edit file.txt | botright vnew')
      vim.bo.buftype = 'nofile'
      vim.cmd('vertical resize 30')`);
    const panel = 'return { vim.api.nvim_win_get_width(panel), vim.api.nvim_win_get_height(panel) }';
    await nvim.lua('_G.panel = vim.api.nvim_get_current_win()');
    const before = await nvim.lua(panel);
    await nvim.show(change);
    expect(await nvim.lua(panel)).toEqual(before);
    expect(await nvim.lua("return { vim.fn.tabpagenr('$'), vim.fn.winnr('$') }")).toEqual([1, 4]);
    await nvim.type('\\aa');
    await nvim.decisions();
    expect(await nvim.lua('return vim.api.nvim_get_current_win() == panel')).toBe(true);
    expect(await nvim.lua(panel)).toEqual(before);
  });

  test('the files in its column keep their status lines only, and a terminal below them its height', async () => {
    const nvim = await DiffNvim.start(neovim);
    await nvim.command('edit one.txt | botright 8split | terminal cat');
    await nvim.command('wincmd k | split two.txt');
    const heights = `
      local found = {}
      for _, window in ipairs(vim.api.nvim_tabpage_list_wins(0)) do
        local name = vim.api.nvim_buf_get_name(vim.api.nvim_win_get_buf(window))
        found[name:match('^term:') or name:match('^hawser:') or vim.fn.fnamemodify(name, ':t')] = vim.api.nvim_win_get_height(window)
      end
      return found`;
    const before = (await nvim.lua(heights)) as Record<string, number>;
    await nvim.show({ ...change, layout: 'inline' });
    const bothFiles = (before['one.txt'] ?? 0) + (before['two.txt'] ?? 0);
    // Before 0.8 Neovim leaves the one above a line.
    const left = isAtLeast(neovim, 0, 8) ? 0 : 1;
    const during = { 'one.txt': 0, 'two.txt': left, 'term:': 8, 'hawser:': bothFiles - 1 - left };
    expect(await nvim.lua(heights)).toEqual(during);
    await nvim.type('\\aa');
    await nvim.decisions();
    expect(await nvim.lua(heights)).toEqual(before);
    expect(await nvim.lua('return vim.o.winminheight')).toBe(1);
  });

  test('a file gets its height back also if the user has opened other windows meanwhile', async () => {
    const nvim = await DiffNvim.start(neovim);
    await nvim.command('edit one.txt | set splitbelow');
    await nvim.show({ ...change, layout: 'inline' });
    await nvim.command('botright 5new');
    await nvim.type('<C-w>k\\ad');
    await nvim.decisions();
    const height = "return vim.api.nvim_win_get_height(vim.fn.bufwinid('one.txt'))";
    expect(await nvim.lua(height)).toBeGreaterThan(25);
    expect(await nvim.lua('return vim.o.winminheight')).toBe(1);
  });

  test('the buffers are scratch, and no autocommand of the user sees them', async () => {
    const nvim = await DiffNvim.start(neovim, {
      before: `
        _G.events = {}
        vim.cmd('filetype plugin indent on | syntax on')
        vim.api.nvim_create_autocmd({ 'FileType', 'BufEnter', 'WinEnter', 'WinNew', 'BufWinEnter', 'BufAdd', 'TabNew' }, {
          callback = function(event) events[#events + 1] = event.event end,
        })`,
    });
    writeFileSync(join(nvim.folder, 'a.lua'), 'local a = 1\n');
    await nvim.command('edit a.lua | setlocal tabstop=3 shiftwidth=3');
    await nvim.lua('_G.events = {}');
    await nvim.show({ old: 'local a = 1\n', new: 'local a = 2\n', path: join(nvim.folder, 'a.lua') });
    expect(await nvim.lua('return events')).toEqual([]);
    const options = `
      local found = {}
      for _, window in ipairs(vim.api.nvim_tabpage_list_wins(0)) do
        local buffer = vim.api.nvim_win_get_buf(window)
        local o = vim.bo[buffer]
        if vim.api.nvim_buf_get_name(buffer):match('^hawser:') then
          found[#found + 1] = { o.buflisted, o.swapfile, o.undofile, o.modified, o.filetype, o.syntax ~= '', o.tabstop, o.modifiable }
        end
      end
      return found`;
    const same = [false, false, false, false, 'lua'];
    expect(await nvim.lua(options)).toMatchObject([
      [...same, expect.any(Boolean), 3, false],
      [...same, expect.any(Boolean), 3, true],
    ]);
    await nvim.type('\\aa');
    await nvim.decisions();
    expect(await nvim.lua('return { events, #vim.api.nvim_list_bufs() }')).toEqual([[], 1]);

    await nvim.show({ ...change, id: 'roaming' });
    await nvim.type('<C-w>k<C-w>j');
    await nvim.lua('_G.events = {}');
    await nvim.type('\\aa');
    await nvim.decisions(2);
    expect(await nvim.lua('return events')).toEqual(['WinEnter', 'BufEnter']);
  });

  test('a file that is not open is coloured by its name', async () => {
    const nvim = await DiffNvim.start(neovim, { before: `vim.cmd('filetype plugin on | syntax on')` });
    for (const [name, filetype] of [
      ['x.py', 'python'],
      ['x.ts', 'typescript'],
      ['Makefile', 'make'],
      ['none', ''],
    ]) {
      await nvim.show({ ...change, id: `${name}`, path: join(nvim.folder, `${name}`) });
      expect([name, await nvim.lua('return { vim.bo.filetype, vim.bo.syntax }')]).toEqual([name, [filetype, filetype]]);
      await nvim.call('reject');
    }
  });

  test('windows and tabs are ours alone: other options of the user are as they were', async () => {
    const nvim = await DiffNvim.start(neovim);
    const options = 'return vim.fn.execute("set all") .. vim.fn.execute("setglobal all")';
    await nvim.lua(WORKPLACE);
    const before = await nvim.lua(options);
    for (const layout of layouts) {
      await nvim.show({ ...change, layout, id: layout });
      await nvim.type('jk<C-w>w<C-w>p\\aa');
      await nvim.decisions(layouts.indexOf(layout) + 1);
    }
    await nvim.decisions(3);
    expect(await nvim.lua(options)).toEqual(before);
    if (isAtLeast(neovim, 0, 10)) expect(await nvim.lua('return vim.wo.winfixbuf')).toBe(false);
  });
});

/** Several windows of odd sizes, an alternate file, jumps, folds and settings of every kind. */
const WORKPLACE = `
  local lines = {}
  for line = 1, 200 do lines[line] = ('line %d of many'):format(line) end
  vim.o.hidden = true
  vim.cmd('edit alternate.txt')
  vim.api.nvim_buf_set_lines(0, 0, -1, false, lines)
  vim.cmd('edit main.txt')
  vim.api.nvim_buf_set_lines(0, 0, -1, false, lines)
  vim.cmd('botright 9new below.txt | vsplit | vertical resize 33 | topleft 25vnew side.txt')
  vim.cmd('tabnew other-tab.txt | tabprevious')
  vim.cmd('wincmd p | wincmd k | wincmd l | wincmd k')
  vim.cmd('normal! 50Gzt')
  vim.cmd('normal! 120G20|zb')
  vim.cmd('setlocal nowrap scrolloff=0 winhighlight=Normal:Comment foldmethod=manual cursorline number')
  vim.cmd('130,140fold')
  vim.cmd('normal! 100Gzb3zl5|')`;

/** All that a user would notice. */
const PICTURE = `
  local function window_facts(window)
    return vim.api.nvim_win_call(window, function()
      local options = {}
      for _, name in ipairs({ 'winhighlight', 'scrollbind', 'cursorbind', 'foldmethod', 'foldenable', 'diff', 'wrap',
        'number', 'cursorline', 'statusline', 'scrolloff', 'foldcolumn', 'winfixheight' }) do
        options[name] = vim.wo[window][name]
      end
      return {
        window, vim.fn.bufname(), vim.fn.bufname('#'), vim.fn.winsaveview(), options,
        vim.api.nvim_win_get_position(window), vim.fn.winwidth(0), vim.fn.winheight(0), vim.fn.foldclosed(130),
        vim.tbl_map(function(jump) return jump.lnum end, vim.fn.getjumplist()[1]), vim.fn.getjumplist()[2],
      }
    end)
  end
  return {
    layout = vim.inspect(vim.fn.winlayout()),
    current = vim.api.nvim_get_current_win(),
    previous = vim.fn.win_getid(vim.fn.winnr('#')),
    tab = { vim.fn.tabpagenr(), vim.fn.tabpagenr('#'), vim.fn.tabpagenr('$') },
    windows = vim.tbl_map(window_facts, vim.api.nvim_tabpage_list_wins(vim.api.nvim_list_tabpages()[1])),
    buffers = vim.tbl_map(vim.api.nvim_buf_get_name, vim.api.nvim_list_bufs()),
    registers = vim.fn.getreg('"'),
    equalalways = vim.o.equalalways,
    eventignore = vim.o.eventignore,
    current_in_tab = vim.api.nvim_tabpage_get_win(0),
  }`;
