import axe from 'axe-core';
import { type Browser, chromium, type Page } from 'playwright-core';
import { afterAll, beforeAll } from 'vitest';

/** Debian's Chromium, with a fresh profile. */
export function launchBrowser(): Promise<Browser> {
  return chromium.launch({
    executablePath: '/usr/bin/chromium',
    args: [
      '--headless',
      '--no-sandbox',
      '--disable-gpu',
      '--disable-quic',
      '--no-first-run',
      '--disable-background-networking',
      '--disable-component-update',
      '--disable-sync',
    ],
  });
}

/** One browser for the tests of a file. */
export function sharedBrowser(): () => Browser {
  let browser: Browser;
  beforeAll(async () => {
    browser = await launchBrowser();
  });
  afterAll(() => browser.close());
  return () => browser;
}

interface AxeNode {
  readonly target: readonly string[];
  readonly failureSummary?: string;
}

interface AxeResult {
  readonly violations: readonly { readonly id: string; readonly nodes: readonly AxeNode[] }[];
  readonly passes: readonly { readonly id: string; readonly nodes: readonly AxeNode[] }[];
}

export interface AccessibilityReport {
  /** A line for each element that breaks a rule of WCAG 2.2 AA. */
  readonly violations: readonly string[];
  /** How many elements had their contrast computed, and enough of it. */
  readonly contrasts: number;
}

/** Rules of WCAG 2.2 AA, and good practice. */
const ALL_RULES = ['wcag2a', 'wcag2aa', 'wcag21a', 'wcag21aa', 'wcag22aa', 'best-practice'];

/** What axe-core finds on the page as it is now: by all rules, or by that of contrast alone, which is sooner done. */
export async function checkAccessibility(page: Page, rules: 'all' | 'contrast' = 'all'): Promise<AccessibilityReport> {
  if (!(await page.evaluate('"axe" in globalThis'))) await page.evaluate(axe.source);
  const runOnly = rules === 'all' ? ALL_RULES : { type: 'rule', values: ['color-contrast'] };
  const { violations, passes } = await page.evaluate(
    async (options) => {
      const { axe: injected } = globalThis as unknown as { axe: { run(options: object): Promise<AxeResult> } };
      return await injected.run(options);
    },
    { runOnly },
  );
  return {
    violations: violations.flatMap(({ id, nodes }) =>
      nodes.map(
        ({ target, failureSummary = '' }) => `${id}: ${target.join(' ')}: ${failureSummary.replace(/\s+/g, ' ')}`,
      ),
    ),
    contrasts: passes.find(({ id }) => id === 'color-contrast')?.nodes.length ?? 0,
  };
}

/** By how many pixels the page is wider than its window; 0 if it fits. */
export function horizontalOverflow(page: Page): Promise<number> {
  return page.evaluate(() => {
    // Elements inside of one that scrolls or clips do not count.
    const { document } = globalThis as unknown as {
      document: { documentElement: { scrollWidth: number; clientWidth: number } };
    };
    const { scrollWidth, clientWidth } = document.documentElement;
    return scrollWidth - clientWidth;
  });
}

export interface Focus {
  /** What a screen reader would call the element: its label or its text. */
  readonly name: string;
  /** Whether the focus can be seen. */
  readonly isVisible: boolean;
}

/** The element that has the focus. */
export function focusOf(page: Page): Promise<Focus> {
  return page.evaluate(`(() => {
    const element = document.activeElement;
    const label = element.getAttribute('aria-label') ?? element.labels?.[0]?.textContent ?? element.textContent;
    const { outlineStyle, outlineWidth } = getComputedStyle(element);
    return { name: label.trim(), isVisible: outlineStyle !== 'none' && parseFloat(outlineWidth) >= 2 };
  })()`);
}
