import { describe, expect, test } from 'vitest';
import { DiffNvim } from '../../../testing/neovim/diff-nvim.ts';
import { neovims } from '../../../testing/neovim/neovims.ts';

const change = { old: 'a\nb\nc\n', new: 'a\nB\nc\n' };

describe.each(neovims)('diff views of Neovim %s and a user who types', (neovim) => {
  const busy: [where: string, enter: string, mode: string, leave: string][] = [
    ['insert mode', 'ifoo', 'i', '<Esc>'],
    ['one command from insert mode', 'i<C-o>', 'niI', '<Esc><Esc>'],
    ['replace mode', 'R', 'R', '<Esc>'],
    ['visual mode', 'v', 'v', '<Esc>'],
    ['an operator that waits', 'd', 'no', '<Esc>'],
    ['the command line', ':echo 1', 'c', '<Esc>'],
    ['a search', '/foo', 'c', '<Esc>'],
    ['a macro that is recorded', 'qa', 'n', 'q'],
    ['the command-line window', 'q:', 'n', ':q<CR>'],
  ];

  test.each(busy)('a proposal waits for the end of %s', async (_where, enter, mode, leave) => {
    const nvim = await DiffNvim.start(neovim);
    await nvim.type(enter);
    expect(await nvim.mode()).toBe(mode);
    const before = await nvim.lua(FOCUS);
    await nvim.show(change);
    // Longer than the plugin takes to look again: nothing tells that it did not show it.
    await nvim.lua('vim.wait(250)');
    expect(await nvim.states()).toEqual(['p waiting']);
    expect([await nvim.lua(FOCUS), await nvim.mode()]).toEqual([before, mode]);
    await nvim.type(leave);
    await nvim.shown();
    expect(await nvim.lua(HINTS)).toEqual([]);
    await nvim.call('accept');
    expect(await nvim.decisions()).toEqual([['p', 'accepted', change.new]]);
  });

  describe('in a terminal', () => {
    const terminal = async (layout: 'split' | 'tab' | 'inline', position = 'botright 50vsplit') => {
      const nvim = await DiffNvim.start(neovim, { layout });
      await nvim.type(`:${position} | terminal cat<CR>i`);
      expect(await nvim.mode()).toBe('t');
      return nvim;
    };

    test.each(['split', 'tab', 'inline'] as const)(
      'a proposal is shown at once beside it, the keys go on to the program, and the note fits 80 columns, %s',
      async (layout) => {
        const nvim = await terminal(layout);
        const before = await nvim.lua('return vim.api.nvim_get_current_win()');
        await nvim.show(change);
        expect(await nvim.states()).toEqual(['p shown']);
        expect([await nvim.lua('return vim.api.nvim_get_current_win()'), await nvim.mode()]).toEqual([before, 't']);
        await nvim.type('typed');
        await nvim.until(
          `return table.concat(vim.api.nvim_buf_get_lines(0, 0, -1, false)):find('typed', 1, true) ~= nil`,
        );
        expect(await nvim.lua(HINTS)).toEqual([' tmp/a.txt: <C-\\><C-n> goes to the proposal ']);
        expect(await nvim.decisionsSoFar()).toEqual([]);
      },
    );

    test('<C-\\><C-n> goes to the proposal, and after the decision the user is back in terminal mode', async () => {
      const nvim = await terminal('split');
      const before = await nvim.lua(FOCUS);
      await nvim.show({ ...change, id: 'one' });
      await nvim.show({ ...change, id: 'two' });
      await nvim.type('<C-\\><C-n>');
      await nvim.until("return vim.api.nvim_buf_get_name(0):find('hawser://proposed', 1, true) == 1");
      expect(await nvim.lua(HINTS)).toEqual([]);
      await nvim.type('\\aa');
      await nvim.decisions(1);
      await nvim.shown('two');
      expect(await nvim.mode()).toBe('n');
      await nvim.type('\\ad');
      expect(await nvim.decisions(2)).toEqual([
        ['one', 'accepted', change.new],
        ['two', 'rejected'],
      ]);
      await nvim.until("return vim.api.nvim_get_mode().mode == 't'");
      expect(await nvim.lua(FOCUS)).toEqual(before);
    });

    test('a proposal that is withdrawn, or decided elsewhere, leaves the user in terminal mode', async () => {
      const nvim = await terminal('split');
      const before = await nvim.lua(FOCUS);
      await nvim.show(change);
      await nvim.withdraw();
      expect([await nvim.lua(FOCUS), await nvim.mode(), await nvim.lua(HINTS)]).toEqual([before, 't', []]);
    });

    test('without another window the terminal gives room, and gets it back', async () => {
      const nvim = await terminal('split', 'enew');
      const before = await nvim.lua(FOCUS);
      await nvim.show(change);
      expect([await nvim.states(), await nvim.mode()]).toEqual([['p shown'], 't']);
      await nvim.type('<C-\\><C-n>');
      await nvim.until("return vim.api.nvim_buf_get_name(0):find('hawser://proposed', 1, true) == 1");
      await nvim.type('ZZ');
      expect(await nvim.decisions()).toEqual([['p', 'accepted', change.new]]);
      await nvim.until("return vim.api.nvim_get_mode().mode == 't'");
      expect(await nvim.lua(FOCUS)).toEqual(before);
    });

    test.each(['rounded', 'none'])(
      'in a floating window it moves above the proposal, which is not covered, and back after the decision (border: %s)',
      async (border) => {
        const nvim = await DiffNvim.start(neovim, { layout: 'split' });
        await nvim.lua(
          `vim.api.nvim_open_win(vim.api.nvim_create_buf(true, false), true,
             { relative = 'editor', row = 2, col = 5, width = 40, height = vim.o.lines - 8, border = ... })`,
          border,
        );
        await nvim.type(':terminal cat<CR>i');
        const before = await nvim.lua(FLOAT);
        await nvim.show(change);
        expect([await nvim.states(), await nvim.mode()]).toEqual([['p shown'], 't']);
        const float = (await nvim.lua(FLOAT)) as { row: number; height: number };
        const top = await nvim.lua(
          `local tops = {}
           for _, window in ipairs(vim.api.nvim_list_wins()) do
             if vim.api.nvim_buf_get_name(vim.api.nvim_win_get_buf(window)):match('^hawser://') then
               table.insert(tops, vim.api.nvim_win_get_position(window)[1])
             end
           end
           return math.min(unpack(tops))`,
        );
        expect(float.row + float.height + (border === 'none' ? 0 : 2)).toBeLessThanOrEqual(top as number);
        await nvim.type('<C-\\><C-n>');
        await nvim.until("return vim.api.nvim_buf_get_name(0):find('hawser://proposed', 1, true) == 1");
        await nvim.type('\\aa');
        expect(await nvim.decisions()).toEqual([['p', 'accepted', change.new]]);
        await nvim.until("return vim.api.nvim_get_mode().mode == 't'");
        expect(await nvim.lua(FLOAT)).toEqual(before);
      },
    );

    test('a user who is in another window by then stays there', async () => {
      const nvim = await terminal('split');
      await nvim.show(change);
      await nvim.lua('vim.cmd("stopinsert") vim.api.nvim_set_current_win(vim.api.nvim_list_wins()[1])');
      await nvim.settle();
      expect(await nvim.lua('return vim.bo.buftype')).toBe('');
      expect(await nvim.call('reveal')).toBe(true);
      await nvim.type('ZQ');
      expect(await nvim.decisions()).toEqual([['p', 'rejected']]);
      expect([await nvim.mode(), await nvim.lua('return vim.bo.buftype')]).toEqual(['n', '']);
    });

    test('a proposal waits where there is no room for it', async () => {
      const nvim = await terminal('split', 'resize 5 | split');
      await nvim.lua('vim.o.lines = 10');
      await nvim.show(change);
      expect([await nvim.states(), await nvim.mode()]).toEqual([['p waiting'], 't']);
    });
  });

  test('typed text goes where it was going', async () => {
    const nvim = await DiffNvim.start(neovim);
    await nvim.type('ione ');
    await nvim.show(change);
    await nvim.type('two ');
    // Longer than a proposal waits for a key, if it waited for that alone.
    await nvim.lua('vim.wait(150)');
    await nvim.type('three');
    expect(await nvim.lua('return vim.api.nvim_get_current_line()')).toBe('one two three');
    expect(await nvim.lua(HINTS)).toEqual([' a change to tmp/a.txt is shown when you are back in normal mode ']);
    await nvim.type('<Esc>');
    await nvim.shown();
    expect(await nvim.lua(HINTS)).toEqual([]);
  });

  test('the word about it keeps away from the cursor', async () => {
    const nvim = await DiffNvim.start(neovim);
    const row = `
      for _, window in ipairs(vim.api.nvim_list_wins()) do
        if vim.api.nvim_win_get_config(window).relative ~= '' then return vim.api.nvim_win_get_position(window)[1] end
      end`;
    await nvim.type('i');
    await nvim.show(change);
    expect(await nvim.lua(row)).toBe(37);
    await nvim.type('<CR>'.repeat(60));
    await nvim.until(`return (function() ${row} end)() == 1`);
  });

  test('a proposal waits at a hit-enter prompt and is shown after it', async () => {
    const nvim = await DiffNvim.start(neovim);
    await nvim.client.input(':echo "one\\ntwo\\nthree"<CR>');
    expect(await nvim.mode()).toBe('r');
    nvim.showLater(change);
    expect(await nvim.mode()).toBe('r');
    await nvim.type('<CR>');
    await nvim.shown();
  });

  test('keys that were just typed keep a view away for a moment', async () => {
    const nvim = await DiffNvim.start(neovim, { setup: '{ idle = 60000, grace = 0 }' });
    await nvim.type('j');
    await nvim.show(change);
    // Longer than the plugin takes to look again.
    await nvim.lua('vim.wait(250)');
    expect(await nvim.states()).toEqual(['p waiting']);
    expect(await nvim.call('reveal')).toBe(true);
    expect(await nvim.states()).toEqual(['p shown']);
  });

  test('a proposal waits while a floating window has the focus', async () => {
    const nvim = await DiffNvim.start(neovim);
    await nvim.lua(`vim.api.nvim_open_win(vim.api.nvim_create_buf(false, true), true,
      { relative = 'editor', row = 1, col = 1, width = 20, height = 5 })`);
    await nvim.show(change);
    expect([await nvim.states(), await nvim.call('reveal')]).toEqual([['p waiting'], false]);
    await nvim.type('<C-w>c');
    await nvim.shown();
  });

  test('a proposal that waits can be accepted, rejected and withdrawn', async () => {
    const nvim = await DiffNvim.start(neovim);
    await nvim.type('i');
    for (const id of ['one', 'two', 'three']) await nvim.show({ ...change, id });
    await nvim.lua(`
      local diff = require('hawser.diff.actions')
      diff.accept('two')
      diff.reject('one')
    `);
    await nvim.withdraw('three');
    expect(await nvim.decisions(2)).toEqual([
      ['two', 'accepted', change.new],
      ['one', 'rejected'],
    ]);
    expect([await nvim.states(), await nvim.mode()]).toEqual([[], 'i']);
  });

  test('a proposal that is withdrawn while the user types in it leaves the user in normal mode', async () => {
    const nvim = await DiffNvim.start(neovim);
    await nvim.show(change);
    await nvim.type('imine');
    await nvim.withdraw();
    await nvim.type('x');
    expect([await nvim.mode(), await nvim.lua('return vim.api.nvim_buf_get_lines(0, 0, -1, false)')]).toEqual([
      'n',
      [''],
    ]);
  });

  test('a proposal that ends while the command-line window is open goes when that closes', async () => {
    const nvim = await DiffNvim.start(neovim);
    await nvim.show(change);
    await nvim.type('q:');
    await nvim.lua(`require('hawser.diff.actions').reject('p')`);
    expect(await nvim.decisions()).toEqual([['p', 'rejected']]);
    await nvim.type(':q<CR>');
    await nvim.until('return #vim.api.nvim_list_wins() == 1');
    expect(await nvim.lua('return #vim.api.nvim_list_bufs()')).toBe(1);
  });

  test('the next proposal waits too when the user continues to type', async () => {
    const nvim = await DiffNvim.start(neovim);
    await nvim.show({ ...change, id: 'one' });
    await nvim.show({ ...change, id: 'two' });
    await nvim.type('<C-w>ki');
    await nvim.lua(`require('hawser.diff.actions').reject('one')`);
    await nvim.decisions();
    expect([await nvim.states(), await nvim.mode()]).toEqual([['two waiting'], 'i']);
    await nvim.type('<Esc>');
    await nvim.shown('two');
  });
});

const FOCUS = 'return { vim.api.nvim_get_current_win(), vim.inspect(vim.fn.winlayout()) }';

/** Where the window of the user is on the screen. */
const FLOAT = `
  local window = vim.api.nvim_get_current_win()
  local position = vim.api.nvim_win_get_position(window)
  return {
    window = window,
    row = position[1],
    col = position[2],
    width = vim.api.nvim_win_get_width(window),
    height = vim.api.nvim_win_get_height(window),
  }`;

const HINTS = `
  local found = {}
  for _, window in ipairs(vim.api.nvim_list_wins()) do
    if vim.api.nvim_win_get_config(window).relative ~= '' then
      found[#found + 1] = vim.api.nvim_buf_get_lines(vim.api.nvim_win_get_buf(window), 0, 1, false)[1]
    end
  end
  return found`;
