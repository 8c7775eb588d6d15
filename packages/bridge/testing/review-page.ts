import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { StreamableHTTPClientTransport } from '@modelcontextprotocol/sdk/client/streamableHttp.js';
import type { Browser, BrowserContextOptions, Page } from 'playwright-core';
import type { Agent } from './agent.ts';
import { connectClient, type McpClient } from './mcp-client.ts';
import { Household, openDiff, type ServedBridge } from './program.ts';

const PATIENCE_MS = 30_000;

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

  constructor(browser: Browser) {
    this.#browser = browser;
  }

  async serve(...args: string[]): Promise<void> {
    this.#bridge = await this.household.serve(...args);
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

  /** A page in a browser of its own, opened with a link. Fails on errors of its scripts and violations of its policy. */
  async open(options: BrowserContextOptions = {}, link?: string): Promise<Page> {
    const context = await this.#browser.newContext({ viewport: { width: 1280, height: 800 }, ...options });
    const page = await context.newPage();
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

  async dispose(): Promise<void> {
    for (const page of this.#pages) await page.context().close();
    for (const agent of this.#mcpAgents) await agent.close();
    await this.household.dispose();
  }
}
