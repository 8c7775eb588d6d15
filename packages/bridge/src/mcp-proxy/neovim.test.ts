import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { StdioClientTransport } from '@modelcontextprotocol/sdk/client/stdio.js';
import { expect, it, onTestFinished } from 'vitest';
import { connectClient } from '../../testing/mcp-client.ts';
import { neovims } from '../../testing/neovim/neovims.ts';
import { Served } from '../../testing/neovim/served.ts';
import { PROGRAM } from '../../testing/program.ts';

it.each(neovims)('hawser mcp proposes edits in Neovim %s, before and after its bridge restarts', async (neovim) => {
  const served = await Served.start(neovim);
  const { user, folder } = served;
  const path = join(folder, 'a.txt');
  writeFileSync(path, 'one\n');
  const transport = new StdioClientTransport({
    command: process.execPath,
    args: [PROGRAM, 'mcp'],
    cwd: folder,
    env: { PATH: process.env.PATH ?? '', HOME: user.home, XDG_STATE_HOME: join(user.home, 'state') },
    stderr: 'pipe',
  });
  let errors = '';
  transport.stderr?.on('data', (data) => {
    errors += data;
  });
  const client = await connectClient(transport);
  onTestFinished(() => client.close());
  const edit = async (newText: string) => {
    const answer = client.call('propose_edit', { path: 'a.txt', new_text: newText });
    const first = "require('hawser.diff').pending()[1]";
    await user.until(`${first} and ${first}.state == 'shown'`);
    await user.command('HawserAccept');
    expect((await answer).data.files).toEqual([{ path: 'a.txt', outcome: 'written' }]);
    expect(readFileSync(path, 'utf8')).toBe(newText);
  };
  await edit('two\n');
  const before = await user.lua("return require('hawser').status().pid");
  await user.command('HawserRestart');
  await served.hasRestarted(before);
  await edit('three\n');
  expect(errors).toBe('');
});
