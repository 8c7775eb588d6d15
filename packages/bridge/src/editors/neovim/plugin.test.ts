import { mkdirSync, writeFileSync } from 'node:fs';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import type { Agent } from '../../../testing/agent.ts';
import { type Neovim, neovims } from '../../../testing/neovim/neovims.ts';
import { Served } from '../../../testing/neovim/served.ts';

// Neovim starts the built bridge, as it does for a user, and an agent comes through the lock file.
describe.each(neovims)('Neovim %s serves agents', (neovim) => {
  let served: Served;

  beforeAll(async () => {
    served = await Served.startForAll(neovim, { setup: "{ deny = { '*.secret' } }" });
  });

  afterEach(() => served.reset());

  afterAll(() => served.dispose());

  const open = async (files: Record<string, string> = {}): Promise<Agent> => {
    for (const [name, text] of Object.entries(files)) writeFileSync(served.path(name), text);
    return await served.agent();
  };
  const edit = (name: string) => served.user.command(`edit ${served.path(name)}`);
  const answer = async (agent: Agent, tool: string, args: object = {}) =>
    JSON.parse((await agent.call(tool, args))[0] ?? '');
  const selected = (agent: Agent, text: string) => agent.notification('selection_changed', (at) => at.text === text);

  it('the lock names Neovim and its folder, and the server is the one that agents know', async () => {
    expect(await served.lock()).toMatchObject({ ideName: 'Neovim', workspaceFolders: [served.folder] });
    expect(served.locks()).toHaveLength(1);
    const agent = await served.connect();
    expect(await agent.initialize()).toMatchObject({
      serverInfo: { name: 'Claude Code Neovim MCP', version: '0.1.0' },
    });
    await served.knowsAgents();
    const { tools } = await agent.request('tools/list');
    expect(tools.map(({ name }: { name: string }) => name)).toEqual([
      'openFile',
      'openDiff',
      'getCurrentSelection',
      'getLatestSelection',
      'getOpenEditors',
      'getWorkspaceFolders',
      'checkDocumentDirty',
      'saveDocument',
      'getDiagnostics',
      'close_tab',
      'closeAllDiffTabs',
    ]);
  });

  it('every reading tool answers', async () => {
    const agent = await open({ 'a.ts': 'one\ntwo\n' });
    expect(await agent.call('openFile', { filePath: 'a.ts', startText: 'two' })).toEqual([
      `Opened file: ${served.path('a.ts')}`,
    ]);
    expect(await answer(agent, 'getCurrentSelection')).toEqual({
      success: true,
      text: 'two',
      filePath: served.path('a.ts'),
      fileUrl: `file://${served.path('a.ts')}`,
      selection: { start: { line: 1, character: 0 }, end: { line: 1, character: 3 }, isEmpty: false },
    });
    expect(await answer(agent, 'getOpenEditors')).toMatchObject({
      tabs: [{ uri: `file://${served.path('a.ts')}`, isActive: true, languageId: 'typescript', isDirty: false }],
    });
    expect(await answer(agent, 'getWorkspaceFolders')).toMatchObject({ rootPath: served.folder });
    expect(await answer(agent, 'checkDocumentDirty', { filePath: 'a.ts' })).toMatchObject({ isDirty: false });
    expect(await answer(agent, 'getDiagnostics')).toEqual([]);
    expect(await agent.call('closeAllDiffTabs')).toEqual(['CLOSED_0_DIFF_TABS']);
    expect(await agent.call('close_tab', { tab_name: 'none' })).toEqual(['TAB_CLOSED']);
  });

  it('a document is saved for an agent', async () => {
    const agent = await open({ 'a.txt': 'one\n' });
    await edit('a.txt');
    await served.user.keys('cwtwo<Esc>');
    await served.user.until('vim.bo.modified');
    expect(await answer(agent, 'saveDocument', { filePath: 'a.txt' })).toMatchObject({ success: true, saved: true });
    await served.user.until('not vim.bo.modified');
  });

  it.each([
    ['characters', 'gg0lv3l', 'bcde'],
    ['characters from right to left', 'gg$vhh', 'def'],
    ['upwards', 'Gvgg0', 'abcdef\nü2345\nx'],
    ['lines', 'jV', 'ü2345'],
    ['lines upwards', 'GVk', 'ü2345\nxyz'],
    ['a block', 'gg0l<C-v>jl', 'bc\n23'],
    ['a block from its lower right corner', 'ggj03l<C-v>khh', 'bcd\n234'],
    ['a block to the line ends', 'gg02l<C-v>G$', 'cdef\n345\nz'],
    ['a word, left at once', 'gg0viw<Esc>', 'abcdef'],
    ['a word, copied at once', 'gg0viwy', 'abcdef'],
    ['what is extended in select mode', 'gg0gh<S-Right><Esc>', undefined],
  ] as const)('a selection of %s is sent', async (_what, keys, text) => {
    const agent = await open({ 'a.txt': 'abcdef\nü2345\nxyz\n' });
    await edit('a.txt');
    const sent = agent.notification('selection_changed', (at) =>
      text === undefined ? at.text !== '' : at.text === text,
    );
    await served.user.keys(keys);
    expect(await sent).toMatchObject({ filePath: served.path('a.txt') });
    expect((await answer(agent, 'getLatestSelection')).text).toBe((await sent).text);
  });

  it('the last selection is kept when only the cursor moves on, and the last state is always sent', async () => {
    const agent = await open({ 'a.txt': 'abc def\n' });
    await edit('a.txt');
    const word = selected(agent, 'abc');
    await served.user.keys('gg0viw<Esc>');
    await word;
    const last = agent.notification('selection_changed', ({ selection }) => selection.start.character === 6);
    await served.user.keys('0llllll');
    expect(await last).toMatchObject({ text: '', selection: { isEmpty: true } });
    expect(await answer(agent, 'getLatestSelection')).toMatchObject({ text: 'abc' });
    expect(await answer(agent, 'getCurrentSelection')).toMatchObject({ text: '' });
  });

  it('a selection stays while the user is in a terminal', async () => {
    const agent = await open({ 'a.txt': 'abc def\n' });
    await edit('a.txt');
    await served.user.command('split | terminal');
    await served.user.command('wincmd p');
    const word = selected(agent, 'abc');
    await served.user.keys('gg0viw<C-w>p');
    await word;
    await served.user.until("vim.bo.buftype == 'terminal'");
    // Longer than a selection that was left stands by itself.
    await served.user.lua('vim.wait(100, function() return false end)');
    expect(await answer(agent, 'getCurrentSelection')).toMatchObject({ text: 'abc' });
  });

  it('nothing of a denied file is sent', async () => {
    const agent = await open({ '.env': 'SECRET=1\n', 'a.txt': 'abc\n', 'b.secret': 'SECRET=2\n' });
    const received: string[] = [];
    for (const name of ['.env', 'b.secret']) {
      void agent.notification('selection_changed', ({ text }) => {
        received.push(text);
        return false;
      });
      await edit(name);
      await served.user.typed('gg0viw<Esc>');
      await served.user.command('HawserSend');
    }
    await edit('a.txt');
    const sent = selected(agent, 'abc');
    await served.user.keys('gg0viw<Esc>');
    await sent;
    expect(received.join('')).not.toContain('SECRET');
    await expect.poll(async () => await served.user.notices()).toHaveLength(2);
  });

  it('while paused an agent sees nothing, and everything afterwards', async () => {
    const agent = await open({ 'a.txt': 'abc\n' });
    await edit('a.txt');
    const word = selected(agent, 'abc');
    await served.user.keys('gg0viw');
    await word;
    const cleared = agent.notification('selection_changed', ({ filePath }) => filePath === undefined);
    await served.user.command('HawserPause');
    await cleared;
    expect(await answer(agent, 'getCurrentSelection')).toMatchObject({ success: false });
    expect(await served.user.lua("return require('hawser').statusline()")).toBe('hawser paused');
    const again = selected(agent, 'abc');
    await served.user.command('HawserPause');
    await again;
  });

  it('diagnostics of every severity are sent and read', async () => {
    const agent = await open({ 'a.txt': '😀 wrong\n' });
    await edit('a.txt');
    const sent = agent.notification('diagnostics_changed');
    await served.user.lua(`local list = {}
      for severity = 1, 4 do
        list[severity] = { lnum = 0, col = 5, end_lnum = 0, end_col = 10, severity = severity, message = 'm' .. severity,
          source = 'test', code = severity }
      end
      vim.diagnostic.set(vim.api.nvim_create_namespace('test'), 0, list)`);
    expect(await sent).toEqual({ uris: [`file://${served.path('a.txt')}`] });
    const range = { start: { line: 0, character: 3 }, end: { line: 0, character: 8 } };
    const uri = `file://${served.path('a.txt')}`;
    const severities = ['Error', 'Warning', 'Info', 'Hint'];
    const diagnostics = severities.map((severity, index) => {
      const code = String(index + 1);
      return { message: `m${code}`, severity, range, source: 'test', ...(hasCode(neovim) && { code }) };
    });
    expect(await answer(agent, 'getDiagnostics', { uri })).toMatchObject([{ uri, diagnostics }]);
  });

  it('the lock follows :cd and the repository around it', async () => {
    await open();
    mkdirSync(served.path('repo/.git'), { recursive: true });
    mkdirSync(served.path('repo/sub'));
    await served.user.command(`cd ${served.path('repo/sub')}`);
    await expect
      .poll(async () => (await served.lock()).workspaceFolders)
      .toEqual([served.path('repo/sub'), served.path('repo')]);
  });

  it('read tools answer while Neovim waits for a key, and what it has to do is done afterwards', async () => {
    const agent = await open({ 'a.txt': 'abc\n', 'b.txt': 'def\n' });
    await edit('a.txt');
    const word = selected(agent, 'abc');
    await served.user.keys('gg0viw<Esc>');
    await word;
    await served.user.keys('r');
    await expect.poll(async () => (await served.user.nvim.request('nvim_get_mode')).blocking).toBe(true);
    let isOpen = false;
    const opening = agent.call('openFile', { filePath: 'b.txt' }).then((texts) => {
      isOpen = true;
      return texts;
    });
    expect(await answer(agent, 'getLatestSelection')).toMatchObject({ text: 'abc' });
    expect((await answer(agent, 'getOpenEditors')).tabs).toHaveLength(1);
    expect(isOpen).toBe(false);
    await served.user.keys('X');
    expect(await opening).toEqual([`Opened file: ${served.path('b.txt')}`]);
    expect((await answer(agent, 'getOpenEditors')).tabs).toHaveLength(2);
  });
});

/** Before 0.8 a diagnostic that is set has no code of its own. */
function hasCode({ version }: Neovim): boolean {
  return version !== '0.7.2';
}
