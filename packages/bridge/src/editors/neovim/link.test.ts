import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { neovims } from '../../../testing/neovim/neovims.ts';
import { NeovimUser } from '../../../testing/neovim/user.ts';
import { NeovimLink } from './link.ts';

describe.each(neovims.map((neovim) => [neovim.version, neovim] as const))('a request to Neovim %s', (_, neovim) => {
  let folder: string;
  let user: NeovimUser;
  let link: NeovimLink;
  let ends: number;

  beforeEach(async () => {
    folder = mkdtempSync(join(tmpdir(), 'hawser-link-'));
    user = await NeovimUser.start(neovim, { folder });
    const { stdin, stdout } = user.process;
    if (stdin === null || stdout === null) throw new Error('Neovim has no pipes');
    ends = 0;
    link = new NeovimLink({
      reader: stdout,
      writer: stdin,
      onEvent: () => undefined,
      onProblem: () => undefined,
      onEnd: () => {
        ends += 1;
      },
    });
    await link.channel();
    await user.lua(`_G.calls = {}
      require('hawser.requests').note = function(what) table.insert(_G.calls, what) return what end`);
  });

  afterEach(async () => {
    link.close();
    await user.dispose();
    rmSync(folder, { recursive: true, force: true, maxRetries: 5 });
  });

  const waitsForKey = () =>
    expect.poll(async () => (await user.nvim.request('nvim_get_mode')).blocking, { timeout: 10_000 }).toBe(true);

  it('is not sent while Neovim waits for a key; one that has waited too long is never done', async () => {
    await user.keys('r');
    await waitsForKey();
    const patient = link.call('note', ['patient'], { timeoutMs: 20_000 });
    await expect(link.call('note', ['impatient'], { timeoutMs: 100 })).rejects.toThrow(
      /waits for an answer to a prompt/,
    );
    await user.keys('x');
    expect(await patient).toBe('patient');
    expect(await user.lua('return _G.calls')).toEqual(['patient']);
  });

  it('that was aborted before is never sent', async () => {
    await user.keys('r');
    await waitsForKey();
    const leaving = new AbortController();
    const left = link.call('note', ['left'], { signal: leaving.signal });
    const next = link.call('note', ['next']);
    const reason = new Error('the agent has gone');
    leaving.abort(reason);
    await expect(left).rejects.toBe(reason);
    await user.keys('x');
    await next;
    expect(await user.lua('return _G.calls')).toEqual(['next']);
  });

  it('that comes after its time is refused', async () => {
    const answer = await user.lua("return require('hawser.requests').call('note', 1, 'late')");
    expect(answer).toEqual({ problem: 'Too late' });
    expect(await user.lua('return #_G.calls')).toBe(0);
  });

  it('that is unknown, or that fails, is refused with a message', async () => {
    await expect(link.call('no_such', [])).rejects.toThrow('Unknown request: no_such');
    await expect(link.call('call', [])).rejects.toThrow('Unknown request: call');
    await user.lua("require('hawser.requests').fails = function() vim.cmd('write /nowhere/at/all') end");
    await expect(link.call('fails', [])).rejects.toThrow(/^E\d+: .*nowhere|^E212/);
  });

  it('ends with Neovim, which is reported once', async () => {
    await user.keys('r');
    await waitsForKey();
    const waiting = link.call('note', ['x'], { signal: new AbortController().signal });
    const failure = expect(waiting).rejects.toThrow('Neovim has gone');
    await user.end();
    await failure;
    await expect(link.call('note', ['y'])).rejects.toThrow('Neovim has gone');
    expect([link.hasEnded, ends]).toEqual([true, 1]);
  });
});
