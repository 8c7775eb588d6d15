import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { DiffNvim } from '../../../testing/neovim/diff-nvim.ts';
import { isAtLeast, neovims } from '../../../testing/neovim/neovims.ts';

const change = { old: 'a\nb\nc\n', new: 'a\nB\nc\n' };
const layouts = ['split', 'tab', 'inline'] as const;

describe.each(neovims)('the layout around diff views of Neovim $version', { timeout: 30_000 }, (neovim) => {
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
    for (const layout of layouts) {
      await nvim.show({ ...change, layout, id: layout });
      await nvim.type('<C-w>w<C-w>w\\aa');
    }
    await nvim.decisions(3);
    expect(await nvim.lua('return vim.fn.getcwd()')).toBe(folder);
  });

  test('a user who is elsewhere stays there', async () => {
    const nvim = await DiffNvim.start(neovim);
    await nvim.lua(WORKPLACE);
    await nvim.show(change);
    await nvim.type('<C-w>k5G');
    const window = await nvim.lua('return vim.api.nvim_get_current_win()');
    await nvim.lua(`require('hawser.diff').accept('p')`);
    await nvim.decisions();
    expect(await nvim.lua('return { vim.api.nvim_get_current_win(), vim.fn.line(".") }')).toEqual([window, 5]);
  });

  test('windows that the user opened meanwhile stay', async () => {
    const nvim = await DiffNvim.start(neovim);
    await nvim.show(change);
    await nvim.type('<C-w>k:vnew mine<CR>');
    const mine = await nvim.lua('return vim.api.nvim_get_current_win()');
    await nvim.lua(`require('hawser.diff').reject()`);
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
    await nvim.lua(`require('hawser.diff').reject()`);
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

  test('the keys move between hunks, on both sides, round and round', async () => {
    const nvim = await DiffNvim.start(neovim);
    await nvim.show({ old: 'a\nb\nc\nd\ne\n', new: 'A\nb\nd\ne\nf\n' });
    const lines: unknown[] = [];
    const go = async (keys: string) => {
      await nvim.type(keys);
      lines.push(await nvim.lua('return vim.fn.line(".")'));
    };
    for (const keys of ['', ']h', ']h', ']h', '[h', '[h', '<C-w>h', ']h', '[h', '[h']) await go(keys);
    expect(lines).toEqual([1, 3, 5, 1, 5, 3, 4, 5, 3, 1]);
  });

  test('what stays the same is folded on both sides, but for some lines around', async () => {
    const nvim = await DiffNvim.start(neovim);
    const lines = Array.from({ length: 100 }, (_, index) => `line ${index + 1}\n`);
    const proposed = lines.map((line, index) => (index === 49 ? 'changed\nand more\n' : line)).join('');
    await nvim.show({ old: lines.join(''), new: proposed });
    const folds =
      'return vim.tbl_map(function(l) return { vim.fn.foldclosed(l), vim.fn.foldclosedend(l) } end, { 1, 50, 90 })';
    expect([await nvim.lua(folds), await nvim.lua('return vim.fn.line(".")')]).toEqual([
      [
        [1, 43],
        [-1, -1],
        [58, 101],
      ],
      50,
    ]);
    await nvim.type('<C-w>h');
    expect(await nvim.lua(folds)).toEqual([
      [1, 43],
      [-1, -1],
      [57, 100],
    ]);
  });

  test('a choice about a hunk is marked on both sides, and the cursor goes to the next one without', async () => {
    const nvim = await DiffNvim.start(neovim);
    await nvim.show({ old: 'a\nb\nc\nd\ne\n', new: 'A\nb\nC\nd\nE\n' });
    const marks = `
      local found = {}
      local namespace = vim.api.nvim_create_namespace('hawser_diff')
      for _, window in ipairs(vim.api.nvim_tabpage_list_wins(0)) do
        local buffer = vim.api.nvim_win_get_buf(window)
        for _, mark in ipairs(vim.api.nvim_buf_get_extmarks(buffer, namespace, 0, -1, { details = true })) do
          found[#found + 1] = mark[2] .. (mark[4].virt_text and mark[4].virt_text[1][1] or '')
        end
      end
      return { vim.fn.line('.'), found }`;
    await nvim.call('reject_hunk');
    expect(await nvim.lua(marks)).toEqual([3, ['0 rejected ', '0 rejected ']]);
    await nvim.call('accept_hunk');
    expect(await nvim.lua(marks)).toEqual([5, ['0 rejected ', '2 accepted ', '0 rejected ', '2 accepted ']]);
    expect(
      await nvim.lua('return vim.wo.statusline .. (vim.fn.exists("+winbar") == 1 and vim.wo.winbar or "")'),
    ).toContain('3/3, +1 -1');
  });

  test('lines that go look removed, and words that change are seen', async () => {
    const nvim = await DiffNvim.start(neovim);
    await nvim.show({ old: 'a\ngone\nb\n', new: 'a\nb\n' });
    const removed = `
      local buffer = vim.fn.bufnr('hawser://now/')
      return vim.wo[vim.fn.bufwinid(buffer)].winhighlight`;
    expect(await nvim.lua(removed)).toBe('DiffAdd:HawserRemoved');
    await nvim.withdraw();
    await nvim.show({ old: 'say hello now\n', new: 'say good day now\n', layout: 'inline' });
    const words = `
      local namespace = vim.api.nvim_create_namespace('hawser_diff')
      local found = {}
      for _, mark in ipairs(vim.api.nvim_buf_get_extmarks(0, namespace, 0, -1, { details = true })) do
        if mark[4].hl_group == 'HawserText' then found[#found + 1] = { mark[3], mark[4].end_col } end
        for _, chunk in ipairs((mark[4].virt_lines or { {} })[1]) do
          if chunk[2] == 'HawserText' then found[#found + 1] = chunk[1] end
        end
      end
      return found`;
    expect(await nvim.lua(words)).toEqual(expect.arrayContaining(['hello', [4, 12]]));
  });

  test.each(['split', 'inline'] as const)('a change far to the right is scrolled into view, %s', async (layout) => {
    const nvim = await DiffNvim.start(neovim, { before: 'vim.o.wrap = false' });
    const start = 'x'.repeat(500);
    await nvim.show({ old: `${start} one\n`, new: `${start} two\n`, layout });
    const sight = `
      vim.cmd('redraw')
      local view = vim.fn.winsaveview()
      return { vim.fn.col('.'), view.leftcol > 400 and view.leftcol < 501 }`;
    expect(await nvim.lua(sight)).toEqual([502, true]);
    if (layout === 'inline') return;
    await nvim.type('<C-w>h');
    expect(await nvim.lua('vim.cmd("redraw") return vim.fn.winsaveview().leftcol > 400')).toBe(true);
  });

  test('inline, what goes is shown above what comes', async () => {
    const nvim = await DiffNvim.start(neovim);
    await nvim.show({ old: 'x\n\tone\ntwo\0\nsame\nlast\n', new: 'X\nsame\n', layout: 'inline' });
    const marks = `
      local found = {}
      local namespace = vim.api.nvim_create_namespace('hawser_diff')
      for _, mark in ipairs(vim.api.nvim_buf_get_extmarks(0, namespace, 0, -1, { details = true })) do
        local texts = {}
        for _, line in ipairs(mark[4].virt_lines or {}) do
          texts[#texts + 1] = vim.trim(table.concat(vim.tbl_map(function(chunk) return chunk[1] end, line)))
        end
        if #texts > 0 then found[#found + 1] = { mark[2], mark[4].virt_lines_above or false, unpack(texts) } end
      end
      return found`;
    expect(await nvim.lua(marks)).toEqual([
      [0, true, 'x', 'one', 'two^@'],
      [1, false, 'last'],
    ]);
    await nvim.type('ggdd');
    await nvim.settle();
    expect(await nvim.lua(marks)).toEqual([
      [0, true, 'x', 'one', 'two^@'],
      [0, false, 'last'],
    ]);
  });

  const large: [fact: string, line: string, lines: number][] = [
    ['10 MB in 100 000 lines', 'x'.repeat(99), 100_000],
    ['60 000 short lines', 'x', 60_000],
    ['one line of 5 MB', 'x'.repeat(5_000_000), 1],
  ];
  test.each(large)('%s: shown soon, without diff mode, and exact', async (_fact, { length }, lines) => {
    const nvim = await DiffNvim.start(neovim);
    const old = `${'x'.repeat(length)}\n`.repeat(lines);
    const proposed = `${old}y\r\n`;
    const started = performance.now();
    await nvim.show({ old, new: proposed, path: '/tmp/large.txt' });
    await nvim.command('redraw');
    expect(performance.now() - started).toBeLessThan(5000);
    expect(await nvim.lua('return { vim.wo.diff, vim.fn.line("."), #vim.api.nvim_tabpage_list_wins(0) }')).toEqual([
      false,
      lines + 1,
      3,
    ]);
    await nvim.call('accept');
    const [[, , text] = []] = await nvim.decisions();
    expect(text === proposed).toBe(true);
  });

  test('hunks that would stall diff mode are marked without it', async () => {
    const nvim = await DiffNvim.start(neovim);
    const [old, proposed] = ['a\nb\n', 'a\nB\n'].map((pair) => pair.repeat(10_000));
    await nvim.show({ old: `${old}`, new: `${proposed}` });
    expect(await nvim.lua('return vim.wo.diff')).toBe(false);
    const bars = await nvim.lua(`
      local name = vim.fn.exists('+winbar') == 1 and 'winbar' or 'statusline'
      vim.cmd('wincmd h | wincmd _ | wincmd |')
      require('hawser.diff').next_hunk()
      return vim.wo[name]`);
    expect(bars).toMatch(/large: diff mode is off.*only the first 2000 hunks are marked/);
    await nvim.call('reject_hunk');
    await nvim.call('accept');
    expect(await nvim.decisions()).toEqual([['p', 'accepted', `${proposed?.slice(0, 4)}a\nb\n${proposed?.slice(8)}`]]);
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
