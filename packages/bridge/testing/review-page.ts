import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { StreamableHTTPClientTransport } from '@modelcontextprotocol/sdk/client/streamableHttp.js';
import type { Browser, BrowserContextOptions, Page } from 'playwright-core';
import { afterEach, beforeEach, expect } from 'vitest';
import { sharedBrowser } from '../../inspect/testing/browser.ts';
import type { Agent } from './agent.ts';
import { connectClient, type McpClient } from './mcp-client.ts';
import { Household, openDiff, PROGRAM, type ServedBridge } from './program.ts';
import { shellLine, TmuxScreen } from './tmux.ts';

const PATIENCE_MS = 60_000;

export const PHONE = { viewport: { width: 360, height: 740 }, hasTouch: true, isMobile: true };

/** A change of two hunks, the second behind folded lines. */
export const OLD = Array.from({ length: 30 }, (_, line) => `const line${line} = ${line};\n`).join('');
export const NEW = OLD.replace('line2 = 2', 'line2 = 22').replace('line25 = 25', 'line25 = 2525');

/** Accepts the first hunk by its key. Keys that decide count once the change was on the screen for a moment. */
export async function acceptFirstHunk(page: Page): Promise<void> {
  const isAccepted = async () => {
    await page.keyboard.press('y');
    return await page.getByRole('button', { name: 'Accept hunk 1' }).getAttribute('aria-pressed');
  };
  await expect.poll(isAccepted).toBe('true');
}

/** For the tests of a file: one browser, and a workspace for each test. Problems of its pages fail the test. */
export function reviewedWorkspaces(): () => ReviewedWorkspace {
  const browser = sharedBrowser();
  let workspace: ReviewedWorkspace;
  beforeEach(() => {
    workspace = new ReviewedWorkspace(browser());
  });
  afterEach(async () => {
    await workspace.dispose();
    expect(workspace.problems).toEqual([]);
  });
  return () => workspace;
}

/** A bridge, an agent and browsers that review its changes, as users run them. */
export class ReviewedWorkspace {
  readonly household = new Household();
  /** Errors in the console of the pages. */
  readonly problems: string[] = [];
  readonly #browser: Browser;
  readonly #pages: Page[] = [];
  #bridge: ServedBridge | undefined;
  #agent: Agent | undefined;
  readonly #mcpAgents: McpClient[] = [];
  readonly #terminals: TmuxScreen[] = [];

  constructor(browser: Browser) {
    this.#browser = browser;
  }

  /** Files that the test writes while the agent is connected are not taken for changes of the agent. */
  async serve(...args: string[]): Promise<void> {
    this.#bridge = await this.household.serve('--noticing', 'off', ...args);
    this.#agent = await this.household.agent(this.#bridge.line);
  }

  get bridge(): ServedBridge {
    if (this.#bridge === undefined) throw new Error('The bridge is not served yet');
    return this.#bridge;
  }

  /** An agent with Hawser's MCP tools. */
  async mcpAgent(): Promise<McpClient> {
    const [, url = '', lock = ''] = /listening on (\S+) lock (.+)$/.exec(await this.household.lineOf('mcp')) ?? [];
    const headers = { Authorization: `Bearer ${JSON.parse(readFileSync(lock, 'utf8')).authToken}` };
    const agent = await connectClient(
      new StreamableHTTPClientTransport(new URL(url), { requestInit: { headers } }),
      'test-agent',
    );
    this.#mcpAgents.push(agent);
    return agent;
  }

  /** A link that works once. */
  async link(...args: string[]): Promise<string> {
    const { out, err } = await this.household.run('review', '--web', '--no-open', ...args);
    const [link] = /^https?:\S+$/m.exec(out) ?? [];
    if (link === undefined) throw new Error(`hawser review --web printed no link: ${out}${err}`);
    return link;
  }

  /**
   * A page in a browser of its own, opened with a link; `before` is a script that runs before the page's own. Fails on errors of
   * its scripts and violations of its policy.
   */
  async open(options: BrowserContextOptions = {}, link?: string, before = ''): Promise<Page> {
    const context = await this.#browser.newContext({ viewport: { width: 1280, height: 800 }, ...options });
    const page = await context.newPage();
    await page.addInitScript(before);
    page.setDefaultTimeout(PATIENCE_MS);
    page.on('pageerror', (error) => this.problems.push(error.stack ?? error.message));
    page.on('console', (message) => {
      if (message.type() === 'error') this.problems.push(message.text());
    });
    await page.goto(link ?? (await this.link()));
    this.#pages.push(page);
    return page;
  }

  /** An agent wants to change a file, which has `oldText`; without that it is new. Resolves to what the agent is told. */
  propose(name: string, oldText: string | undefined, newText: string): Promise<string[]> {
    if (this.#agent === undefined) throw new Error('No agent is connected');
    const path = join(this.household.workspace, name);
    if (oldText !== undefined) writeFileSync(path, oldText);
    return openDiff(this.#agent, path, newText, name);
  }

  /** `hawser review` in a terminal. */
  async terminal(): Promise<TmuxScreen> {
    const { home: folder, env, workspace: cwd } = this.household;
    const command = shellLine([process.execPath, PROGRAM, 'review']);
    const terminal = await TmuxScreen.open(command, { folder, env, cwd, timeoutMs: PATIENCE_MS });
    this.#terminals.push(terminal);
    return terminal;
  }

  async dispose(): Promise<void> {
    for (const terminal of this.#terminals) await terminal.close();
    for (const page of this.#pages) await page.context().close();
    for (const agent of this.#mcpAgents) await agent.close();
    await this.household.dispose();
  }
}
