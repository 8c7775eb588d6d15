import { readFileSync } from 'node:fs';
import { expect, it } from 'vitest';
import { connectMcp } from '../../../packages/bridge/testing/mcp-client.ts';
import type { User } from '../user.ts';
import { until } from '../workbench.ts';

/** The view, its counts, sets of files, and the other places in which the queue is. */
export function testViews(get: () => User): void {
  it('list what waits with buttons, count it in the badge, and list the agents', async () => {
    const user = get();
    const { page } = user.window;
    await user.opensView();
    const first = user.propose('listed-1.ts');
    const second = user.propose('listed-2.ts');
    await until(() => page.locator('.activitybar .badge-content', { hasText: '2' }).count());
    expect(await user.row('claude-code').count()).toBe(1);
    for (const [name, label] of [
      ['listed-1.ts', 'Accept Change'],
      ['listed-2.ts', 'Reject Change'],
    ] as const) {
      await user.clicksInRow(name, label);
    }
    expect((await first.outcome)[0]).toBe('FILE_SAVED');
    expect((await second.outcome)[0]).toBe('DIFF_REJECTED');
    await until(async () => (await page.locator('.activitybar .badge-content', { hasText: /\d/ }).count()) === 0);
    await page.locator('.pane-body', { hasText: 'No change waits for your decision.' }).first().waitFor();
    expect(await page.locator('.monaco-list-row', { hasText: 'claude-code' }).innerText()).toContain('connected');
  });

  it('pause all agents and let them in again', async () => {
    const user = get();
    const { page } = user.window;
    await user.opensView();
    const pane = page.locator('.pane', { hasText: 'Waiting for You' }).first();
    await pane.hover();
    await pane.locator('.action-label[aria-label^="Pause All Agents"]').click();
    await until(async () => (await user.status()).paused === true);
    await page.locator('[id="hawser-dev.hawser.hawser"] .codicon-debug-pause').waitFor();
    await pane.hover();
    await pane.locator('.action-label[aria-label^="Resume"]').click();
    await until(async () => (await user.status()).paused === false);
    await user.isConnected();
  });

  it('show a set of files in one editor, where hunks are rejected, and write it as a whole', async () => {
    const user = get();
    const { page } = user.window;
    user.workbench.file('tsconfig.json', '{}');
    const greet = user.workbench.file('greet.ts', 'export function greet() {}\n');
    const main = user.workbench.file('main.ts', "import { greet } from './greet';\n\n\ngreet();\n");
    await user.agent.call('openFile', { filePath: main });
    const client = await connectMcp(await user.adapter('mcp'));
    await client.call('open_file', { path: 'greet.ts' });
    // It comes while the user types, and takes no key.
    const noted = user.workbench.file('notes.txt', '\n');
    await user.agent.call('openFile', { filePath: noted });
    await user.sees('notes.txt');
    await page.locator('.monaco-editor .view-line').first().click();
    await user.type('one ');
    const answer = client.call('rename_symbol', { path: 'greet.ts', symbol: 'greet', new_name: 'welcome' });
    await until(async () => (await user.statusBar()).includes('Hawser 2'));
    await until(async () => (await user.tabs()).some(({ label }) => label.includes('(')));
    await user.type('two');
    await until(async () => (await user.activeText()) === 'one two\n');
    await user.window.command('workbench.action.files.revert');
    await user.opensView();
    // Asked for, all files are in one editor.
    await page.locator('[id="hawser-dev.hawser.hawser"] a').click();
    await page.locator('.multiDiffEntry', { hasText: 'main.ts' }).waitFor();
    const entry = page.locator('.multiDiffEntry', { hasText: 'main.ts' });
    await entry.locator('.codelens-decoration a', { hasText: 'Reject change 2 of 2' }).click();
    await until(async () => (await user.row('main.ts').innerText()).includes('edited by you'));
    await user.clicksInRow('2 files', 'Accept All Files');
    const outcomes = [{ outcome: 'written' }, { outcome: 'written with changes by the user' }];
    expect((await answer).data.files).toMatchObject(outcomes);
    expect(readFileSync(greet, 'utf8')).toBe('export function welcome() {}\n');
    expect(readFileSync(main, 'utf8')).toBe("import { welcome } from './greet';\n\n\ngreet();\n");
    // The open document follows, and the change can be undone there.
    await until(async () =>
      (
        await user.window.run(
          (api, path) => api.workspace.textDocuments.find((each) => each.uri.fsPath === path)?.getText(),
          main,
        )
      )?.includes('welcome'),
    );
  });

  it('have a command that makes a link to the review in the browser, which code-server can only copy', async () => {
    const user = get();
    const context = user.window.page.context();
    await context.grantPermissions(['clipboard-read', 'clipboard-write']);
    const { outcome } = user.propose('in-browser.ts');
    await until(async () => (await user.statusBar()).includes('Hawser 1'));
    // It ends with the choice of the user.
    void user.window.command('hawser.reviewInBrowser');
    await user.notification('Open the link').locator('.monaco-button', { hasText: 'Copy Link' }).click();
    const link = await until(() => user.window.run((api) => api.env.clipboard.readText()));
    const page = await context.newPage();
    await page.goto(link);
    await page.getByText('in-browser.ts').first().waitFor();
    await page.close();
    await user.tidy();
    expect((await outcome)[0]).toBe('DIFF_REJECTED');
  });
}
