import { writeFileSync } from 'node:fs';
import { expect, it } from 'vitest';
import { NEW, OLD, type User } from '../user.ts';
import { until } from '../workbench.ts';

/** A change of one file, from its diff to a decision. */
export function testProposals(get: () => User): void {
  it('is accepted as proposed with Ctrl+Enter, and the tab goes', async () => {
    const user = get();
    const { outcome } = await user.reviews('accepted.ts');
    expect(await user.decides('accept', outcome)).toEqual(['FILE_SAVED', NEW]);
    await user.gone('accepted.ts');
  });

  it('is rejected by Alt+Shift+N, and the tab goes without a question', async () => {
    const user = get();
    const { outcome } = await user.reviews('rejected.ts');
    expect((await user.decides('reject', outcome))[0]).toBe('DIFF_REJECTED');
    await user.gone('rejected.ts');
    expect(await user.window.page.locator('.monaco-dialog-box').count()).toBe(0);
  });

  it('is edited with keys, is never dirty, and is accepted as the user made it', async () => {
    const user = get();
    const { outcome } = await user.reviews('edited.ts');
    await user.edits(' // mine');
    expect((await user.tab('edited.ts'))?.isDirty).toBe(false);
    await user.press('Control+Enter');
    const [saved, text] = await outcome;
    expect(saved).toBe('FILE_SAVED');
    expect(text).toBe(NEW.replace('v10 = 10;', 'v10 = 10; // mine'));
  });

  it('loses the hunk at the cursor with Alt+N, and Ctrl+Z brings it back', async () => {
    const user = get();
    const { outcome } = await user.reviews('hunk-key.ts');
    await user.focus();
    await user.press('Control+Home');
    // The extension learns of the cursor a moment later.
    await until(async () => (await user.window.run((api) => api.window.activeTextEditor?.selection.active.line)) === 0);
    await user.press('Alt+KeyY', 'Alt+KeyN');
    await user.rightHas('v3 = 3;');
    await user.press('Control+KeyZ');
    await user.rightHas('v3 = 33;');
    await user.press('Alt+KeyN');
    await user.rightHas('v3 = 3;');
    await user.press('Control+Enter');
    expect(await outcome).toEqual(['FILE_SAVED', NEW.replace('v3 = 33;', 'v3 = 3;')]);
  });

  it('loses a hunk by a click on the lens over it', async () => {
    const user = get();
    const { outcome } = await user.reviews('hunk-lens.ts');
    await user.clickLens('Reject change 2 of 2');
    await user.rightHas('v20 = 20;');
    await user.clickLens('Accept file');
    expect(await outcome).toEqual(['FILE_SAVED', OLD.replace('v3 = 3;', 'v3 = 33;')]);
  });

  it('loses a hunk by the arrow between the sides', async () => {
    const user = get();
    const { outcome } = await user.reviews('hunk-arrow.ts');
    await user.focus();
    await user.window.page.locator('.gutterItem .action-label').first().click();
    await user.rightHas('v3 = 3;');
    await user.press('Control+Enter');
    expect(await outcome).toEqual(['FILE_SAVED', NEW.replace('v3 = 33;', 'v3 = 3;')]);
  });

  it('has buttons in the title of its editor', async () => {
    const user = get();
    const { outcome } = await user.reviews('buttons.ts');
    await user.clickTitle('Accept Change');
    expect((await outcome)[0]).toBe('FILE_SAVED');
  });

  it('has an original that is not edited, and Ctrl+S opens no dialog', async () => {
    const user = get();
    const { page } = user.window;
    const { outcome } = await user.reviews('read-only.ts');
    await page.locator('.editor.original .view-line').nth(2).click();
    await user.type('x');
    await user.focus();
    await user.press('Control+KeyS');
    await until(() => page.locator('.statusbar-item', { hasText: 'What you typed is kept' }).count());
    expect(await page.locator('.monaco-dialog-box, .quick-input-widget:visible').count()).toBe(0);
    expect(await user.side('original')).toBe(OLD);
    await user.press('Control+Enter');
    expect(await outcome).toEqual(['FILE_SAVED', NEW]);
  });

  it('has a note on a line by the plus in the margin, and goes back with it and a sentence by Alt+Shift+C', async () => {
    const user = get();
    const { page } = user.window;
    const { path, outcome } = await user.reviews('noted.ts');
    await user.beginsNote('v5 = 5;', 'use a constant');
    await page.locator('.review-widget .monaco-button', { hasText: 'Add Note' }).click();
    await until(() => page.locator('.review-comment', { hasText: 'use a constant' }).count());
    await user.opensView();
    await until(async () => (await user.row('noted.ts').innerText()).includes('1 note'));
    await user.focus();
    await user.press('Alt+Shift+KeyC');
    await page.locator('.quick-input-widget input').fill('smaller steps, please');
    await user.press('Enter');
    expect((await outcome)[0]).toBe('DIFF_REJECTED');
    await user.gone('noted.ts');
    // The next round has them beside the new text.
    const again = await user.reviews('noted.ts', { newText: NEW.replace('33', '34') });
    expect(again.path).toBe(path);
    await until(() => page.locator('.review-comment', { hasText: 'use a constant' }).count());
    await user.clickTitle('Reject Change');
    expect((await again.outcome)[0]).toBe('DIFF_REJECTED');
  });

  it('is one of several that Alt+. and Alt+, go through', async () => {
    const user = get();
    const outcomes: Promise<string[]>[] = [];
    for (const [index, name] of ['first.ts', 'second.ts'].entries()) {
      outcomes.push(user.propose(name).outcome);
      await until(async () => (await user.statusBar()).includes(`Hawser ${index + 1}`));
    }
    await user.window.command('hawser.show');
    await user.sees('first.ts');
    await user.focus();
    await user.press('Alt+Period');
    await user.sees('second.ts');
    await user.focus();
    await user.press('Alt+Comma');
    await user.sees('first.ts');
    await user.focus();
    // The next one comes in front when the first is decided.
    await user.press('Control+Enter');
    expect((await outcomes[0])?.[0]).toBe('FILE_SAVED');
    await user.sees('second.ts');
    await user.focus();
    await user.press('Alt+Shift+KeyN');
    expect((await outcomes[1])?.[0]).toBe('DIFF_REJECTED');
  });

  it('is merged with a change of the file, and what the user typed stays', async () => {
    const user = get();
    const { path, outcome } = await user.reviews('merged.ts');
    await user.edits(' // mine');
    writeFileSync(path, OLD.replace('v39 = 39;', 'v39 = 3939;'));
    await user.rightHas('v39 = 3939;');
    expect(await user.side('modified')).toContain('// mine');
    await until(async () => (await user.side('original'))?.includes('3939'));
    await user.press('Control+Enter');
    const [, text = ''] = await outcome;
    expect(text).toContain('// mine');
    expect(text).toContain('v39 = 3939;');
  });

  it('keeps what the user typed when the file changes in the same line, and says so', async () => {
    const user = get();
    const { path, outcome } = await user.reviews('conflict.ts');
    await user.edits(' // mine');
    writeFileSync(path, OLD.replace('v10 = 10;', 'v10 = 1010;'));
    await user.notification('has changed where you edited it').waitFor();
    expect(await user.side('modified')).toContain('v10 = 10; // mine');
    expect((await user.decides('reject', outcome))[0]).toBe('DIFF_REJECTED');
  });

  it('that is decided elsewhere goes, and what was typed here is in a file', async () => {
    const user = get();
    const { outcome } = await user.reviews('elsewhere.ts');
    await user.edits(' // lost?');
    const [{ id }] = JSON.parse(await user.hawser('review', '--list', '--json'));
    await user.hawser('review', '--accept', id);
    expect(await outcome).toEqual(['FILE_SAVED', NEW]);
    await user.gone('elsewhere.ts');
    await user.notification('is kept').locator('.monaco-button', { hasText: 'Show My Text' }).click();
    await until(async () => (await user.activeText())?.includes('// lost?'));
  });

  it('that is too large for the diff editor is offered without one', async () => {
    const user = get();
    const { outcome } = user.propose('large.json', { oldText: '{}\n', newText: `"${'x'.repeat(300_000)}"\n` });
    await until(async () => (await user.statusBar()).includes('Hawser 1'));
    // It ends with the choice of the user.
    void user.window.command('hawser.show');
    await user.notification('too large for the diff editor').locator('.monaco-button', { hasText: 'Reject' }).click();
    expect((await outcome)[0]).toBe('DIFF_REJECTED');
    expect(await user.tab('large.json')).toBeUndefined();
  });

  it('with more than 200 hunks has buttons for the file and none for hunks', async () => {
    const user = get();
    const lines = Array.from({ length: 402 }, (_, index) => `line ${index}`);
    const newText = lines.map((line, index) => (index % 2 === 0 ? `${line}!` : line)).join('\n');
    const { outcome } = await user.reviews('many.txt', { oldText: lines.join('\n'), newText });
    await user.window.page.locator('.codelens-decoration a', { hasText: 'Accept file' }).first().waitFor();
    expect(await user.window.page.locator('.codelens-decoration a', { hasText: 'Reject change' }).count()).toBe(0);
    await user.clickLens('Reject file');
    expect((await outcome)[0]).toBe('DIFF_REJECTED');
  });
}
