import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { attachNeovim } from '../../../testing/neovim/attach.ts';
import { neovims } from '../../../testing/neovim/neovims.ts';
import { NeovimUser } from '../../../testing/neovim/user.ts';
import { temporaryFolder } from '../../../testing/temporary-folder.ts';
import type { RemoteEditor } from '../remote/remote-editor.ts';

describe.each(neovims)('a request to Neovim %s', (neovim) => {
  let user: NeovimUser;
  let editor: RemoteEditor;
  let ends: number;

  beforeEach(async () => {
    user = await NeovimUser.start(neovim, { folder: temporaryFolder() });
    ends = 0;
    editor = await attachNeovim(user, () => {
      ends += 1;
    });
    await user.lua(`_G.calls = {}
      require('hawser.requests')['test/dismiss'] = function(params) table.insert(_G.calls, params.id) end`);
  });

  afterEach(async () => {
    await editor.close();
    await user.dispose();
  });

  const note = (id: string, options: { readonly signal?: AbortSignal; readonly timeoutMs?: number } = {}) =>
    editor.link.request('test/dismiss', { id }, options);
  const calls = () => user.lua('return _G.calls');
  const waitsForKey = async () => {
    await user.keys('r');
    await expect.poll(async () => (await user.nvim.request('nvim_get_mode')).blocking).toBe(true);
  };

  it('is not sent while Neovim waits for a key; one that has waited too long is never done', async () => {
    await waitsForKey();
    const patient = note('patient', { timeoutMs: 20_000 });
    await expect(note('impatient', { timeoutMs: 100 })).rejects.toThrow(
      'Neovim did not answer test/dismiss in time. It may be busy or wait for its user.',
    );
    await user.keys('x');
    await patient;
    expect(await calls()).toEqual(['patient']);
  });

  it('that was aborted before is never sent', async () => {
    await waitsForKey();
    const leaving = new AbortController();
    const left = note('left', { signal: leaving.signal });
    const next = note('next');
    const reason = new Error('the agent has gone');
    leaving.abort(reason);
    await expect(left).rejects.toBe(reason);
    await user.keys('x');
    await next;
    expect(await calls()).toEqual(['next']);
  });

  it('that comes after its time is refused', async () => {
    await user.lua(`_G.sent = {}
      vim.rpcnotify = function(_, _, message) table.insert(_G.sent, message) end
      require('hawser.rpc').receive({ id = 7, method = 'test/dismiss', params = { id = 'late', deadline = 1 } })`);
    expect(await user.lua('return _G.sent')).toEqual([{ id: 7, error: { code: -32603, message: 'Too late' } }]);
    expect(await user.lua('return #_G.calls')).toBe(0);
  });

  it('that is unknown, or that fails, is refused with a message', async () => {
    await expect(editor.link.request('test/format', undefined)).rejects.toThrow('Unknown request: test/format');
    await user.lua("require('hawser.requests')['test/dismiss'] = function() vim.cmd('write /nowhere/at/all') end");
    await expect(note('fails')).rejects.toThrow(/^E\d+: .*nowhere|^E212/);
  });

  it('ends with Neovim, which is reported once', async () => {
    await waitsForKey();
    const failure = expect(note('x', { signal: new AbortController().signal })).rejects.toThrow('Neovim has gone');
    await user.end();
    await failure;
    await expect(note('y')).rejects.toThrow('Neovim has gone');
    expect(ends).toBe(1);
  });
});
