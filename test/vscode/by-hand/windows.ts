import { expect, it } from 'vitest';
import { repository } from '../../../packages/bridge/testing/neovim/neovims.ts';
import { PROGRAM } from '../../../packages/bridge/testing/program.ts';
import { shellLine, TmuxScreen } from '../../../packages/bridge/testing/tmux.ts';
import { NEW, type User } from '../user.ts';
import { until } from '../workbench.ts';

/** What survives the window, and what happens beside it. */
export function testWindows(get: () => User): void {
  it('that is reloaded shows the proposal again with what was typed, and the decision reaches the agent', async () => {
    const user = get();
    const { outcome } = await user.reviews('reloaded.ts');
    await user.edits(' // before');
    await user.window.load();
    await user.sees('reloaded.ts');
    await user.rightHas('// before');
    // The right side takes keys a moment after it is shown; before that VS Code says that it is read-only.
    await until(async () => {
      await user.focus();
      await user.press('End');
      await user.type(' after');
      return (await user.side('modified'))?.includes(' after');
    });
    expect(await user.side('modified')).toContain('// before');
    await user.press('Control+Enter');
    const [saved, text] = await outcome;
    expect(saved).toBe('FILE_SAVED');
    expect(text).toContain('// before');
    expect(text).toContain('after');
  });

  it('beside another one on the folder shows the same, and the first decision wins', async () => {
    const user = get();
    const first = user.window;
    const second = await user.workbench.open();
    try {
      user.window = second;
      await until(async () => (await user.statusBar()).includes('claude-code'));
      const { outcome } = user.propose('two.ts');
      await until(async () => await user.tab('two.ts'));
      user.window = first;
      await until(async () => await user.tab('two.ts'));
      await user.window.command('hawser.show');
      await user.sees('two.ts');
      expect(await user.decides('accept', outcome)).toEqual(['FILE_SAVED', NEW]);
      await user.gone('two.ts');
      user.window = second;
      await user.gone('two.ts');
      expect((await user.status()).proposals).toBe(0);
    } finally {
      user.window = first;
      await second.endHost();
    }
  });

  it('shares its queue with Neovim and hawser review: the first decision wins, and the others see it', async () => {
    const user = get();
    const { home: folder, folder: cwd, env: own } = user.workbench;
    user.workbench.file('shared.txt', '\n');
    const size = { columns: 120, rows: 40, timeoutMs: 60_000 };
    const open = (words: readonly string[]) =>
      TmuxScreen.open(shellLine(words), { folder, cwd, env: { ...process.env, ...own }, ...size });
    const setup = `lua require('hawser').setup { node = '${process.execPath}', diff = { grace = 0 } }`;
    const nvim = await open([
      ...['nvim', '--clean', '--cmd', `set runtimepath^=${repository.replace(/\/$/, '')}`],
      ...['--cmd', setup, 'shared.txt'],
    ]);
    const review = await open([process.execPath, PROGRAM, 'review']);
    try {
      const first = await user.reviews('in-neovim.ts');
      await Promise.all([nvim.shows(HINT), review.shows('v3 = 33;')]);
      await nvim.press('ZQ');
      expect((await first.outcome)[0]).toBe('DIFF_REJECTED');
      await Promise.all([user.gone('in-neovim.ts'), review.shows('rejected in Neovim')]);
      await review.press('Space');

      const second = await user.reviews('in-terminal.ts');
      await Promise.all([nvim.shows(HINT), review.shows('v3 = 33;')]);
      await review.press('a');
      expect(await second.outcome).toEqual(['FILE_SAVED', NEW]);
      await Promise.all([user.gone('in-terminal.ts'), nvim.shows(without(HINT))]);

      const third = await user.reviews('in-code.ts');
      await Promise.all([nvim.shows(HINT), review.shows('v3 = 33;')]);
      expect(await user.decides('accept', third.outcome)).toEqual(['FILE_SAVED', NEW]);
      await Promise.all([nvim.shows(without(HINT)), review.shows('accepted in')]);
    } finally {
      await nvim.close();
      await review.close();
    }
  });

  it('whose bridge ends keeps what was typed in a file, and starts another bridge when asked', async () => {
    const user = get();
    const { outcome } = await user.reviews('ended.ts');
    const failed = outcome.catch(() => 'ended');
    await user.edits(' // still mine');
    await user.hawser('stop');
    await failed;
    await user.notification('What you had typed is kept').waitFor();
    await user.gone('ended.ts');
    await user.window.page.locator('[id="hawser-dev.hawser.hawser"] .codicon-debug-disconnect').waitFor();
    await user.window.command('hawser.connect');
    await user.isConnected();
    expect((await user.status()).editor).toContain('code');
  });
}

/** In the diff of Neovim. */
const HINT = 'aa accept';
const without = (words: string) => (text: string) => !text.includes(words);
