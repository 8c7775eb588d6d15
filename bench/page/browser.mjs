import { chromium } from 'playwright-core';

export function openBrowser() {
  const args = ['--headless', '--no-sandbox', '--disable-gpu', '--no-first-run', '--disable-background-networking'];
  return chromium.launch({ executablePath: '/usr/bin/chromium', args });
}

/** A page of a bridge, in a browser profile of its own. */
export async function openPage(browser, bridge, viewport = { width: 1280, height: 800 }) {
  const context = await browser.newContext({ viewport });
  const page = await context.newPage();
  const [link] = /^http:\S+$/m.exec(await bridge.command('review', '--web', '--no-open')) ?? [];
  return { page, open: () => page.goto(link) };
}
