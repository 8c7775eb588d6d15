import { chmodSync, existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import type { Agent } from '../../../testing/agent.ts';
import { logInStatus } from '../../../testing/log-in.ts';
import { neovims } from '../../../testing/neovim/neovims.ts';
import { Served } from '../../../testing/neovim/served.ts';

describe.each(neovims)('in Neovim %s', (neovim) => {
  let served: Served;

  beforeAll(async () => {
    served = await Served.startForAll(neovim, {
      before: `vim.g.netrw_banner = 0
        vim.o.foldmethod = 'manual'
        vim.opt.shortmess:append('A')`,
      setup: '{ diff = { idle = 0 } }',
    });
  });

  afterEach(() => served.reset());

  afterAll(() => served.dispose());

  const edit = async (name: string, text: string) => {
    writeFileSync(served.path(name), text);
    await served.user.command(`edit ${served.path(name)}`);
  };
  const lines = (): Promise<string[]> => served.user.lua('return vim.api.nvim_buf_get_lines(0, 0, -1, false)');
  const mentioned = (agent: Agent) => agent.notification('at_mentioned');

  describe(':HawserSend', () => {
    it('points agents to the file, to lines of it, and to what was selected', async () => {
      const agent = await served.agent();
      await edit('a.txt', 'one\ntwo\nthree\n');
      const filePath = served.path('a.txt');
      let sent = mentioned(agent);
      await served.user.command('HawserSend');
      expect(await sent).toEqual({ filePath });
      sent = mentioned(agent);
      await served.user.command('2,3HawserSend');
      expect(await sent).toEqual({ filePath, lineStart: 1, lineEnd: 2 });
      sent = mentioned(agent);
      await served.user.keys('ggVj:HawserSend<CR>');
      expect(await sent).toEqual({ filePath, lineStart: 0, lineEnd: 1 });
      sent = mentioned(agent);
      await served.user.command(`enew | HawserSend ${filePath}`);
      expect(await sent).toEqual({ filePath });
    });

    it('points agents to what a file tree shows', async () => {
      const agent = await served.agent();
      mkdirSync(served.path('tree'), { recursive: true });
      writeFileSync(served.path('tree/first file.txt'), '');
      await served.user.lua(
        `vim.cmd('runtime plugin/netrwPlugin.vim')
         vim.cmd('edit ' .. ...)`,
        served.path('tree'),
      );
      await served.user.until("vim.bo.filetype == 'netrw' and vim.fn.search('first file') > 0");
      const sent = mentioned(agent);
      await served.user.command('HawserSend');
      expect(await sent).toEqual({ filePath: served.path('tree/first file.txt') });
    });

    it.each([
      [
        'oil',
        `package.loaded.oil = {
           get_current_dir = function() return folder .. '/' end,
           get_entry_on_line = function(_, line) return { name = ({ 'a.txt', 'b.txt' })[line] } end }`,
      ],
      [
        'NvimTree',
        `package.loaded['nvim-tree.api'] = { tree = { get_node_under_cursor = function()
           return { absolute_path = folder .. '/' .. ({ 'a.txt', 'b.txt' })[vim.fn.line('.')] } end } }`,
      ],
      [
        'neo-tree',
        `package.loaded['neo-tree.sources.manager'] = { get_state = function() return { tree = {
           get_node = function(_, line) return { path = folder .. '/' .. ({ 'a.txt', 'b.txt' })[line] } end } } end }`,
      ],
    ])('asks %s for its entries in the way that its interface says', async (filetype, answers) => {
      const agent = await served.agent();
      for (const name of ['a.txt', 'b.txt']) writeFileSync(served.path(name), '');
      await served.user.lua(
        `local folder, filetype = ...
         ${answers}
         vim.cmd('enew')
         vim.api.nvim_buf_set_lines(0, 0, -1, false, { 'first', 'second' })
         vim.bo.buftype, vim.bo.filetype = 'nofile', filetype`,
        served.folder,
        filetype,
      );
      const received: string[] = [];
      const both = agent.notification('at_mentioned', ({ filePath }) => received.push(filePath) === 2);
      await served.user.command('1,2HawserSend');
      await both;
      expect(received).toEqual([served.path('a.txt'), served.path('b.txt')]);
    });

    it.each(['`touch made`.txt', '[id].txt', '$HOME.txt', 'a{b,c}.txt'])('takes the name %s as it is', async (name) => {
      const agent = await served.agent();
      // What the name would stand for as a pattern.
      for (const file of [name, 'i.txt', 'ab.txt']) writeFileSync(served.path(file), '');
      const sent = mentioned(agent);
      await served.user.lua("vim.cmd('cd ' .. vim.fn.fnameescape((...)))", served.folder);
      await served.user.lua("require('hawser').send(...)", served.path(name));
      expect(await sent).toEqual({ filePath: served.path(name) });
      const sentAgain = mentioned(agent);
      await served.user.lua("vim.cmd('HawserSend ' .. vim.fn.fnameescape((...)))", name);
      expect(await sentAgain).toEqual({ filePath: served.path(name) });
      expect(existsSync(served.path('made'))).toBe(false);
    });

    it('says why nothing is sent', async () => {
      await served.user.command('enew | HawserSend');
      await served.user.command('HawserSend /nowhere.txt');
      await edit('a.txt', 'one\n');
      await served.user.command('HawserSend');
      await expect
        .poll(() => served.user.notices())
        .toEqual([
          'Hawser: there is no file here to send',
          'Hawser: /nowhere.txt does not exist',
          'Hawser: a.txt waits for an agent; :Hawser agent starts one',
        ]);
      const agent = await served.agent();
      await expect.poll(() => served.user.notices()).toContain('Hawser: a.txt sent to claude-code');
      agent.close();
    });

    it('waits for an agent, is then sent, and confirms', async () => {
      await edit('a.txt', 'one\ntwo\nthree\n');
      await served.user.command('2,3HawserSend');
      await served.user.command('HawserSend');
      expect(await served.user.notices()).toEqual([
        'Hawser: a.txt:2-3 waits for an agent; :Hawser agent starts one',
        'Hawser: a.txt waits for an agent; :Hawser agent starts one',
      ]);
      const agent = await served.connect();
      const first = agent.notification('at_mentioned', ({ lineStart }) => lineStart === 1);
      const second = agent.notification('at_mentioned', ({ lineStart }) => lineStart === undefined);
      await agent.initialize();
      expect(await first).toMatchObject({ filePath: served.path('a.txt'), lineStart: 1, lineEnd: 2 });
      await second;
      await expect
        .poll(() => served.user.notices())
        .toEqual(
          expect.arrayContaining(['Hawser: a.txt:2-3 sent to claude-code', 'Hawser: a.txt sent to claude-code']),
        );
    });
  });

  it(':HawserAgent runs an agent that finds this Neovim', async () => {
    const program = served.path('claude');
    const report = served.path('report.json');
    writeFileSync(
      program,
      `#!${process.execPath}
require('node:fs').writeFileSync(${JSON.stringify(report)} + '~', JSON.stringify({ args: process.argv.slice(2), env: process.env }));
require('node:fs').renameSync(${JSON.stringify(report)} + '~', ${JSON.stringify(report)});
setInterval(() => {}, 1000);
`,
    );
    chmodSync(program, 0o755);
    const { port } = await served.lock();
    await served.user.command(`HawserAgent ${program} --resume`);
    await served.user.until('vim.fn.filereadable(...) == 1', report);
    const { args, env } = JSON.parse(readFileSync(report, 'utf8'));
    expect(args).toEqual(['--ide', '--permission-mode=default', '--resume']);
    expect(env).toMatchObject({ CLAUDE_CODE_SSE_PORT: String(port), NVIM: expect.any(String) });
    expect(env.NO_PROXY).toMatch(/(^|,)127\.0\.0\.1(,|$)/);
    expect(await served.user.lua('return vim.bo.buftype')).toBe('terminal');
    await served.user.command('HawserAgent! no-such-agent');
    expect(await served.user.notices()).toEqual(['Hawser: there is no command no-such-agent']);
  });

  it(':HawserAgent shows, enters and hides one terminal, which stays listed, without line numbers', async () => {
    const agentOf = `require('hawser').setup(vim.tbl_deep_extend('force', require('hawser.options').current(),
      { agent = { command = 'sh', args = { '-c', 'cat; exit 0', 'sh' }, env = { EXTRA = 'yes' }, position = 'bottom' } }))`;
    await served.user.lua(`vim.o.number = true ${agentOf}`);
    const state = (): Promise<unknown> =>
      served.user.lua(`return { #vim.api.nvim_list_wins(), vim.bo.buftype, vim.wo.number }`);
    const terminals = `#vim.tbl_filter(function(buf) return vim.bo[buf].buftype == 'terminal' and vim.bo[buf].buflisted end,
      vim.api.nvim_list_bufs())`;
    await served.user.command('HawserAgent --flag');
    expect(await state()).toEqual([2, 'terminal', false]);
    expect(await served.user.lua('return vim.api.nvim_buf_get_name(0)')).toMatch(/^term:.*sh/);
    await served.user.command('HawserAgent');
    expect(await state()).toEqual([1, '', true]);
    expect(await served.user.lua(`return ${terminals}`)).toBe(1);
    await served.user.command('HawserAgent');
    expect(await state()).toEqual([2, 'terminal', false]);
    await served.user.command('wincmd p | HawserAgent');
    expect(await state()).toEqual([2, 'terminal', false]);
    await served.user.command('HawserAgent --resume');
    expect(await served.user.notices()).toEqual(['Hawser: an agent runs already; :Hawser! agent starts another']);
    expect(await served.user.lua(`return ${terminals}`)).toBe(1);
    await served.user.command('HawserAgent!');
    expect(await served.user.lua(`return ${terminals}`)).toBe(2);
  });

  it(':Hawser agent shows what the bridge says about an agent, beside its terminal', async () => {
    await served.user.lua(`
      local status = require('hawser').status()
      status.agents, status.reviews = status.clients, status.agents
      _G.before = vim.deepcopy(status)
      status.launches = { sh = { args = { '-e' }, environment = {}, asking = { flag = '-e', unless = {} },
        notice = 'sh asks before each change' }, ['no-agent'] = { args = {}, environment = {}, install = 'npm i no-agent' } }
      require('hawser.requests')['bridge/status'](status)
      require('hawser').setup { auto_start = false, agent = { command = 'sh', args = { '-c', 'exec cat' } } }`);
    await served.user.command('Hawser! agent');
    const floats = `vim.tbl_filter(function(window) return vim.api.nvim_win_get_config(window).relative ~= '' end,
      vim.api.nvim_list_wins())`;
    const [note] = await served.user.lua(
      `return vim.api.nvim_buf_get_lines(vim.api.nvim_win_get_buf(${floats}[1]), 0, -1, false)`,
    );
    expect(note).toBe(' sh asks before each change ');
    expect(await served.user.lua('return vim.api.nvim_buf_get_name(0)')).toMatch(/^term:.*sh$/);
    await served.user.command('Hawser! agent -e');
    expect(await served.user.lua(`return #${floats}`)).toBe(1);
    await served.user.command('Hawser! agent no-agent');
    expect(await served.user.notices()).toEqual(['Hawser: no no-agent here: npm i no-agent']);
    await served.user.lua("require('hawser.requests')['bridge/status'](_G.before)");
  });

  it('an agent can be run elsewhere, by a function or by another command', async () => {
    const use = (provider: string) =>
      served.user.lua(`require('hawser').setup { auto_start = false, agent = { provider = ${provider}, cwd = '/' } }`);
    await use(
      'function(command, settings) _G.given = { command, settings.cwd, settings.env.CLAUDE_CODE_SSE_PORT } end',
    );
    await served.user.command('HawserAgent! --resume');
    const { port } = await served.lock();
    expect(await served.user.lua('return _G.given')).toEqual([
      ['claude', '--ide', '--permission-mode=default', '--resume'],
      '/',
      String(port),
    ]);
    const report = served.path('elsewhere');
    await use(`{ 'sh', '-c', 'echo "$@" > ${report}', 'sh' }`);
    await served.user.command('HawserAgent!');
    await served.user.until('vim.fn.filereadable(...) == 1 and vim.fn.getfsize(...) > 0', report);
    expect(readFileSync(report, 'utf8')).toBe('claude --ide --permission-mode=default\n');
  });

  it('any agent gets the environment of all adapters, and opencode no port', async () => {
    const use = `require('hawser').setup { auto_start = false, agent = {
      provider = function(command, settings) _G.given = { command, settings.env } end } }`;
    await served.user.lua(use);
    const { port } = await served.lock();
    await served.user.command('HawserAgent! gemini --yolo');
    expect(await served.user.lua('return _G.given')).toEqual([
      ['gemini', '--yolo'],
      expect.objectContaining({
        CLAUDE_CODE_SSE_PORT: String(port),
        GEMINI_CLI_IDE_SERVER_PORT: expect.stringMatching(/^\d+$/),
        GEMINI_CLI_IDE_AUTH_TOKEN: expect.any(String),
      }),
    ]);
    await served.user.command('HawserAgent! opencode');
    // With a port it would ignore the lock file, and with that the token.
    expect((await served.user.lua('return _G.given'))[1].CLAUDE_CODE_SSE_PORT).toBe('');
  });

  it('the preset has the commands and keys of claudecode.nvim, and leaves mapped keys alone', async () => {
    await served.user.lua(`vim.keymap.set('n', '<leader>ac', 'mine')
      require('hawser').setup { auto_start = false, preset = 'claudecode' }`);
    const commands: string[] = await served.user.lua('return vim.tbl_keys(vim.api.nvim_get_commands({}))');
    const names = ['', 'Focus', 'Open', 'Close', 'Send', 'Add', 'TreeAdd', 'DiffAccept', 'DiffDeny', 'Status'];
    expect(commands).toEqual(expect.arrayContaining(names.map((name) => `ClaudeCode${name}`)));
    expect(await served.user.lua("return { vim.fn.maparg('\\\\ac', 'n'), vim.fn.maparg('\\\\ar', 'n') }")).toEqual([
      'mine',
      '<Cmd>ClaudeCode --resume<CR>',
    ]);
    await edit('a.txt', 'one\ntwo\n');
    const agent = await served.agent();
    const mentioned = agent.notification('at_mentioned', ({ lineStart }) => lineStart === 0);
    await served.user.command(`ClaudeCodeAdd ${served.path('a.txt')} 1 2`);
    expect(await mentioned).toMatchObject({ filePath: served.path('a.txt'), lineStart: 0, lineEnd: 1 });
  });

  it(':Hawser says how things are, and :HawserLog shows the log', async () => {
    await served.agent();
    const said: string = await served.user.lua("return vim.api.nvim_exec('Hawser', true)");
    expect(said).toContain('Hawser: running');
    expect(said).toContain('agent: claude-code 2.1.325, ready');
    expect(await served.user.lua("return require('hawser').statusline()")).toBe('hawser 1');
    // One that has not said who it is does not count.
    await served.connect();
    await served.knowsAgents();
    expect(await served.user.lua("return require('hawser').statusline()")).toBe('hawser 1');
    await served.user.command('HawserLog');
    expect((await lines()).join('\n')).toContain('info client');
  });

  it(':Hawser web makes a link to the review in the browser', async () => {
    await served.user.command('Hawser web');
    await served.user.until("vim.api.nvim_exec('messages', true):find('open this link, once')");
    const messages: string = await served.user.lua("return vim.api.nvim_exec('messages', true)");
    const [link = ''] = /http:\S+/.exec(messages) ?? [];
    expect(await logInStatus(link)).toBe(200);
  });

  describe('a file that an agent writes', () => {
    const accepted = async (name: string, text: string) => {
      const agent = await served.agent();
      const answer = agent.call('openDiff', {
        old_file_path: served.path(name),
        new_file_path: served.path(name),
        new_file_contents: text,
        tab_name: name,
      });
      await served.user.until("(require('hawser.diff').pending()[1] or {}).state == 'shown'");
      await served.user.command('HawserAccept');
      expect(await answer).toEqual(['FILE_SAVED', text]);
      await served.user.until("#require('hawser.diff').pending() == 0");
      writeFileSync(served.path(name), text);
    };

    it('is reloaded with cursor, folds and undo as they were', async () => {
      const old = Array.from({ length: 40 }, (_each, index) => `line ${index + 1}`);
      await edit('a.txt', `${old.join('\n')}\n`);
      await served.user.command('20,30fold | normal! 25Gzo');
      await served.user.command('20foldclose | call cursor(35, 3)');
      const text = ['new first', 'new second', ...old].join('\n');
      await accepted('a.txt', `${text}\n`);
      await served.user.until('vim.fn.line("$") == 42');
      await served.user.until('not vim.bo.modified');
      expect(await served.user.lua('return vim.api.nvim_win_get_cursor(0)')).toEqual([37, 2]);
      expect(await served.user.lua('return { vim.fn.foldclosed(25), vim.fn.foldclosedend(25) }')).toEqual([22, 32]);
      await served.user.typed('u');
      expect(await lines()).toEqual(old);
      expect(await served.user.notices()).toEqual([]);
    });

    it('is not reloaded over unsaved text, and the user gets a message', async () => {
      await edit('b.txt', 'one\n');
      await served.user.typed('Omine<Esc>');
      await accepted('b.txt', 'two\n');
      await expect
        .poll(() => served.user.notices())
        .toContainEqual('Hawser: b.txt changed on disk; your text was kept, :e! reloads');
      expect(await lines()).toEqual(['mine', 'one']);
      await served.user.command('set nomodified');
    });

    it('keeps its CRLF and its missing final line end in the buffer', async () => {
      await edit('c.txt', 'one\r\ntwo');
      writeFileSync(served.path('c.txt'), 'one\r\nthree');
      await served.user.until("vim.fn.getline('$') == 'three'");
      expect(await served.user.lua('return { vim.bo.fileformat, vim.bo.endofline, vim.bo.modified }')).toEqual([
        'dos',
        false,
        false,
      ]);
    });
  });
});
