import { execFileSync } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import type { Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { sharedBrowser } from '../testing/browser.ts';
import {
  callTool,
  connectedTo,
  field,
  INSPECTED,
  InspectCommand,
  resultText,
  showTool,
  showView,
} from '../testing/inspect-command.ts';

const SERVER = fileURLToPath(new URL('../testing/inspected-server.mjs', import.meta.url));
const EVERYTHING = fileURLToPath(
  new URL('../../../node_modules/@modelcontextprotocol/server-everything/dist/index.js', import.meta.url),
);

const browser = sharedBrowser();

describe('the page, on a server over HTTP', () => {
  let command: InspectCommand;
  let page: Page;
  beforeAll(async () => {
    command = new InspectCommand(browser(), []);
    const server = command.household.startNode([SERVER, 'http']);
    const [url] = (await once(createInterface({ input: server.stdout as NodeJS.ReadableStream }), 'line')) as [string];
    page = await command.open(await command.link());
    await page.getByRole('button', { name: 'Connect to a URL' }).click();
    await field(page, 'URL').fill(url);
    await field(page, 'Headers, one a line').fill('X-Test: one');
    await field(page, 'URL').press('Enter');
    await connectedTo(page, 'Inspected Server');
  });
  afterAll(() => command.dispose());

  it('calls tools with progress, and cancels them', async () => {
    await page.getByText('2026-07-28 over Streamable HTTP').waitFor();
    await showTool(page, 'wait');
    await page.getByRole('button', { name: 'Call', exact: true }).click();
    await page.getByText('1 of 4 · a quarter').waitFor();
    await page.getByRole('button', { name: 'Cancel', exact: true }).click();
    expect(await resultText(page)).toContain('The server was asked to stop.');
  });

  it('runs the check and shows its report', async () => {
    await showView(page, 'Check');
    await page.getByRole('button', { name: 'Run the check' }).click();
    await page.getByRole('progressbar', { name: 'Checks done' }).waitFor();
    const report = page.getByRole('region', { name: 'Report' });
    // As long as hundreds of checks take on a busy machine.
    await report.waitFor({ timeout: 100_000 });
    await report.getByRole('button', { name: '0 failed' }).waitFor();
    await report.getByRole('button', { name: /skipped/ }).click();
    await report.getByText('It calls tools of the server; allow that above.').first().waitFor();
    const section = report.getByRole('link', { name: '2025-11-25 Tools §Error Handling' }).first();
    expect(await section.getAttribute('href')).toBe(
      'https://modelcontextprotocol.io/specification/2025-11-25/server/tools#error-handling',
    );
    const downloading = page.waitForEvent('download');
    await report.getByRole('button', { name: 'Download JSON' }).click();
    const { summary, results } = JSON.parse(readFileSync(await (await downloading).path(), 'utf8'));
    expect(summary).toMatchObject({ failed: 0 });
    expect(results.length).toBe(summary.passed + summary.skipped);
  });

  it('stops the check when the user wants', async () => {
    await page.getByRole('button', { name: 'Run the check' }).click();
    await page.getByText(/^[1-9]\d* of \d+/).waitFor();
    await page.getByRole('button', { name: 'Stop' }).click();
    await page.getByText(/^Stopped after \d+ of \d+ checks/).waitFor();
  });
});

describe('the page, without a server', () => {
  let command: InspectCommand;
  let page: Page;
  beforeAll(async () => {
    command = new InspectCommand(browser(), [], ({ workspace, home }) => {
      const servers = {
        everything: { command: process.execPath, args: [EVERYTHING], env: { SECRET: 'hidden-value' } },
        broken: { command: `$${'{NOT_SET}'}/x` },
      };
      writeFileSync(join(workspace, '.mcp.json'), JSON.stringify({ mcpServers: servers }));
      writeFileSync(join(home, '.claude.json'), '{ not JSON');
    });
    const bridge = await command.household.serve();
    expect(bridge.line).toContain('listening');
    page = await command.open(await command.link());
  });
  afterAll(() => command.dispose());

  it('says what happened and what to do if a server can not be reached', async () => {
    const attempt = async (kind: 'stdio' | 'url', text: string) => {
      await page.getByRole('button', { name: kind === 'stdio' ? 'Start a command' : 'Connect to a URL' }).click();
      await field(page, kind === 'stdio' ? 'Command' : 'URL').fill(text);
      await page.getByRole('button', { name: 'Connect', exact: true }).click();
    };
    await attempt('stdio', 'no-such-program-here');
    await page.getByText('Is no-such-program-here installed and on PATH?').waitFor();
    await attempt('stdio', `${process.execPath} -e "console.error('no key given'); process.exit(3)"`);
    await page.getByText('exited with code 3').waitFor();
    expect(await page.locator('.problem').textContent()).toContain('no key given');
    await attempt('stdio', 'node "unclosed');
    await page.getByText('The quote at position 6 of this command is never closed').waitFor();
    await attempt('url', 'http://127.0.0.1:1/mcp');
    await page.getByText('Nothing listens there. Is the server running').waitFor();
    await attempt('url', 'ftp://example.com');
    await page.getByText('ftp://example.com is not a URL with http:, https:, ws: or wss:.').waitFor();
    expect(await page.locator('.problem').count()).toBe(1);
  });

  it('offers running editors and configured servers, without their secrets', async () => {
    const text = (await page.getByRole('main').textContent()) ?? '';
    expect(text).toContain('this folder');
    expect(text).toContain('broken: command needs the environment variable NOT_SET, which is not set.');
    expect(text).toContain('.claude.json is not valid JSON');
    expect(text).not.toContain('hidden-value');
    expect(await page.getByRole('button', { name: 'Connect to broken' }).isDisabled()).toBe(true);
    await page.getByRole('button', { name: /^Connect to .* by mcp$/ }).click();
    await page.getByText(/over Streamable HTTP/).waitFor();
    await page.getByRole('button', { name: 'Disconnect' }).click();
  });

  it('calls tools of the reference server, which asks while it answers', async () => {
    await page.getByRole('button', { name: 'Connect to everything' }).click();
    await connectedTo(page, 'Everything Reference Server');
    await showTool(page, 'get-sum');
    await field(page, 'a').fill('2');
    await field(page, 'b').fill('40');
    expect(await callTool(page)).toContain('42');
    await showTool(page, 'get-tiny-image');
    await callTool(page);
    await page.getByRole('img', { name: /image\/png/ }).waitFor();
    await showTool(page, 'trigger-long-running-operation');
    await field(page, 'duration').fill('1');
    await field(page, 'steps').fill('2');
    await page.getByRole('button', { name: 'Call', exact: true }).click();
    await page.getByText(/^1 of 2/).waitFor();
    expect(await resultText(page)).toContain('Long running operation completed');
    await showTool(page, 'trigger-elicitation-request');
    await page.getByRole('button', { name: 'Call', exact: true }).click();
    await page
      .getByRole('region', { name: 'Questions of the server' })
      .getByRole('button', { name: 'Decline' })
      .click();
    expect(await resultText(page)).toMatch(/declin/i);
  });

  it('ends the server that it started when it ends', async () => {
    const { pid } = command.child;
    const children = () =>
      execFileSync('pgrep', ['-P', String(pid)], { encoding: 'utf8' })
        .trim()
        .split('\n');
    const [server = ''] = children();
    expect(readFileSync(`/proc/${server}/cmdline`, 'utf8')).toContain('server-everything');
    await command.end();
    expect(existsSync(`/proc/${server}`)).toBe(false);
  });
});

describe('the link of the page', () => {
  let command: InspectCommand;
  beforeAll(() => {
    command = new InspectCommand(browser(), ['--stdio', INSPECTED]);
  });
  afterAll(() => command.dispose());

  it('works once; a page without access says so, and shows nothing', async () => {
    const link = await command.link();
    const stranger = await command.open(new URL('/', link).href);
    await stranger.getByText('This page has no access.').waitFor();
    expect(await stranger.getByText('Not connected').count()).toBe(1);
    const page = await command.open(link);
    await connectedTo(page, 'Inspected Server');
    const late = await command.open(link);
    await late.getByText('This page has no access.').waitFor();
    await page.context().close();
  });

  it('is followed by another one when the page is closed, which finds the session as it was', async () => {
    const page = await command.open(await command.link());
    await connectedTo(page, 'Inspected Server');
    await showView(page, 'Traffic');
    await page.getByText(/Connection 1 opened/).waitFor();
    const copy = await page.context().newPage();
    copy.setDefaultTimeout(30_000);
    const stored = await page.evaluate('JSON.stringify(sessionStorage)');
    await copy.addInitScript(
      `for (const [key, value] of Object.entries(${stored})) sessionStorage.setItem(key, value)`,
    );
    await copy.goto(new URL('/', page.url()).href);
    await connectedTo(copy, 'Inspected Server');
    await page.getByText('Another page has taken over.').waitFor();
    await page.getByRole('button', { name: 'Use this page' }).click();
    await copy.getByText('Another page has taken over.').waitFor();
    await connectedTo(page, 'Inspected Server');
  });
});
