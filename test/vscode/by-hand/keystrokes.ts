import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import type { User } from '../user.ts';
import { until } from '../workbench.ts';

/** Five seconds without a key make a user idle. */
const IDLE_SECONDS = 5.5;

/** What comes while the user does something else. */
export function testKeystrokes(get: () => User): void {
  it('opens behind a user who types, and every key reaches the file', async () => {
    const user = get();
    await user.opensFile('typing.ts', '\n');
    await user.type('one ');
    const { outcome } = user.propose('behind.ts');
    for (const word of ['two ', 'three ', 'four ', 'five ', 'six']) await user.type(word);
    await until(async () => await user.tab('behind.ts'));
    expect((await user.tab('typing.ts'))?.isActive).toBe(true);
    await until(async () => (await user.activeText())?.includes('six'));
    expect(await user.activeText()).toBe('one two three four five six\n');
    expect(await user.statusBar()).toContain('Hawser 1');
    await user.window.command('workbench.action.files.revert');
    // Asked for by a click, it comes in front.
    await user.window.page.locator('[id="hawser-dev.hawser.hawser"] a').click();
    await user.sees('behind.ts');
    expect((await user.decides('reject', outcome))[0]).toBe('DIFF_REJECTED');
  });

  it('opens in front of a user who has been idle, and leaves the focus where it is', async () => {
    const user = get();
    await user.opensFile('idle-file.ts', '\n');
    await user.rests(IDLE_SECONDS);
    const { outcome } = user.propose('idle.ts');
    await user.sees('idle.ts');
    expect((await user.decides('accept', outcome))[0]).toBe('FILE_SAVED');
  });

  it('does not take the place of one that the user looks at, however long', async () => {
    const user = get();
    const first = await user.reviews('looked-at.ts');
    await user.rests(IDLE_SECONDS);
    const second = user.propose('later.ts');
    await until(async () => (await user.statusBar()).includes('Hawser 2'));
    await until(async () => await user.tab('later.ts'));
    expect((await user.tab('looked-at.ts'))?.isActive).toBe(true);
    expect((await user.decides('reject', first.outcome))[0]).toBe('DIFF_REJECTED');
    await user.sees('later.ts');
    expect((await user.decides('reject', second.outcome))[0]).toBe('DIFF_REJECTED');
  });

  it.for(['editor', 'panel'])('takes no key from a terminal in the %s', async (place) => {
    const user = get();
    const { page } = user.window;
    await user.window.run((api, where) => {
      const location = where === 'editor' ? api.TerminalLocation.Editor : api.TerminalLocation.Panel;
      const script = 'echo ready; read line; echo "$line" > typed; read line';
      api.window.createTerminal({ name: 'agent', shellPath: '/bin/sh', shellArgs: ['-c', script], location }).show();
    }, place);
    await page.locator('.terminal-wrapper.active .xterm-rows', { hasText: 'ready' }).waitFor();
    await page.locator('.terminal-wrapper.active .xterm-screen').click();
    await user.type('one ');
    await user.rests(IDLE_SECONDS);
    const { outcome } = user.propose(`in-${place}.ts`);
    await user.type('two ');
    await user.sees(`in-${place}.ts`);
    await user.type('three');
    await user.press('Enter');
    const typed = join(user.workbench.folder, 'typed');
    await until(() => existsSync(typed) && readFileSync(typed, 'utf8') === 'one two three\n');
    await user.window.run((api, file) => {
      for (const terminal of api.window.terminals) terminal.dispose();
      return api.workspace.fs.delete(api.Uri.file(file)).then(() => null);
    }, typed);
    await user.window.command('hawser.show');
    expect((await user.decides('reject', outcome))[0]).toBe('DIFF_REJECTED');
  });

  it('waits in the view when its tab is closed, with what the user typed', async () => {
    const user = get();
    const { page } = user.window;
    const { outcome } = await user.reviews('put-away.ts');
    await user.edits(' // kept');
    await page.locator('.tab.active .tab-actions .action-label').click();
    await user.gone('put-away.ts');
    expect(await page.locator('.monaco-dialog-box').count()).toBe(0);
    await user.opensView();
    const row = user.row('put-away.ts');
    await until(async () => (await row.innerText()).includes('edited by you'));
    await row.click();
    await user.sees('put-away.ts');
    await user.rightHas('// kept');
    expect((await user.decides('accept', outcome))[1]).toContain('// kept');
  });

  it('is told by a notification if it has waited unseen for 20 seconds, and not if the view shows it', async () => {
    const user = get();
    const seconds20 = () =>
      user.window.run(() => {
        const real = setTimeout;
        globalThis.setTimeout = ((act: () => void, ms?: number) => {
          return real(act, ms === 20_000 ? 0 : ms);
        }) as typeof setTimeout;
      });
    await seconds20();
    await user.window.command('workbench.view.explorer');
    await user.opensFile('busy.ts', '\n');
    await user.type('typing ');
    const { outcome } = user.propose('unseen.ts');
    const told = user.notification('A change waits for your decision');
    await told.locator('.monaco-button', { hasText: 'Show' }).click();
    await user.sees('unseen.ts');
    expect((await user.decides('reject', outcome))[0]).toBe('DIFF_REJECTED');
    await user.opensView();
    await user.opensFile('busy.ts', '\n');
    await user.type('typing ');
    const listed = user.propose('listed.ts');
    await user.row('listed.ts').waitFor();
    expect(await told.count()).toBe(0);
    await user.hawser('review', '--reject', JSON.parse(await user.hawser('review', '--list', '--json'))[0].id);
    expect((await listed.outcome)[0]).toBe('DIFF_REJECTED');
    await user.window.command('workbench.action.files.revert');
  });
}
