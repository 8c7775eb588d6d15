import { execFileSync } from 'node:child_process';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it, vi } from 'vitest';
import { everyNeovim } from '../../../testing/neovim/neovims.ts';
import { Served } from '../../../testing/neovim/served.ts';

const MIDDLE = 'two\nthree\nfour\nfive\nsix\nseven\n';

describe.each(everyNeovim)('changes without asking, in Neovim %s', (neovim) => {
  /** With an agent that has said something, and a file that git knows. */
  async function start(setup = '{}') {
    const served = await Served.start(neovim, { setup });
    const file = join(served.folder, 'a.txt');
    writeFileSync(file, `0\n${MIDDLE}0\n`);
    execFileSync('git', ['init', '--quiet'], { cwd: served.folder });
    execFileSync('git', ['add', '.'], { cwd: served.folder });
    const agent = await served.agent();
    await agent.settled();
    return { file, served };
  }

  const waiting = (served: Served) => served.user.lua("return require('hawser').status().diffs") as Promise<number>;

  it('are not shown when the option noticing is off', async () => {
    const { served } = await start('{ noticing = false }');
    expect(await served.user.lua("return require('hawser.program').command()")).toEqual(
      expect.arrayContaining(['--noticing', 'off']),
    );
  });

  it('are shown as a diff, and one hunk of it is taken back', async () => {
    const { file, served } = await start();
    // What is written before files are watched is what later changes are compared with.
    let count = 0;
    await vi.waitFor(
      async () => {
        count += 1;
        writeFileSync(file, `${count}\n${MIDDLE}${count}\n`);
        await expect.poll(() => waiting(served), { timeout: 2000 }).toBe(1);
      },
      { timeout: 60_000 },
    );
    const bar = `return vim.wo[vim.fn.exists('+winbar') == 1 and 'winbar' or 'statusline']`;
    await expect.poll(() => served.user.lua(bar)).toContain('changed without asking');
    await served.user.command('1 | Hawser reject-hunk');
    await served.user.command('Hawser accept');
    await expect.poll(() => readFileSync(file, 'utf8')).toBe(`${count - 1}\n${MIDDLE}${count}\n`);
  });
});
