import type { Page } from 'playwright-core';
import { beforeEach, describe, expect, it } from 'vitest';
import { checkAccessibility, horizontalOverflow } from '../../../../../inspect/testing/browser.ts';
import { NEW, OLD, PHONE, type ReviewedWorkspace, reviewedWorkspaces } from '../../../../testing/review-page.ts';

const reviewed = reviewedWorkspaces();
let workspace: ReviewedWorkspace;
beforeEach(() => {
  workspace = reviewed();
});

const VIEWS = ['Review', 'Agents', 'Traffic', 'Problems', 'Log'];
const heading = (page: Page, name: string) => page.getByRole('heading', { name, exact: true });

async function propose(...names: string[]): Promise<void> {
  for (const name of names) void workspace.propose(name, OLD, NEW).catch(() => {});
}

/** A finger that goes this far across and down. */
async function swipe(page: Page, across: number, down = 0): Promise<void> {
  const fingers = await page.context().newCDPSession(page);
  for (let step = 0; step <= 5; step += 1) {
    const at = { x: 180 + across * (step / 5 - 0.5), y: 400 + down * (step / 5 - 0.5) };
    const type = step === 0 ? 'touchStart' : 'touchMove';
    await fingers.send('Input.dispatchTouchEvent', { type, touchPoints: [at] });
  }
  await fingers.send('Input.dispatchTouchEvent', { type: 'touchEnd', touchPoints: [] });
}

describe('on a phone', () => {
  it('a swipe shows the next file and the one before, and a short or steep one does not', async () => {
    await workspace.serve();
    const page = await workspace.open(PHONE);
    await propose('a.ts');
    await heading(page, 'a.ts').waitFor();
    await propose('b.ts');
    await page.getByRole('button', { name: '1 of 2' }).waitFor();
    await swipe(page, -40);
    await swipe(page, -120, 200);
    expect(await heading(page, 'a.ts').isVisible()).toBe(true);
    await swipe(page, -240);
    await heading(page, 'b.ts').waitFor();
    expect(await page.getByRole('button', { name: '2 of 2' }).isVisible()).toBe(true);
    await swipe(page, 240);
    await heading(page, 'a.ts').waitFor();
  });

  it('everything that is touched is at least 44 pixels wide and high, in every view and dialog', async () => {
    await workspace.serve();
    const page = await workspace.open(PHONE);
    await propose('a.ts', 'b.ts');
    await page.getByRole('button', { name: '1 of 2' }).waitFor();
    const small = () =>
      page.evaluate(`[...document.querySelectorAll('button, input, select, textarea, a')]
        .map((each) => [each.textContent || each.type, each.getBoundingClientRect()])
        .filter(([, { width, height }]) => width > 0 && (width < 44 || height < 44))
        .map(([name, { width, height }]) => name + ' ' + width + ' x ' + height)`);
    for (const view of VIEWS) {
      await page.getByRole('navigation').getByRole('button', { name: view }).tap();
      await page.getByRole('main', { name: view }).waitFor();
      expect(await small()).toEqual([]);
    }
    await page.getByRole('navigation').getByRole('button', { name: 'Review' }).tap();
    for (const opens of ['Note', 'Ask for changes', 'Accept several…', 'Settings and keys']) {
      await page.getByRole('button', { name: opens, exact: true }).tap();
      await page.getByRole('dialog').waitFor();
      expect(await small()).toEqual([]);
      expect((await checkAccessibility(page)).violations).toEqual([]);
      await page.getByRole('dialog').press('Escape');
      await page.getByRole('dialog').waitFor({ state: 'detached' });
    }
    await page.getByRole('button', { name: '1 of 2' }).tap();
    await page.locator('.file').last().tap();
    await heading(page, 'b.ts').waitFor();
  });
});

describe('from 360 to 2560 pixels', () => {
  it.each(['light', 'dark'] as const)('every view fits and axe finds nothing, %s', async (colorScheme) => {
    await workspace.serve('--diagnostics', 'echo "a.ts(3,7): error TS2322: A string is no number"');
    const page = await workspace.open({ colorScheme });
    await propose('a.ts', 'b.ts');
    await page.locator('.file').nth(1).waitFor();
    for (const width of [360, 768, 1280, 2560]) {
      await page.setViewportSize({ width, height: 800 });
      for (const [index, view] of VIEWS.entries()) {
        await page.keyboard.press(String(index + 1));
        await page.getByRole('main', { name: view }).waitFor();
        expect([view, width, await horizontalOverflow(page)]).toEqual([view, width, 0]);
        if (width === 360 || width === 1280) expect((await checkAccessibility(page)).violations).toEqual([]);
      }
    }
  });

  it('both sides are beside each other where there is room, and v switches', async () => {
    await workspace.serve();
    const page = await workspace.open({ viewport: { width: 2560, height: 1000 } });
    await propose('a.ts');
    await page.locator('.diff-split').waitFor();
    await page.keyboard.press('v');
    await page.locator('.diff-unified').waitFor();
    await page.keyboard.press('v');
    await page.locator('.diff-split').waitFor();
    await page.setViewportSize({ width: 700, height: 1000 });
    await page.locator('.diff-unified').waitFor();
    await page.keyboard.press('v');
    await page.getByText('The page is too narrow to show both sides.').waitFor();
  });
});

describe('notifications', () => {
  /** Records what the browser is asked for. The window is behind another one. */
  const HOOK = `{
    globalThis.asked = 0;
    globalThis.shown = [];
    document.hasFocus = () => false;
    const { requestPermission } = Notification;
    Notification.requestPermission = () => { globalThis.asked += 1; return requestPermission.call(Notification); };
    globalThis.Notification = new Proxy(Notification, {
      construct(target, [title, options]) {
        const notification = new target(title, options);
        shown.push([notification.title, notification.body]);
        return notification;
      },
    });
  }`;

  it('name the file and the agent, and nothing of the text, once the user has asked for them', async () => {
    await workspace.serve();
    const page = await workspace.open({ permissions: ['notifications'] }, undefined, HOOK);
    await propose('a.ts');
    await heading(page, 'a.ts').waitFor();
    expect(await page.evaluate('shown')).toEqual([]);
    await page.getByRole('button', { name: 'Notify me', pressed: false }).click();
    await page.getByRole('button', { name: 'Notify me', pressed: true }).waitFor();
    await propose('b.ts');
    await page.locator('.file').nth(1).waitFor();
    expect(await page.evaluate('shown')).toEqual([['A change waits for you', 'b.ts, proposed by claude-code']]);
    await page.getByRole('button', { name: 'Notify me' }).click();
    await propose('c.ts');
    await page.locator('.file').nth(2).waitFor();
    expect(await page.evaluate('shown.length')).toBe(1);
  });

  it('ask the browser for its permission when the user clicks, never before, and say so if it refuses', async () => {
    await workspace.serve();
    const page = await workspace.open({}, undefined, HOOK);
    await propose('a.ts');
    await heading(page, 'a.ts').waitFor();
    expect(await page.evaluate('asked')).toBe(0);
    // A browser without a screen has refused already, and is not asked again.
    const isUndecided = await page.evaluate(`Notification.permission === 'default'`);
    await page.getByRole('button', { name: 'Notify me' }).click();
    await page.getByText('Your browser does not let this page notify you.').waitFor();
    expect(await page.evaluate('asked')).toBe(isUndecided ? 1 : 0);
  });
});
