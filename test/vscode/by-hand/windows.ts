import { expect, it } from 'vitest';
import { NEW, type User } from '../user.ts';
import { until } from '../workbench.ts';

/** What survives the window, and what happens beside it. */
export function testWindows(get: () => User): void {
  it('that is reloaded shows the proposal again with what was typed, and the decision reaches the agent', async () => {
    const user = get();
    const { outcome } = await user.reviews('reloaded.ts');
    await user.edits(' // before');
    await user.window.load();
    await user.sees('reloaded.ts', 30_000);
    await user.rightHas('// before');
    // The right side takes keys a moment after it is shown; before that VS Code says that it is read-only.
    await until(async () => {
      await user.focus();
      await user.press('End');
      await user.type(' after');
      return (await user.side('modified'))?.includes(' after');
    }, 20_000);
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
      await until(async () => (await user.statusBar()).includes('claude-code'), 30_000);
      const { outcome } = user.propose('two.ts');
      await until(async () => await user.tab('two.ts'));
      user.window = first;
      await until(async () => await user.tab('two.ts'));
      await user.window.command('hawser.show');
      await user.sees('two.ts');
      await user.focus();
      await user.press('Control+Enter');
      expect(await outcome).toEqual(['FILE_SAVED', NEW]);
      await user.gone('two.ts');
      user.window = second;
      await user.gone('two.ts');
      expect((await user.status()).proposals).toBe(0);
    } finally {
      user.window = first;
      await second.endHost();
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
