import type { Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from 'vitest';
import { checkAccessibility, type Focus, focusOf, horizontalOverflow, sharedBrowser } from '../testing/browser.ts';
import { connectedTo, INSPECTED, InspectCommand, resultText, showTool, showView } from '../testing/inspect-command.ts';

const VIEWS = ['Server', 'Tools', 'Resources', 'Prompts', 'Log', 'Traffic', 'Check', 'Raw'];

const browser = sharedBrowser();

describe('the page, for every user', () => {
  let command: InspectCommand;
  let page: Page;
  beforeAll(async () => {
    command = new InspectCommand(browser(), ['--stdio', INSPECTED]);
    page = await command.open(await command.link(), { reducedMotion: 'reduce' });
    await connectedTo(page, 'Inspected Server');
  });
  afterAll(() => command.dispose());

  const stops: Focus[] = [];
  const tabTo = async (name: RegExp) => {
    for (let presses = 0; presses < 40; presses += 1) {
      await page.keyboard.press('Tab');
      const focus = await focusOf(page);
      stops.push(focus);
      if (name.test(focus.name)) return;
    }
    throw new Error(`Tab does not lead to ${name}, but to ${stops.map((stop) => stop.name).join(', ')}`);
  };

  it('can be used with the keyboard alone, and shows where the focus is', async () => {
    await tabTo(/^Skip to the view$/);
    await tabTo(/^Tools/);
    await page.keyboard.press('Enter');
    await tabTo(/^Filter tools/);
    onTestFinished(() => page.getByRole('searchbox', { name: 'Filter tools' }).fill(''));
    await page.keyboard.type('o');
    await tabTo(/^echo/);
    await page.keyboard.press('End');
    expect((await focusOf(page)).name).toMatch(/^grow/);
    await page.keyboard.press('Home');
    await page.keyboard.press('ArrowDown');
    await page.keyboard.press('ArrowUp');
    await page.keyboard.press('Enter');
    await tabTo(/^text$/);
    await page.keyboard.type('by hand');
    await page.keyboard.press('Shift+Enter');
    await page.keyboard.type('alone');
    await page.keyboard.press('Enter');
    expect(await resultText(page)).toContain('by hand\nalone');
    await tabTo(/^Call again: echo/);
    await page.keyboard.press('Enter');
    expect(stops.filter(({ isVisible }) => !isVisible)).toEqual([]);
  });

  it('announces what happens to screen readers', async () => {
    expect(await page.locator('[role="status"]').allTextContents()).toContainEqual(
      expect.stringMatching(/^echo: done in/),
    );
    await showTool(page, 'book');
    await page.getByRole('button', { name: 'Call', exact: true }).click();
    await page.getByRole('alert').getByText('The server asks a question.').waitFor();
    await page.getByRole('button', { name: '1 question' }).click();
    expect(await page.locator(':focus').getAttribute('aria-label')).toBe('Questions of the server');
  });

  it.each(['light', 'dark'] as const)('keeps to WCAG in every view, in %s colours', async (colorScheme) => {
    await page.emulateMedia({ colorScheme });
    await fillViews(page);
    let contrasts = 0;
    for (const view of VIEWS) {
      await showView(page, view);
      const report = await checkAccessibility(page, colorScheme === 'light' ? 'all' : 'contrast');
      expect(report.violations, view).toEqual([]);
      contrasts += report.contrasts;
    }
    expect(contrasts).toBeGreaterThan(100);
  });

  it('has the colours that the user chooses, whatever the system has', async () => {
    const background = () => page.evaluate('getComputedStyle(document.documentElement).backgroundColor');
    await page.emulateMedia({ colorScheme: 'dark' });
    const dark = await background();
    await page.getByRole('combobox', { name: 'Colours' }).selectOption('Light');
    const light = await background();
    expect(light).not.toBe(dark);
    await page.emulateMedia({ colorScheme: 'light' });
    await page.getByRole('combobox', { name: 'Colours' }).selectOption('System colours');
    expect(await background()).toBe(light);
  });

  it('fits the window in every view, from 360 to 1920 pixels', async () => {
    for (const width of [1920, 1024, 700, 360]) {
      await page.setViewportSize({ width, height: 740 });
      for (const view of VIEWS) {
        await showView(page, view);
        expect(await horizontalOverflow(page), `${view} at ${width}`).toBe(0);
      }
    }
  });

  it('keeps to WCAG on a narrow screen', async () => {
    for (const view of ['Server', 'Tools', 'Traffic']) {
      await showView(page, view);
      expect((await checkAccessibility(page)).violations, view).toEqual([]);
    }
  });

  it('shows one thing after the other on a narrow screen, and moves the focus along', async () => {
    await showTool(page, 'fail');
    expect(await page.getByRole('list', { name: 'tools' }).isVisible()).toBe(false);
    await page.locator('.detail:focus').waitFor();
    await page.getByRole('button', { name: '← All tools' }).click();
    expect(await page.getByRole('list', { name: 'tools' }).isVisible()).toBe(true);
  });
});

/** Every view shows something. */
async function fillViews(page: Page): Promise<void> {
  await showTool(page, 'difficult');
  await page.getByRole('button', { name: 'Call', exact: true }).click();
  await page.locator('.field-problem').first().waitFor();
  await showView(page, 'Resources');
  await page
    .getByRole('list', { name: 'resources' })
    .getByRole('button', { name: /The first note/ })
    .click();
  await page.getByRole('region', { name: 'Contents' }).getByText('The text of').waitFor();
  await showView(page, 'Prompts');
  await page.getByRole('list', { name: 'prompts' }).getByRole('button').first().click();
  await showView(page, 'Traffic');
  const message = page.getByRole('list', { name: 'Messages' }).getByRole('button', { expanded: false }).last();
  await message.click();
}
