import { describe, expect, test } from 'vitest';
import { DiffNvim } from '../../../testing/neovim/diff-nvim.ts';
import { neovims } from '../../../testing/neovim/neovims.ts';

/** Of the processor: time on the wall would depend on what else the machine does. */
const SECONDS_USED = 'local used = vim.loop.getrusage() return used.utime.sec + used.stime.sec';

describe.each(neovims)('the marks in diff views of Neovim %s', (neovim) => {
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
    ).toContain('hunk 3 of 3 ');
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

  test('a change that was made without asking says so, and its keys keep it or take it back', async () => {
    const nvim = await DiffNvim.start(neovim);
    const advice = 'Press Shift+Tab in Claude Code to be asked.';
    await nvim.show({ old: 'a\n', new: 'b\n', effect: 'noticed', advice, layout: 'inline' });
    const bar = `return vim.wo[vim.fn.exists('+winbar') == 1 and 'winbar' or 'statusline']`;
    const words = ((await nvim.lua(bar)) as string).replaceAll(/%#\w+#/g, '');
    expect(words).toMatch(/ changed without asking .* \\aa keep +\\ad take back /);
    const note = `
      for _, window in ipairs(vim.api.nvim_list_wins()) do
        if vim.api.nvim_win_get_config(window).relative ~= '' then
          return vim.api.nvim_buf_get_lines(vim.api.nvim_win_get_buf(window), 0, 1, false)[1]
        end
      end`;
    expect(await nvim.lua(note)).toBe(` ${advice} `);
    await nvim.type('\\ad');
    expect(await nvim.decisions()).toEqual([['p', 'rejected']]);
    expect(await nvim.lua(note)).toBeNull();
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
    const secondsUsed = async () => Number(await nvim.lua(SECONDS_USED));
    const started = await secondsUsed();
    await nvim.show({ old, new: proposed, path: '/tmp/large.txt' });
    await nvim.command('redraw');
    expect((await secondsUsed()) - started).toBeLessThan(5);
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
      require('hawser.diff.actions').next_hunk()
      return vim.wo[name]`);
    expect(bars).toMatch(/large: diff mode is off.*only the first 2000 hunks are marked/);
    await nvim.call('reject_hunk');
    await nvim.call('accept');
    expect(await nvim.decisions()).toEqual([['p', 'accepted', `${proposed?.slice(0, 4)}a\nb\n${proposed?.slice(8)}`]]);
  });
});
