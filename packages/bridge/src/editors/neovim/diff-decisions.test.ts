import { existsSync, readdirSync } from 'node:fs';
import { describe, expect, test } from 'vitest';
import { BARS, DiffNvim } from '../../../testing/neovim/diff-nvim.ts';
import { isAtLeast, neovims } from '../../../testing/neovim/neovims.ts';

const change = { old: 'a\nb\nc\n', new: 'a\nB\nc\n' };
const accepted = ['p', 'accepted', change.new];
const rejected = ['p', 'rejected'];

describe.each(neovims)('decisions in diff views of Neovim %s', (neovim) => {
  const ways: [fact: string, keys: string, decision: readonly string[]][] = [
    ['the key for all accepts', '\\aa', accepted],
    ['the key for all rejects', '\\ad', rejected],
    ['the key for a hunk accepts it, and the key for all confirms', '\\ah\\aa', accepted],
    ['with all hunks rejected the key for all rejects', '\\aH\\aa', rejected],
    ['u takes a rejected hunk back', '\\aHu\\aa', accepted],
    ['u on the old side takes a rejected hunk back', '\\aH<C-w>hu\\aa', accepted],
    ['ZZ accepts', 'ZZ', accepted],
    ['ZQ rejects', 'ZQ', rejected],
    [':q rejects', ':q<CR>', rejected],
    [':q after an edit rejects', 'xx:q<CR>', rejected],
    [':close after an edit rejects', 'ddu:close<CR>', rejected],
    ['<C-w>c rejects', '<C-w>c', rejected],
    [':wq accepts', ':wq<CR>', accepted],
    [':x accepts', ':x<CR>', accepted],
    [':wq that was not entered decides nothing', ':wq<Esc>:q<CR>', rejected],
    [':wq in the old side accepts', '<C-w>h:wq<CR>', accepted],
    [':bdelete rejects', ':bdelete<CR>', rejected],
    [':bwipeout! rejects', ':bwipeout!<CR>', rejected],
    ['accepting in the old side accepts', '<C-w>h\\aa', accepted],
    ['rejecting a hunk in the old side rejects it', '<C-w>h2G\\aH\\aa', rejected],
    [':q in the old side rejects', '<C-w>h:q<CR>', rejected],
    [':only rejects', ':only<CR>', rejected],
  ];

  test.each(['split', 'tab'] as const)(
    'each way to decide decides once and leaves nothing behind, %s',
    async (layout) => {
      const nvim = await DiffNvim.start(neovim, { layout });
      const before = await nvim.lua(LEFTOVERS);
      for (const [index, [fact, keys, [, ...decision]]] of ways.entries()) {
        await nvim.show({ ...change, id: fact });
        await nvim.shown(fact);
        await nvim.type(keys);
        expect((await nvim.decisions(index + 1)).at(-1)).toEqual([fact, ...decision]);
        await nvim.settle();
        expect([fact, await nvim.lua(LEFTOVERS)]).toEqual([
          fact,
          fact.startsWith(':only') ? expect.anything() : before,
        ]);
      }
      expect(await nvim.decisionsSoFar()).toHaveLength(ways.length);
    },
  );

  test(':tabclose rejects, from inside and from another tab', async () => {
    const nvim = await DiffNvim.start(neovim, { layout: 'tab' });
    await nvim.show({ ...change, id: 'inside' });
    await nvim.type(':tabclose<CR>');
    expect(await nvim.decisions(1)).toEqual([['inside', 'rejected']]);
    await nvim.show({ ...change, id: 'outside' });
    await nvim.type('gt:tabclose 2<CR>');
    expect(await nvim.decisions(2)).toEqual([
      ['inside', 'rejected'],
      ['outside', 'rejected'],
    ]);
    expect(await nvim.lua('return #vim.api.nvim_list_tabpages()')).toBe(1);
  });

  test('closing the one window of the inline layout rejects', async () => {
    const nvim = await DiffNvim.start(neovim, { layout: 'inline' });
    await nvim.show(change);
    await nvim.type(':q<CR>');
    expect(await nvim.decisions()).toEqual([rejected]);
  });

  test(':edit! throws edits away and keeps the proposal, on both sides', async () => {
    const nvim = await DiffNvim.start(neovim);
    await nvim.show(change);
    await nvim.type('ddxx:edit!<CR>');
    await nvim.type('<C-w>h:edit!<CR>');
    expect(await nvim.lua('return { vim.api.nvim_buf_get_lines(0, 0, -1, false), vim.bo.modifiable }')).toEqual([
      ['a', 'b', 'c'],
      false,
    ]);
    await nvim.type('2G\\aa');
    expect(await nvim.decisions()).toEqual([accepted]);
  });

  test('a new file says so, and an agent without a name is called one', async () => {
    const nvim = await DiffNvim.start(neovim);
    await nvim.show({ new: 'a\n', path: '/w/src/a.txt', agent: '' });
    expect(await nvim.lua(BARS)).toMatch(/new file .* src\/a\.txt · an agent/);
    await nvim.call('accept');
    expect(await nvim.decisions()).toEqual([['p', 'accepted', 'a\n']]);
  });

  test('without a line for each window, the keys are seen all the same', async () => {
    const nvim = await DiffNvim.start(neovim, { before: 'vim.o.laststatus = 3' });
    await nvim.show({ ...change, id: 'one' });
    expect(await nvim.lua(BARS)).toMatch(isAtLeast(neovim, 0, 8) ? /accept/ : /a\.txt.*accept.*a\.txt.*accept/);
    await nvim.withdraw('one');
    await nvim.lua('vim.o.laststatus = 0');
    await nvim.show({ ...change, id: 'two' });
    const messages = await nvim.lua('return vim.fn.execute("messages")');
    if (!isAtLeast(neovim, 0, 8)) expect(messages).toContain('Hawser: accept \\aa, reject \\ad');
  });

  test('a window is what counts, not a buffer that is seen in another one as well', async () => {
    const nvim = await DiffNvim.start(neovim);
    await nvim.show(change);
    await nvim.type(':split<CR>');
    expect(await nvim.decisionsSoFar()).toEqual([]);
    await nvim.type('<C-w>j:q<CR>');
    expect(await nvim.decisions()).toEqual([rejected]);
    await nvim.settle();
    expect(await nvim.lua(LEFTOVERS)).toMatchObject({ windows: 1, ours: 0 });
  });

  test('another file opened in one of the windows does not lose the proposal unheard', async () => {
    const nvim = await DiffNvim.start(neovim);
    await nvim.show(change);
    await nvim.type(':edit other.txt<CR>');
    if (isAtLeast(neovim, 0, 10)) {
      expect(await nvim.mode()).toMatch(/^[nr]/);
      await nvim.type('<CR>');
      expect([await nvim.decisionsSoFar(), await nvim.states()]).toEqual([[], ['p shown']]);
      return;
    }
    expect(await nvim.decisions()).toEqual([rejected]);
    await nvim.settle();
    expect(
      await nvim.lua(`
      return { vim.fn.bufname(), vim.fn.winnr('$'), vim.wo.diff, vim.wo.scrollbind, vim.wo.statusline }`),
    ).toEqual(['other.txt', 2, false, false, '']);
  });

  test(':w says how to accept and does nothing else', async () => {
    const nvim = await DiffNvim.start(neovim);
    await nvim.show(change);
    await nvim.type(':w<CR>');
    expect(await nvim.lua('return vim.fn.execute("messages")')).toContain(
      'Hawser: nothing is written here. Accept: \\aa. Reject: \\ad or :q',
    );
    await nvim.type('<C-w>h:w<CR><C-w>l:w copy.txt<CR>');
    expect(await nvim.mode()).toBe('n');
    expect([await nvim.decisionsSoFar(), await nvim.states()]).toEqual([[], ['p shown']]);
    expect(readdirSync(nvim.folder).filter((name) => name.includes('copy') || name.includes('hawser'))).toEqual([]);
  });

  test('plugins that save by themselves do not accept', async () => {
    const nvim = await DiffNvim.start(neovim, {
      before: `
        vim.o.autowriteall = true
        vim.api.nvim_create_autocmd({ 'InsertLeave', 'TextChanged', 'FocusLost', 'BufLeave', 'QuitPre' }, {
          command = 'silent! write | silent! wall', nested = true,
        })`,
    });
    await nvim.show(change);
    await nvim.type('Omine<Esc>dd<C-w>h<C-w>l');
    await nvim.command('doautocmd FocusLost');
    expect([await nvim.decisionsSoFar(), await nvim.states()]).toEqual([[], ['p shown']]);
    await nvim.type(':q<CR>');
    expect(await nvim.decisions()).toEqual([rejected]);
  });

  test(':w accepts when that is asked for, and a copy is still no acceptance', async () => {
    const nvim = await DiffNvim.start(neovim, { setup: '{ idle = 0, grace = 0, accept_on_write = true }' });
    await nvim.show(change);
    await nvim.type(':w copy.txt<CR>');
    expect(await nvim.decisionsSoFar()).toEqual([]);
    await nvim.type('Omine<Esc>:w<CR>');
    expect(await nvim.decisions()).toEqual([['p', 'accepted', 'a\nmine\nB\nc\n']]);
    expect(existsSync(`${nvim.folder}/copy.txt`)).toBe(false);
  });

  test('a withdrawn proposal goes without a decision, and the user gets a message', async () => {
    const nvim = await DiffNvim.start(neovim);
    await nvim.show({ ...change, id: 'shown' });
    await nvim.show({ ...change, id: 'waiting' });
    await nvim.show({ ...change, id: 'last' });
    await nvim.withdraw('waiting');
    expect(await nvim.states()).toEqual(['shown shown', 'last waiting']);
    await nvim.withdraw('shown');
    expect(await nvim.messages()).toContain('Hawser: tmp/a.txt was withdrawn');
    await nvim.shown('last');
    await nvim.lua("require('hawser.diff').close_all()");
    expect([await nvim.decisionsSoFar(), await nvim.states()]).toEqual([[], []]);
    expect(await nvim.lua(LEFTOVERS)).toMatchObject({ windows: 1 });
  });

  test.each([
    ['', ''],
    [', where new buffers are not modifiable', 'set nomodifiable'],
  ])(
    'what the user made of a proposal that is withdrawn stays in a buffer, and the message says where%s',
    async (_, before) => {
      const nvim = await DiffNvim.start(neovim, { before: `vim.cmd('${before}')` });
      for (const id of ['one', 'two']) {
        await nvim.show({ old: 'a\r\n', new: 'b\r\n', id });
        await nvim.type('Omine<Esc>');
        await nvim.withdraw(
          id,
          id === 'one' ? undefined : { kind: 'accepted', text: 'as proposed', writer: 'agent', by: 'terminal' },
        );
      }
      expect(await nvim.messages()).toContain('Hawser: tmp/a.txt was withdrawn; your text is in :b kept/a.txt');
      expect(await nvim.messages()).toContain(
        'Hawser: tmp/a.txt was accepted in terminal; your text is in :b kept/a.txt (2)',
      );
      await nvim.command('buffer kept/a.txt (2)');
      const kept =
        'return { vim.api.nvim_buf_get_lines(0, 0, -1, false), vim.bo.fileformat, vim.bo.modified, vim.bo.buflisted }';
      expect(await nvim.lua(kept)).toEqual([['mine', 'b'], 'dos', false, true]);
      expect(await nvim.decisionsSoFar()).toEqual([]);
    },
  );

  test('so it does when the view is gone, before it is shown again', async () => {
    const nvim = await DiffNvim.start(neovim);
    await nvim.show(change);
    await nvim.type('Omine<Esc>');
    await nvim.lua("local diff = require('hawser.diff') diff.take_down(diff.find('p'))");
    await nvim.withdraw('p');
    expect(await nvim.messages()).toContain('Hawser: tmp/a.txt was withdrawn; your text is in :b kept/a.txt');
  });

  test('a proposal that is decided elsewhere goes, and the user gets a message', async () => {
    const nvim = await DiffNvim.start(neovim);
    await nvim.show(change);
    await nvim.withdraw('p', { kind: 'rejected', by: 'terminal' });
    expect([await nvim.states(), await nvim.lua('return #vim.api.nvim_list_wins()')]).toEqual([[], 1]);
    expect(await nvim.messages()).toContain('Hawser: tmp/a.txt was rejected in terminal');
  });

  test('proposals are shown one after the other, in order of arrival', async () => {
    const nvim = await DiffNvim.start(neovim);
    for (const id of ['one', 'two', 'three']) await nvim.show({ ...change, id, path: `/w/${id}.txt` });
    expect(await nvim.states()).toEqual(['one shown', 'two waiting', 'three waiting']);
    expect(await nvim.lua(BARS)).toContain('w/one.txt · Claude Code · 1 of 3');
    await nvim.type('\\aa');
    await nvim.shown('two');
    expect(await nvim.lua(BARS)).toContain('w/two.txt · Claude Code · 2 of 3');
    await nvim.lua(`require('hawser.diff.actions').reject('three')`);
    expect(await nvim.lua(BARS)).toContain('w/two.txt');
    await nvim.type(':q<CR>');
    expect(await nvim.decisions(3)).toEqual([
      ['one', 'accepted', change.new],
      ['three', 'rejected'],
      ['two', 'rejected'],
    ]);
  });

  test('a proposal that is shown already is refused with the reason', async () => {
    const nvim = await DiffNvim.start(neovim);
    await nvim.show(change);
    await nvim.show(change);
    expect(nvim.problems).toEqual(['This proposal is shown or waits already']);
    expect(await nvim.states()).toEqual(['p shown']);
  });

  test.each([
    ['words', ''],
    ['mention', 'Hawser: Claude Code gets the lines of notes, not the words; hawser log has them'],
    ['none', 'Hawser: Claude Code has no way to get notes; hawser log has them'],
  ] as const)('a note that is written says how it reaches the agent: %s', async (noteDelivery, said) => {
    const nvim = await DiffNvim.start(neovim);
    await nvim.show({ ...change, noteDelivery });
    await nvim.lua("require('hawser.diff.actions').note({ text = 'why so loud' })");
    expect((await nvim.messages()).trim()).toBe(said);
  });

  test('keys can be changed and taken away', async () => {
    const setup = "{ idle = 0, grace = 0, keys = { accept = '<leader>y', reject = false } }";
    const nvim = await DiffNvim.start(neovim, { setup });
    await nvim.show(change);
    expect(await nvim.lua(BARS)).toMatch(/\\y\S* accept/);
    expect(await nvim.lua(BARS)).not.toContain('\\ad');
    await nvim.type('\\y');
    expect(await nvim.decisions()).toEqual([accepted]);
  });

  const early: [keys: string, delay: number][] = [
    ['ZZ', 0],
    ['ZZ', 150],
    ['ZZ', 400],
    ['\\aa', 0],
    ['ZQ', 0],
    [':q<CR>', 0],
    [':wq<CR>', 0],
    ['\\ah', 0],
    ['dd', 0],
  ];

  test.each(early)('%s, %i ms after a proposal has appeared, decides and changes nothing', async (keys, delay) => {
    const nvim = await DiffNvim.start(neovim, { setup: '{ idle = 0, grace = 1500 }' });
    await nvim.show(change);
    // Within the time of grace, in which keys were meant for what was there before.
    await nvim.lua('vim.wait(...)', delay);
    await nvim.type(keys);
    expect(await nvim.decisionsSoFar()).toEqual([]);
    await nvim.shown();
    if (keys !== 'dd') expect(await nvim.messages()).toContain('this proposal has just appeared');
    await nvim.until('return vim.bo.modifiable');
    await nvim.type('ZZ');
    expect(await nvim.decisions()).toEqual([accepted]);
  });

  test.each(['split', 'tab', 'inline'] as const)(
    'Neovim ends without a word while a diff is open, %s',
    async (layout) => {
      const nvim = await DiffNvim.start(neovim, { layout });
      await nvim.show(change);
      await nvim.show({ ...change, id: 'waiting' });
      await nvim.type('ddp');
      const exited = nvim.exited();
      nvim.client.notify('nvim_input', [':qa<CR>']);
      expect(await exited).toBe(0);
    },
  );

  test('keys and texts stand in the bars, whatever they hold', async () => {
    const nvim = await DiffNvim.start(neovim, { before: `vim.g.mapleader = ' '` });
    await nvim.show({ ...change, path: '/w/100% %{bad}\n', agent: '%#Error#', base: 'conflict' });
    const bars = await nvim.lua(BARS);
    expect(bars).toContain('100%% %%{bad}');
    expect(bars).toContain('%%#Error#');
    expect(bars).toContain('changed on disk: CONFLICT');
    expect(bars).toMatch(/Space aa\S* accept/);
  });
});

/** Windows, tabs and buffers, the unlisted ones as well. */
const LEFTOVERS = `
  local names = vim.tbl_map(vim.api.nvim_buf_get_name, vim.api.nvim_list_bufs())
  return {
    windows = #vim.api.nvim_list_wins(),
    tabs = #vim.api.nvim_list_tabpages(),
    ours = #vim.tbl_filter(function(name) return name:match('^hawser') end, names),
    augroup = #vim.api.nvim_get_autocmds({ group = vim.api.nvim_create_augroup('hawser_diff_view', { clear = false }) }),
  }`;
