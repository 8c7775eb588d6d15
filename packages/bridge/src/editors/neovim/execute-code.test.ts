import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { beforeEach, describe, expect, it } from 'vitest';
import type { Agent } from '../../../testing/agent.ts';
import { writeCodeServer } from '../../../testing/code-server.ts';
import { neovims } from '../../../testing/neovim/neovims.ts';
import { hasEnded, isRunning } from '../../../testing/neovim/processes.ts';
import { Served } from '../../../testing/neovim/served.ts';
import { temporaryFolder } from '../../../testing/temporary-folder.ts';
import { shellLine } from '../../../testing/tmux.ts';

describe.each(neovims)('execute_code of Neovim %s', (neovim) => {
  let words: readonly string[];

  beforeEach(() => {
    const folder = join(temporaryFolder(), `it's "$HOME"`);
    mkdirSync(folder);
    words = writeCodeServer(folder);
  });

  const start = async (setup: string): Promise<{ nvim: Served; agent: Agent; tools: string[] }> => {
    const nvim = await Served.start(neovim, { setup });
    const agent = await nvim.agent();
    const { tools } = await agent.request('tools/list');
    return { nvim, agent, tools: tools.map(({ name }: { name: string }) => name) };
  };
  const asText = () => `{ execute_code = ${JSON.stringify(shellLine(words))} }`;
  const asList = () => `{ execute_code = { ${words.map((word) => JSON.stringify(word)).join(', ')} } }`;

  it('is off unless the user sets it', async () => {
    const { tools } = await start('{}');
    expect(tools).toContain('openFile');
    expect(tools).not.toContain('executeCode');
  });

  it.each([
    ['a text for the shell', asText],
    ['a list of words as they are', asList],
  ])('as %s lets agents run code, in the folder of the project', async (_form, setup) => {
    const { nvim, agent, tools } = await start(setup());
    expect(tools).toContain('executeCode');
    expect(await agent.call('executeCode', { code: 'a' })).toEqual(['nothing -> a']);
    expect(await agent.call('executeCode', { code: 'b' })).toEqual(['a -> b']);
    expect(await agent.call('executeCode', { code: 'folder' })).toEqual([nvim.folder]);
    expect(await agent.callRaw('executeCode', { code: 'fail' })).toEqual({
      isError: true,
      texts: ['DIVISION-BY-ZERO'],
    });
  });

  it('runs nothing while paused', async () => {
    const { nvim, agent } = await start(asList());
    await nvim.user.command('HawserPause');
    await expect.poll(async () => (await agent.callRaw('executeCode', { code: 'a' })).isError).toBe(true);
    await nvim.user.command('HawserPause');
    await expect
      .poll(async () => await agent.callRaw('executeCode', { code: 'folder' }))
      .toMatchObject({
        texts: [nvim.folder],
      });
  });

  it('ends what runs the code when the bridge is stopped', async () => {
    const { nvim, agent } = await start(asList());
    const [pid] = await agent.call('executeCode', { code: 'pid' });
    await nvim.user.command('HawserStop');
    await nvim.user.until("require('hawser').status().phase == 'stopped'");
    expect(isRunning(Number(pid))).toBe(false);
  });

  it('ends what runs the code before the bridge itself ends, when Neovim is killed', async () => {
    const { nvim, agent } = await start(asList());
    const { pid: bridge } = await nvim.lock();
    const [pid] = await agent.call('executeCode', { code: 'linger' });
    await nvim.user.end();
    await hasEnded(bridge);
    expect(isRunning(Number(pid))).toBe(false);
  });

  it('must be a command', async () => {
    const nvim = await Served.begin(neovim);
    await nvim.user.lua(
      `for _, given in ipairs { 7, true, '', {}, { 'a', 1 } } do require('hawser').setup { execute_code = given } end`,
    );
    expect(await nvim.user.notices()).toEqual([
      'Hawser: execute_code: 7 is not a text or a list of strings',
      'Hawser: execute_code: true is not a text or a list of strings',
      'Hawser: execute_code: "" is not a text',
      'Hawser: execute_code: {} is not a text or a list of strings',
      'Hawser: execute_code: { "a", 1 } is not a text or a list of strings',
    ]);
  });
});
