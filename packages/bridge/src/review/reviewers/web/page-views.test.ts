import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import type { Page } from 'playwright-core';
import { beforeEach, describe, expect, it } from 'vitest';
import { focusOf } from '../../../../../inspect/testing/browser.ts';
import {
  acceptFirstHunk,
  NEW,
  OLD,
  PHONE,
  type ReviewedWorkspace,
  reviewedWorkspaces,
} from '../../../../testing/review-page.ts';

const reviewed = reviewedWorkspaces();
let workspace: ReviewedWorkspace;
beforeEach(() => {
  workspace = reviewed();
});

const accept = (page: Page) => page.getByRole('button', { name: 'Accept', exact: true });
const pathOf = (name: string) => join(workspace.household.workspace, name);

/** What Codex asks its gate when it wants to apply a patch. Resolves to what the gate answers. */
async function patch(command: string): Promise<{ updatedInput?: { command: string }; permissionDecision?: string }> {
  const child = workspace.household.start(['gate', 'hook', 'codex']);
  const input = {
    session_id: 's',
    cwd: workspace.household.workspace,
    permission_mode: 'default',
    hook_event_name: 'PreToolUse',
    tool_name: 'apply_patch',
    tool_input: { command },
  };
  child.stdin?.end(JSON.stringify(input));
  return JSON.parse(await text(child.stdout as NodeJS.ReadableStream)).hookSpecificOutput;
}

describe('a diff', () => {
  it('has the colours of its language, marks words that change, and unfolds', async () => {
    await workspace.serve();
    const page = await workspace.open();
    void workspace.propose('a.ts', OLD, NEW).catch(() => {});
    await page.locator('.cell-added .keyword').getByText('const').first().waitFor();
    expect(await page.locator('.cell-added .changed').first().innerText()).toBe('22');
    expect(await page.getByText('const line15 = 15;').count()).toBe(0);
    await page
      .getByRole('button', { name: /unchanged lines/ })
      .first()
      .click();
    await page.keyboard.press('+');
    await page.keyboard.press('+');
    await page.getByText('const line15 = 15;').first().waitFor();
  });

  it('is searched, also in folded lines, as in the terminal', async () => {
    await workspace.serve();
    const page = await workspace.open();
    void workspace.propose('a.ts', OLD, NEW).catch(() => {});
    await page.getByRole('heading', { name: 'a.ts' }).waitFor();
    await page.keyboard.press('/');
    await page.keyboard.type('line15');
    await page.keyboard.press('Enter');
    const found = page.locator('.at-cursor .found');
    expect(await found.first().innerText()).toBe('line15');
    await page.keyboard.press('Escape');
    await found.first().waitFor({ state: 'detached' });
    await page.keyboard.press('/');
    await page.keyboard.type('const');
    await page.keyboard.press('Enter');
    const row = () => page.locator('.at-cursor').getAttribute('data-row').then(Number);
    const first = await row();
    await page.keyboard.press('.');
    await expect.poll(row).toBe(first + 1);
    await page.keyboard.press(',');
    await expect.poll(row).toBe(first);
    await page.keyboard.press('/');
    await page.keyboard.type('nowhere');
    await page.keyboard.press('Enter');
    await page.getByText('Not found: nowhere').waitFor();
  });
});

describe('a set', () => {
  it('is decided file by file on a phone, and takes effect as a whole', async () => {
    writeFileSync(pathOf('t.txt'), 'one\ntwo\n');
    writeFileSync(pathOf('u.txt'), 'gone\n');
    await workspace.serve();
    const page = await workspace.open(PHONE);
    const answer = patch(
      '*** Begin Patch\n*** Update File: t.txt\n@@\n one\n-two\n+TWO\n*** Delete File: u.txt\n*** End Patch\n',
    );
    await page.getByRole('button', { name: '1 of 2' }).tap();
    await page.getByText('0 of 2 decided').waitFor();
    await page.getByRole('button', { name: 't.txt' }).tap();
    await accept(page).tap();
    await page.getByRole('heading', { name: 'u.txt' }).waitFor();
    await page.getByRole('button', { name: 'Previous change' }).tap();
    await page.getByText('that takes effect when the rest of its set is decided').waitFor();
    await page.getByRole('button', { name: 'Next change' }).tap();
    await page.getByRole('button', { name: 'Reject', exact: true }).tap();
    const { updatedInput } = await answer;
    expect(updatedInput?.command).toContain('*** Update File: t.txt');
    expect(updatedInput?.command).not.toContain('u.txt');
  });

  it('is accepted at once with A', async () => {
    writeFileSync(pathOf('t.txt'), 'one\ntwo\n');
    writeFileSync(pathOf('u.txt'), 'gone\n');
    await workspace.serve();
    const page = await workspace.open();
    const answer = patch(
      '*** Begin Patch\n*** Update File: t.txt\n@@\n one\n-two\n+TWO\n*** Delete File: u.txt\n*** End Patch\n',
    );
    await page.locator('.file').nth(1).waitFor();
    await page.getByRole('button', { name: 'Accept several…' }).click();
    await page.getByRole('dialog').getByRole('button', { name: /all/ }).last().click();
    expect((await answer).permissionDecision).toBe('allow');
  });
});

describe('the other views', () => {
  it('show agents, pause them, their messages, problems, and what was decided, which can be taken back', async () => {
    await workspace.serve('--diagnostics', 'echo "a.ts(3,7): error TS2322: A string is no number"');
    const page = await workspace.open();
    const answer = workspace.propose('a.ts', OLD, NEW);
    await accept(page).click();
    expect((await answer)[0]).toBe('FILE_SAVED');
    // As the agent does, which was told to.
    writeFileSync(pathOf('a.ts'), NEW);

    await page.keyboard.press('2');
    const agent = page.getByRole('listitem').filter({ hasText: 'claude-code' });
    await agent.getByRole('button', { name: 'Disconnect' }).waitFor();
    await page.keyboard.press('p');
    await page.getByRole('button', { name: 'Paused', pressed: true }).waitFor();
    expect((await workspace.household.run('status')).out).toContain('paused');
    await page.keyboard.press('p');
    await page.getByRole('button', { name: 'Pause', pressed: false }).waitFor();

    await page.keyboard.press('3');
    await page.getByRole('searchbox').fill('tools/call');
    await page
      .getByRole('button', { name: /tools\/call/ })
      .last()
      .click();
    await page.getByText('"openDiff"').waitFor();

    await page.getByRole('navigation').getByRole('button', { name: 'Problems' }).click();
    await page.getByText('A string is no number').waitFor();

    await page.keyboard.press('5');
    await page.getByRole('button', { name: 'Diff' }).click();
    await page.locator('.cell-added .changed').first().waitFor();
    await page.getByRole('button', { name: 'Take back…' }).click();
    await page.getByRole('status').getByText('waits for your decision').waitFor();
    await accept(page).click();
    await page.getByRole('status').getByText('accepted and written').waitFor();
    expect(readFileSync(pathOf('a.ts'), 'utf8')).toBe(OLD);
  });
});

describe('by keyboard', () => {
  it('Tab reaches every button, and the focus can be seen', async () => {
    await workspace.serve();
    const page = await workspace.open();
    void workspace.propose('a.ts', OLD, NEW).catch(() => {});
    await page.getByRole('button', { name: 'Accept hunk 2' }).waitFor();
    const buttons = await page.getByRole('button').count();
    const names = new Set<string>();
    for (let step = 0; step < buttons + 6; step += 1) {
      await page.keyboard.press('Tab');
      if (await page.evaluate('document.activeElement === document.body')) continue;
      const { name, isVisible } = await focusOf(page);
      names.add(name);
      expect([name, isVisible]).toEqual([name, true]);
    }
    for (const name of ['Accept hunk 1', 'Reject hunk 2', 'Note on hunk 1', 'Ask for changes', 'Edit', 'Pause'])
      expect(names).toContain(name);
  });

  it('the help lists the keys, and a hunk is split, taken back, and noted', async () => {
    await workspace.serve();
    const page = await workspace.open();
    const answer = workspace.propose('a.ts', 'one\ntwo\nthree\n', 'ONE\nTWO\nthree\n');
    await page.getByRole('button', { name: 'Accept hunk 1' }).waitFor();
    await page.keyboard.press('?');
    await page.getByRole('dialog').getByText('split the hunk before the line at the cursor').waitFor();
    await page.keyboard.press('Escape');
    await page.getByRole('dialog').waitFor({ state: 'detached' });
    await page.keyboard.press('s');
    await page.getByRole('button', { name: 'Accept hunk 2' }).waitFor();
    await page.keyboard.press('u');
    await page.getByRole('button', { name: 'Accept hunk 2' }).waitFor({ state: 'detached' });
    await page.keyboard.press('s');
    await page.getByRole('button', { name: 'Accept hunk 2' }).waitFor();
    await page.keyboard.press('H');
    await page.keyboard.type('first only');
    await page.keyboard.press('Control+Enter');
    await page.locator('.note').getByText('first only').waitFor();
    await page.keyboard.press('g');
    await acceptFirstHunk(page);
    await page.keyboard.press('n');
    await page.keyboard.press('Enter');
    expect(await answer).toEqual(['FILE_SAVED', 'ONE\ntwo\nthree\n']);
  });
});
