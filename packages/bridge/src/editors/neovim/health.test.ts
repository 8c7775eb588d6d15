import { describe, expect, it } from 'vitest';
import { everyNeovim } from '../../../testing/neovim/neovims.ts';
import { Served } from '../../../testing/neovim/served.ts';

describe.each(everyNeovim)(':checkhealth in Neovim %s', (neovim) => {
  const report = async ({ user }: Served): Promise<string> => {
    await user.command('checkhealth hawser');
    const lines: string[] = await user.lua('return vim.api.nvim_buf_get_lines(0, 0, -1, false)');
    return lines.join('\n');
  };

  it('finds everything well, and names Neovim, Node and the lock file', async () => {
    const served = await Served.start(neovim);
    const text = await report(served);
    expect(text).not.toMatch(/ERROR/);
    expect(text).toMatch(new RegExp(`OK:? Neovim is ${neovim.version.replaceAll('.', '\\.')}`));
    expect(text).toMatch(/OK:? Node is v\d/);
    expect(text).toContain((await served.lock()).port);
    expect(text).toMatch(/OK:? :help \|hawser\| is there/);
  });

  it('says for each agent whether its changes are reviewed, and what to do if not', async () => {
    const served = await Served.start(neovim);
    await served.user.lua(`
      local status = require('hawser').status()
      status.agents, status.reviews = status.clients, {
        { name = 'claude-code', review = { kind = 'yes', sentence = 'changes are reviewed here' } },
        { name = 'codex', isConnected = true, review = { kind = 'no', sentence = 'changes are not reviewed.', todo = 'hawser connect codex --write' } },
        { name = 'qwen-code', review = { kind = 'no', sentence = 'changes are not reviewed.', todo = 'Start it here.' } },
      }
      require('hawser.requests')['bridge/status'](status)`);
    const text = await report(served);
    expect(text).toMatch(/- (INFO: )?qwen-code: changes are not reviewed\. Start it here\./);
    expect(text).toMatch(/OK:? claude-code: changes are reviewed here/);
    expect(text).toMatch(/WARNING:? codex: changes are not reviewed\.\n.*ADVICE:?\n.*hawser connect codex --write/);
  });
});
