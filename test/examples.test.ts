import { type ChildProcess, execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { basename, join } from 'node:path';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { Client } from '@hawser/mcp/client';
import { connectHttp } from '@hawser/mcp/http';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { connectAgent } from '../packages/bridge/testing/agent.ts';

// Each runs as a process of its own, on the built packages.

const run = promisify(execFile);
const examples = fileURLToPath(new URL('../examples', import.meta.url));
const script = (path: string) => join(examples, path);

let folder: string;
let env: Record<string, string | undefined>;
const closers: (() => unknown)[] = [];

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'hawser-examples-'));
  env = { PATH: process.env.PATH, HOME: folder };
  closers.push(() => rmSync(folder, { recursive: true, force: true, maxRetries: 5 }));
});

afterEach(async () => {
  for (const close of closers.splice(0).reverse()) await close();
});

/** Starts one and gives its process and the first line that it prints. */
async function start(path: string, args: readonly string[] = []): Promise<{ child: ChildProcess; line: string }> {
  const child = spawn(process.execPath, [script(path), ...args], {
    cwd: folder,
    env,
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  closers.push(() => end(child));
  const lines = createInterface({ input: child.stdout as NodeJS.ReadableStream });
  const [line] = await Promise.race([once(lines, 'line'), once(child, 'exit').then(() => [`${path} ended`])]);
  return { child, line };
}

async function end(child: ChildProcess, signal: NodeJS.Signals = 'SIGKILL'): Promise<unknown> {
  if (child.exitCode !== null || child.signalCode !== null) return child.exitCode;
  child.kill(signal);
  const [code] = await once(child, 'exit');
  return code;
}

async function connect(line: string, headers: Record<string, string> = {}) {
  const url = line.replace('Listening at ', '');
  const session = await new Client({ name: 'reader', version: '1' }).connect(connectHttp(url, { headers }));
  closers.push(() => session.close());
  return session;
}

const textOf = ({ content }: { content: readonly unknown[] }) => (content[0] as { text: string }).text;

it('every folder of examples/ is run by a test', () => {
  const tests = ['examples.test.ts', 'hawser-library.test.ts', 'lisp-worked-session.test.ts'];
  const text = tests.map((name) => readFileSync(fileURLToPath(new URL(name, import.meta.url)), 'utf8')).join();
  for (const name of readdirSync(examples)) expect(text).toContain(name);
});

it('first-session prints what its server answers', async () => {
  const { stdout } = await run(process.execPath, [script('first-session/session.mjs')]);
  expect(stdout).toContain("text: 'Hello, Ada!'");
});

it('client lists the tools of a server and calls one', async () => {
  const server = ['--', process.execPath, script('echo/echo.mjs'), 'stdio'];
  const { stdout } = await run(process.execPath, [script('client/client.mjs'), 'echo', '{"text":"hello"}', ...server]);
  expect(stdout).toMatch(/^echo\t/);
  expect(stdout).toMatch(/\nhello\n$/);
  await expect(run(process.execPath, [script('client/client.mjs')])).rejects.toMatchObject({ code: 2 });
});

it('http-authorization keeps a note for each user, and lets only some write', async () => {
  env.TOKENS = JSON.stringify({ one: { id: 'ada', scopes: ['read', 'write'] }, two: { id: 'eve', scopes: ['read'] } });
  const { line } = await start('http-authorization/server.mjs');
  const ada = await connect(line, { Authorization: 'Bearer one' });
  const eve = await connect(line, { Authorization: 'Bearer two' });
  expect(textOf(await ada.callTool('write_note', { text: 'mine' }))).toBe('Written.');
  expect(textOf(await ada.callTool('read_note'))).toBe('mine');
  expect(textOf(await eve.callTool('read_note'))).toBe('There is no note yet.');
  expect(await eve.callTool('write_note', { text: 'mine' })).toMatchObject({ isError: true });
  const refused = await fetch(line.replace('Listening at ', ''), { method: 'POST', body: '{}' });
  expect([refused.status, refused.headers.get('WWW-Authenticate')]).toEqual([401, 'Bearer realm="notes"']);
});

it.each(['express', 'hono'])('%s serves MCP beside another route', async (name) => {
  const { line } = await start(`${name}/server.mjs`);
  const url = line.replace('Listening at ', '');
  expect(await (await fetch(new URL('/', url))).text()).toBe('MCP is at /mcp');
  expect(textOf(await (await connect(line)).callTool('now'))).toMatch(/^\d{4}-\d\d-\d\dT/);
});

it('agent-adapter tells a script with the right token what is selected, and leaves no file behind', async () => {
  writeFileSync(join(folder, 'a.txt'), 'first\n');
  const { child, line } = await start('agent-adapter/bridge.mjs', ['a.txt']);
  const { url, token } = JSON.parse(readFileSync(line, 'utf8'));
  const headers = { Authorization: `Bearer ${token}` };
  expect(await (await fetch(`${url}/selection`, { headers })).json()).toMatchObject({
    kind: 'selection',
    selection: { path: join(folder, 'a.txt') },
  });
  expect((await fetch(`${url}/selection`)).status).toBe(401);
  expect(await end(child, 'SIGTERM')).toBe(0);
  expect(readdirSync(folder)).not.toContain(basename(line));
});

it('custom-editor shows its file to Claude Code, which gets no tool that the editor has not', async () => {
  writeFileSync(join(folder, 'a.txt'), 'first\n');
  const { child, line } = await start('custom-editor/bridge.mjs', ['a.txt']);
  const { authToken } = JSON.parse(readFileSync(line, 'utf8'));
  const agent = await connectAgent(`ws://127.0.0.1:${basename(line, '.lock')}`, authToken);
  closers.push(() => agent.close());
  await agent.initialize();
  expect(await agent.callJson('getOpenEditors')).toMatchObject({ tabs: [{ label: 'a.txt' }] });
  const { tools } = await agent.request('tools/list');
  expect(tools.map(({ name }: { name: string }) => name)).not.toContain('saveDocument');
  expect(await end(child, 'SIGTERM')).toBe(0);
});
