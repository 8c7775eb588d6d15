import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { StdioClientTransport } from '@modelcontextprotocol/sdk/client/stdio.js';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { connectClient, type McpClient } from '../../testing/mcp-client.ts';
import { type Household, openDiff, PROGRAM, temporaryHousehold } from '../../testing/program.ts';
import { shellLine, type TmuxScreen } from '../../testing/tmux.ts';

const TEXT = 'one\ntwo\nthree\nfour\n';
const SERVER = [process.execPath, PROGRAM, 'editor', '--lsp', '--agents', 'claude-code,mcp'];

let house: Household;
let file: string;
let screen: TmuxScreen;
let mcp: McpClient | undefined;

beforeEach(() => {
  house = temporaryHousehold();
  file = house.file('a.txt', TEXT);
});
afterEach(async () => {
  await mcp?.close();
  mcp = undefined;
});

const open = async (words: readonly string[]) => {
  screen = await house.screen(shellLine(words), { columns: 160, rows: 40 });
};
const mcpAgent = async () => {
  const transport = new StdioClientTransport({
    command: process.execPath,
    args: [PROGRAM, 'mcp'],
    cwd: house.workspace,
    env: house.env as Record<string, string>,
  });
  mcp = await connectClient(transport);
  return mcp;
};

/** Resolves when the bridge has a proposal of this agent. */
const proposed = (agent: string) =>
  expect.poll(async () => (await house.run('review', '--list', '--json')).out).toContain(`"agent": "${agent}"`);

describe('vim.lsp of Neovim with hawser editor --lsp', () => {
  const init = () => `
vim.o.swapfile = false
vim.o.shortmess = vim.o.shortmess .. 'I'
vim.api.nvim_create_autocmd('BufReadPost', { callback = function()
  local id = vim.lsp.start_client({ name = 'hawser', cmd = ${luaList(SERVER)}, root_dir = vim.fn.getcwd() })
  vim.lsp.buf_attach_client(0, id)
end })
vim.keymap.set('n', 'ga', function() vim.lsp.buf.code_action() end)
vim.keymap.set('x', 'ga', ':<C-u>lua vim.lsp.buf.range_code_action()<CR>')
`;

  it('is the bridge: a mention by the keys of a code action, a decision, and an accepted text that can be undone', async () => {
    writeFileSync(join(house.home, 'init.lua'), init());
    await open(['nvim', '-u', join(house.home, 'init.lua'), '-i', 'NONE', 'a.txt']);
    await expect.poll(async () => (await house.run('status')).code).toBe(0);
    const agent = await house.agent(await house.lineOf('claude-code'));
    expect(await agent.callJson('getOpenEditors')).toMatchObject({
      tabs: [{ label: 'a.txt', isActive: true, isDirty: false }],
    });

    const mentioned = agent.notification('at_mentioned');
    await screen.press('j', 'V', 'j', 'g', 'a');
    await screen.shows('1: Hawser: mention a.txt:2-3 to agents');
    await screen.press('1', 'Enter');
    expect(await mentioned).toEqual({ filePath: file, lineStart: 1, lineEnd: 2 });
    expect(await agent.callJson('getCurrentSelection')).toMatchObject({ text: expect.stringMatching(/^two\nthree/) });
    await screen.shows('a.txt:2-3 sent to claude-code');
    await screen.press('Enter');

    const answer = openDiff(agent, file, `${TEXT}five\n`);
    await screen.shows('claude-code wants to change a.txt (+1 -0)');
    await screen.press('Enter', 'g', 'a');
    await screen.shows('3: Hawser: reject, a.txt from claude-code');
    await screen.press('3', 'Enter');
    expect((await answer)[0]).toBe('DIFF_REJECTED');

    const written = (await mcpAgent()).call('propose_edit', { path: 'a.txt', new_text: 'one\nTWO\nthree\nfour\n' });
    await screen.shows('an-agent wants to change a.txt (+1 -1)');
    await screen.press('Enter', 'g', 'a');
    await screen.shows('2: Hawser: accept, a.txt from an-agent');
    await screen.press('2', 'Enter');
    expect((await written).data).toEqual({ files: [{ path: 'a.txt', outcome: 'written' }] });
    expect(readFileSync(file, 'utf8')).toBe('one\nTWO\nthree\nfour\n');
    await screen.shows(/^TWO/m);
    await screen.press('Escape', 'u');
    await screen.shows(/^two/m);
    await screen.press(':qa!', 'Enter');
    await screen.shows('ended 0');
    await expect.poll(async () => (await house.run('status')).code).not.toBe(0);
  });
});

describe('Eglot of Emacs with hawser editor --lsp', () => {
  it('joins the bridge that runs: a mention, a decision, and an accepted text; unsaved text is left alone', async () => {
    const bridge = await house.serve('--agents', 'claude-code,mcp');
    const agent = await house.agent(bridge.line);
    const lisp = `(progn (setq native-comp-deferred-compilation nil warning-minimum-level :emergency) (global-eldoc-mode -1)
      (package-initialize) (require 'eglot)
      (setq eglot-confirm-server-initiated-edits nil inhibit-startup-screen t)
      (add-to-list 'eglot-server-programs '(text-mode . (${SERVER.map((word) => JSON.stringify(word)).join(' ')})))
      (add-hook 'text-mode-hook #'eglot-ensure)
      (global-set-key (kbd "C-c a") #'eglot-code-actions)
      ;; The echo area shows the last message only.
      (run-with-timer 0 nil (lambda () (display-buffer "*Messages*"))))`;
    // Not -Q, which finds no packages of Debian.
    await open(['emacs', '-nw', '-q', '--eval', lisp, 'a.txt']);
    await agent.notification('selection_changed', ({ filePath }) => filePath === file);

    const mentioned = agent.notification('at_mentioned');
    await screen.press('C-n', 'C-Space', 'C-n', 'C-n', 'C-c', 'a');
    await screen.shows('Pick an action');
    await screen.press(...'Hawser: mention', 'Tab', 'Enter');
    expect(await mentioned).toEqual({ filePath: file, lineStart: 1, lineEnd: 2 });

    const answer = openDiff(agent, file, `${TEXT}five\n`);
    // jsonrpc.el 1.0.14 leaves what comes right behind a response until it has asked again, so messages may come late.
    await proposed('claude-code');
    await screen.press('C-c', 'a');
    await screen.shows('Pick an action');
    await screen.press(...'Hawser: reject', 'Tab', 'Enter');
    expect((await answer)[0]).toBe('DIFF_REJECTED');

    const written = (await mcpAgent()).call('propose_edit', { path: 'a.txt', new_text: 'one\nTWO\nthree\nfour\n' });
    await proposed('an-agent');
    await screen.press('C-c', 'a');
    await screen.shows('Pick an action');
    await screen.press(...'Hawser: accept', 'Tab', 'Enter');
    expect((await written).data).toEqual({ files: [{ path: 'a.txt', outcome: 'written' }] });
    expect(readFileSync(file, 'utf8')).toBe('one\nTWO\nthree\nfour\n');
    await screen.shows((text) => /^TWO/m.test(text) && text.includes('an-agent wants to change'));

    await screen.press('M-<', ...'typed ');
    await expect.poll(async () => JSON.stringify(await agent.callJson('getOpenEditors'))).toContain('"isDirty":true');
    const refused = await mcp?.call('propose_edit', { path: 'a.txt', new_text: 'other\n' });
    expect(refused).toMatchObject({ isError: true, text: expect.stringContaining('unsaved') });
    await screen.shows('typed one');
    expect(bridge.child.exitCode).toBeNull();
  });
});

const luaList = (words: readonly string[]) => `{ ${words.map((word) => JSON.stringify(word)).join(', ')} }`;
