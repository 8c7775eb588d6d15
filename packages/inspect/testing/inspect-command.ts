import type { ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import type { Browser, BrowserContextOptions, Locator, Page } from 'playwright-core';
import { Household } from '../../bridge/testing/program.ts';

const PATIENCE_MS = 60_000;

/** The command of a server that uses all of MCP. */
export const INSPECTED = `${process.execPath} ${fileURLToPath(new URL('./inspected-server.mjs', import.meta.url))} stdio`;

/** `hawser inspect`, as a user runs it, and pages that are opened with its links. */
export class InspectCommand {
  readonly household = new Household();
  readonly child: ChildProcess;
  readonly #links: AsyncIterator<string>;
  readonly #browser: Browser;
  readonly #pages: Page[] = [];

  constructor(browser: Browser, args: readonly string[], prepare: (household: Household) => void = () => {}) {
    this.#browser = browser;
    prepare(this.household);
    this.child = this.household.start(['inspect', '--no-open', ...args]);
    this.#links = linksOf(this.child);
  }

  /** The next link that it prints. */
  async link(): Promise<string> {
    const { value, done } = await this.#links.next();
    if (done === true) throw new Error('hawser inspect has ended');
    return value;
  }

  /** A page in a profile of its own, opened with a link. Fails on errors of its scripts and violations of its policy. */
  async open(link: string, options: BrowserContextOptions = {}): Promise<Page> {
    const context = await this.#browser.newContext({ viewport: { width: 1280, height: 800 }, ...options });
    const page = await context.newPage();
    page.setDefaultTimeout(PATIENCE_MS);
    page.on('pageerror', (error) => this.problems.push(error.message));
    page.on('console', (message) => {
      if (message.type() === 'error') this.problems.push(message.text());
    });
    await page.goto(link);
    this.#pages.push(page);
    return page;
  }

  /** Errors in the console of its pages. */
  readonly problems: string[] = [];

  /** Ends it as Ctrl-C does. Resolves to its exit code. */
  async end(): Promise<number | null> {
    const exited = once(this.child, 'exit');
    this.child.kill('SIGINT');
    const [code] = (await exited) as [number | null];
    return code;
  }

  async dispose(): Promise<void> {
    for (const page of this.#pages) await page.context().close();
    await this.household.dispose();
  }
}

async function* linksOf(child: ChildProcess): AsyncGenerator<string> {
  for await (const line of createInterface({ input: child.stdout as NodeJS.ReadableStream })) {
    const [link] = /http:\S+/.exec(line) ?? [];
    if (link !== undefined) yield link;
  }
}

export function field(page: Page, name: string): Locator {
  return page.getByRole('textbox', { name, exact: true });
}

/** Resolves when the page is connected and shows the tools, which it reads then. */
export async function connectedTo(page: Page, name: string): Promise<void> {
  await page.getByRole('banner').getByText(name).waitFor();
  await page
    .getByRole('navigation')
    .getByRole('button', { name: /^Tools\s*\d/ })
    .waitFor();
}

/** Shows a view. */
export async function showView(page: Page, name: string): Promise<void> {
  await page.getByRole('navigation').getByRole('button', { name }).click();
}

/** Shows a tool, on a wide or narrow page. */
export async function showTool(page: Page, name: string): Promise<void> {
  await showView(page, 'Tools');
  const back = page.getByRole('button', { name: '← All tools' });
  if (await back.isVisible()) await back.click();
  await page
    .getByRole('list', { name: 'tools' })
    .getByRole('button', { name: new RegExp(`^${name}\\b`) })
    .click();
}

/** Calls the tool that is shown, and resolves to the text of its result. */
export async function callTool(page: Page): Promise<string> {
  const button = page.getByRole('button', { name: 'Call', exact: true });
  return await resultOf(page, () => button.click());
}

/** The text of the result of the call that the user makes. The result of an earlier call is shown until then. */
export async function resultOf(page: Page, makeCall: () => Promise<void>): Promise<string> {
  await page.getByRole('button', { name: 'Call', exact: true }).waitFor();
  const calls = page.getByRole('region', { name: 'Calls so far' }).getByRole('listitem');
  const before = await calls.count();
  await makeCall();
  await calls.nth(before).waitFor();
  return await resultText(page);
}

/** The text of the result of the last call, once it has ended. */
export async function resultText(page: Page): Promise<string> {
  const result = page.getByRole('region', { name: 'Result', exact: true });
  await result.getByText(/done in|failed after|cancelled after/).waitFor();
  return (await result.textContent()) ?? '';
}
