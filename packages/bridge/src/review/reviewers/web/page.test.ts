import type { Browser } from 'playwright-core';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it, vi } from 'vitest';
import { launchBrowser } from '../../../../../inspect/testing/browser.ts';
import { ReviewedWorkspace } from '../../../../testing/review-page.ts';

// A browser and several processes share a machine that may be busy.
vi.setConfig({ testTimeout: 120_000, hookTimeout: 120_000 });

let browser: Browser;
let workspace: ReviewedWorkspace;
beforeAll(async () => {
  browser = await launchBrowser();
});
afterAll(() => browser.close());
beforeEach(() => {
  workspace = new ReviewedWorkspace(browser);
});
afterEach(async () => {
  expect(workspace.problems).toEqual([]);
  await workspace.dispose();
});

const OLD = Array.from({ length: 30 }, (_, line) => `const line${line} = ${line};\n`).join('');
const NEW = OLD.replace('line2 = 2', 'line2 = 22').replace('line25 = 25', 'line25 = 2525');

describe('the review page', () => {
  it('shows a change, and accepting it answers the agent', async () => {
    await workspace.serve();
    const page = await workspace.open();
    await page.getByText('No change waits for you.').waitFor();
    expect(new URL(page.url()).hash).toBe('');
    const answer = workspace.propose('a.ts', OLD, NEW);
    await page.getByRole('heading', { name: 'a.ts' }).waitFor();
    await page.getByRole('button', { name: 'Accept', exact: true }).click();
    expect((await answer)[0]).toBe('FILE_SAVED');
    await page.getByRole('status').getByText('a.ts: accepted').waitFor();
  });
});
