import { fileURLToPath } from 'node:url';
import type { Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { horizontalOverflow, sharedBrowser } from '../testing/browser.ts';
import { callTool, field, InspectCommand, resultOf, showTool, showView } from '../testing/inspect-command.ts';

const HOSTILE = `${process.execPath} ${fileURLToPath(new URL('../testing/hostile-server.mjs', import.meta.url))}`;

const browser = sharedBrowser();

describe('the page, on a hostile server', () => {
  let command: InspectCommand;
  let page: Page;
  beforeAll(async () => {
    command = new InspectCommand(browser(), ['--stdio', HOSTILE]);
    page = await command.open(await command.link());
    await page.getByRole('navigation').getByText('5005').waitFor();
  });
  afterAll(() => command.dispose());

  const isUnharmed = async () => {
    expect(await page.title()).toBe('Hawser Inspect');
    expect(await page.locator('main img:not([src^="data:"]), main script, main iframe').count()).toBe(0);
    expect(await page.locator('a[href^="javascript:"]').count()).toBe(0);
    expect(await horizontalOverflow(page)).toBe(0);
  };

  it('shows markup as text, and makes hidden characters visible', async () => {
    await page.locator('h3').getByText('<img src=x onerror').waitFor();
    expect(await page.getByRole('banner').textContent()).toContain('safe\\u202egnp.exe\\u2066\\u200b<img');
    await isUnharmed();
    for (const tool of ['markup', 'long']) {
      await showTool(page, tool);
      await callTool(page);
      await isUnharmed();
    }
    await showTool(page, 'strange');
    await field(page, 'deep').fill('{"a": 1}');
    await field(page, '__proto__').fill('kept');
    await page.getByRole('button', { name: 'Call', exact: true }).click();
    const callAnyway = page.getByRole('button', { name: 'Call anyway' });
    await resultOf(page, () => callAnyway.click());
    await isUnharmed();
    await page.getByRole('button', { name: /^Read javascript:/ }).click();
    await page.getByRole('region', { name: 'Contents' }).getByText('<img src=x onerror').first().waitFor();
    for (const view of ['Log', 'Traffic', 'Resources', 'Server']) {
      await showView(page, view);
      await isUnharmed();
    }
  });

  it('shows a long text in part, and all of it when the user wants', async () => {
    await showTool(page, 'long');
    await callTool(page);
    const result = page.getByRole('region', { name: 'Result' });
    const length = async () => ((await result.textContent()) ?? '').length;
    expect(await length()).toBeLessThan(60_000);
    await result.getByRole('button', { name: 'Show all' }).first().click();
    await expect.poll(length).toBeGreaterThan(500_000);
    await isUnharmed();
  });

  it('lists 5000 tools in parts, and finds each', async () => {
    await showView(page, 'Tools');
    const list = page.getByRole('list', { name: 'tools' });
    const shown = () => list.getByRole('button').count();
    await expect.poll(shown).toBe(200);
    await page.getByRole('button', { name: 'Show 200 more of 5005' }).click();
    await expect.poll(shown).toBe(400);
    await page.getByRole('searchbox', { name: 'Filter tools' }).fill('tool-4999');
    await expect.poll(shown).toBe(1);
    await page.getByRole('searchbox', { name: 'Filter tools' }).fill('');
  });

  it('gives up on a pattern that takes forever, and lives on', async () => {
    await showTool(page, 'slow-pattern');
    await field(page, 'text').fill(`${'a'.repeat(40)}!`);
    await page.getByRole('button', { name: 'Call', exact: true }).click();
    await page
      .getByText(/The check took more than 5 seconds/)
      .first()
      .waitFor();
    await field(page, 'text').fill('aaa');
    expect(await callTool(page)).toContain('The tool says that it failed.');
  });

  it('reports what is not a message, and no error in the console', async () => {
    await showView(page, 'Traffic');
    await page.getByRole('combobox', { name: 'Kind of message' }).selectOption('Errors');
    await page
      .getByText(/this is not JSON|not valid JSON/)
      .first()
      .waitFor();
    expect(command.problems.filter((problem) => !problem.includes('ERR_INVALID_URL'))).toEqual([]);
  });
});
