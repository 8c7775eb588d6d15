import { execFile } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { describe, expect, it } from 'vitest';
import { neovims } from '../../testing/neovim/neovims.ts';
import { hasEnded } from '../../testing/neovim/processes.ts';
import { Served } from '../../testing/neovim/served.ts';
import { PROGRAM } from '../../testing/program.ts';
import type { ProposalSummary } from '../control/calls.ts';

// The commands of another terminal, with the bridge that Neovim has started.
describe.each(neovims)('with Neovim %s', (neovim) => {
  const start = async (setup = '{ diff = { idle = 0 } }') => {
    const served = await Served.start(neovim, { setup });
    const run = async (...args: string[]): Promise<string> => {
      const { home } = served.user;
      const env = { PATH: process.env.PATH, HOME: home, XDG_STATE_HOME: join(home, 'state') };
      return (await promisify(execFile)(process.execPath, [PROGRAM, ...args], { cwd: served.folder, env })).stdout;
    };
    const list = async (): Promise<ProposalSummary[]> => JSON.parse(await run('review', '--list', '--json'));
    return { served, run, list };
  };
  const diff = (path: string) => ({ old_file_path: path, new_file_path: path, new_file_contents: 'new\n' });

  it('hawser review decides a proposal that Neovim shows, and its view goes', async () => {
    const { served, run, list } = await start();
    writeFileSync(served.path('a.txt'), 'one\n');
    const agent = await served.agent();
    const answer = agent.call('openDiff', diff(served.path('a.txt')));
    await served.user.until("#require('hawser.diff').pending() == 1");
    const [proposal] = await list();
    expect(proposal).toMatchObject({ path: served.path('a.txt'), agent: 'claude-code' });
    expect(await run('review', '--accept', proposal?.id ?? '')).toBe('hawser: accepted\n');
    expect(await answer).toEqual(['FILE_SAVED', 'new\n']);
    await served.user.until("#require('hawser.diff').pending() == 0");
  });

  it('hawser status, pause, resume, mention and stop reach it', async () => {
    const { served, run } = await start();
    writeFileSync(served.path('a.txt'), 'one\n');
    const agent = await served.agent();
    const { pid } = await served.lock();
    const status = await run('status');
    const version = (await run('--version')).trim();
    expect(status).toContain(`hawser ${version}, process ${pid}, editor Neovim\n`);
    expect(status).toContain('client     claude-code 2.1.325 (ready)');
    expect(status).toContain('reviewed by Neovim');
    const mentioned = agent.notification('at_mentioned');
    await run('mention', 'a.txt:1');
    expect(await mentioned).toEqual({ filePath: served.path('a.txt'), lineStart: 0, lineEnd: 0 });
    await run('pause');
    await served.user.until("require('hawser').status().paused");
    expect((await agent.callRaw('openDiff', diff(served.path('a.txt')))).isError).toBe(true);
    await run('resume');
    await served.user.until("not require('hawser').status().paused");
    expect(await run('stop')).toBe(`hawser: stopped (process ${pid})\n`);
    await hasEnded(pid);
    await served.user.until("require('hawser').status().phase ~= 'running'");
  });

  it('agents that Neovim starts get the environment of their own adapter, though jetbrains is named first', async () => {
    const { served } = await start("{ agents = { 'jetbrains', 'claude-code' } }");
    const { port, lock } = await served.user.lua("return require('hawser').status()");
    expect(lock).toBe(`${served.lockFolder}/${port}.lock`);
  });
});
