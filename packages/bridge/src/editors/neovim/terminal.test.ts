import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, describe, expect, it } from 'vitest';
import { type Agent, connectAgent } from '../../../testing/agent.ts';
import { neovims } from '../../../testing/neovim/neovims.ts';
import { hasEnded } from '../../../testing/neovim/processes.ts';
import { NeovimOnScreen } from '../../../testing/neovim/terminal.ts';

describe.each(neovims)('Neovim %s in a terminal', (neovim) => {
  let nvim: NeovimOnScreen;
  let agent: Agent | undefined;
  let bridge: number | undefined;

  afterEach(async () => {
    agent?.close();
    await nvim.press('Escape');
    await nvim.press(':qa!', 'Enter');
    if (bridge !== undefined) await hasEnded(bridge);
    await nvim.dispose();
    [agent, bridge] = [undefined, undefined];
  });

  const locks = () => {
    try {
      return readdirSync(nvim.lockFolder).filter((name) => name.endsWith('.lock'));
    } catch {
      return [];
    }
  };
  /** As a user has it who has only put the repository on the runtimepath. */
  const start = async (): Promise<Agent> => {
    const setup = `require('hawser').setup { node = '${process.execPath}' }`;
    nvim = await NeovimOnScreen.start(neovim, setup, { name: 'a.txt', text: 'one\n' });
    await expect.poll(locks).toHaveLength(1);
    const [lock = ''] = locks();
    const { authToken, pid } = JSON.parse(readFileSync(join(nvim.lockFolder, lock), 'utf8'));
    bridge = pid;
    agent = await connectAgent(`ws://127.0.0.1:${lock.slice(0, -'.lock'.length)}/`, authToken);
    await agent.initialize();
    return agent;
  };
  const diff = (text: string) => ({
    old_file_path: join(nvim.folder, 'a.txt'),
    new_file_path: join(nvim.folder, 'a.txt'),
    new_file_contents: text,
    tab_name: 'the proposal',
  });

  it('the bridge starts by itself, and a proposal that comes at a prompt is shown after it', async () => {
    const client = await start();
    await nvim.press(':echo "first line\\nsecond line"', 'Enter');
    await nvim.shows('Press ENTER');
    const answer = client.call('openDiff', diff('proposed\n'));
    // Neovim cannot do anything now; what it sent before can be read.
    const [folders = ''] = await client.call('getWorkspaceFolders');
    expect(JSON.parse(folders)).toMatchObject({ rootPath: nvim.folder });
    const [editors = ''] = await client.call('getOpenEditors');
    expect(JSON.parse(editors)).toMatchObject({ tabs: [{ fileName: join(nvim.folder, 'a.txt') }] });
    expect(await nvim.text()).toContain('Press ENTER');
    expect(await nvim.text()).not.toContain('proposed');
    await nvim.press('Enter');
    await nvim.shows('proposed');
    await nvim.press(':HawserAccept', 'Enter');
    expect(await answer).toEqual(['FILE_SAVED', 'proposed\n']);
  });

  it('a proposal waits while the user types, and the text they type is theirs', async () => {
    const client = await start();
    await nvim.press('i');
    await nvim.shows('-- INSERT --');
    const answer = client.call('openDiff', diff('proposed\n'));
    await nvim.press('typed ');
    await nvim.shows('typed one');
    await nvim.press('Escape');
    await nvim.shows('proposed');
    await nvim.press(':HawserReject', 'Enter');
    expect(await answer).toEqual(['DIFF_REJECTED', 'the proposal']);
    await nvim.shows('typed one');
  });
});
