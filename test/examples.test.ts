import { type ChildProcess, execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { basename, join } from 'node:path';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { Client } from '@hawser/mcp/client';
import { connectHttp } from '@hawser/mcp/http';
import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import { connectAgent } from '../packages/bridge/testing/agent.ts';
import { temporaryFolder } from '../packages/bridge/testing/temporary-folder.ts';

// Each runs as a process of its own, on the built packages.

const run = promisify(execFile);
const examples = fileURLToPath(new URL('../examples', import.meta.url));
const script = (path: string) => join(examples, path);

let folder: string;
let env: Record<string, string | undefined>;
const closers: (() => unknown)[] = [];

beforeEach(() => {
  folder = temporaryFolder();
  env = { PATH: process.env.PATH, HOME: folder, TMPDIR: folder };
});

afterEach(async () => {
  for (const close of closers.splice(0).reverse()) await close();
});

/** Starts one and gives its process, the first line that it prints, and all that it has printed. */
async function start(path: string, args: readonly string[] = []) {
  const child = spawn(process.execPath, [script(path), ...args], {
    cwd: folder,
    env,
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  closers.push(() => end(child));
  let text = '';
  child.stdout.setEncoding('utf8').on('data', (part) => {
    text += part;
  });
  const lines = createInterface({ input: child.stdout as NodeJS.ReadableStream });
  const [line] = await Promise.race([once(lines, 'line'), once(child, 'exit').then(() => [`${path} ended`])]);
  return { child, line: line as string, printed: () => text };
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
  const tests = readdirSync(import.meta.dirname).filter((name) => name.endsWith('.test.ts'));
  const text = tests.map((name) => readFileSync(join(import.meta.dirname, name), 'utf8')).join();
  for (const name of readdirSync(examples)) expect(text).toMatch(new RegExp(`['/]${name}['/]`));
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

it('library-editor shows its file to Claude Code, which gets no tool that the editor has not', async () => {
  writeFileSync(join(folder, 'a.txt'), 'first\n');
  const { child, line } = await start('library-editor/bridge.mjs', ['a.txt']);
  const { authToken } = JSON.parse(readFileSync(line, 'utf8'));
  const agent = await connectAgent(`ws://127.0.0.1:${basename(line, '.lock')}`, authToken);
  closers.push(() => agent.close());
  await agent.initialize();
  expect(await agent.callJson('getOpenEditors')).toMatchObject({ tabs: [{ label: 'a.txt' }] });
  const { tools } = await agent.request('tools/list');
  expect(tools.map(({ name }: { name: string }) => name)).not.toContain('saveDocument');
  expect(await end(child, 'SIGTERM')).toBe(0);
});

it('custom-editor shows its selection and proposals to a user in the terminal, who decides', async () => {
  writeFileSync(join(folder, 'a.txt'), 'first\n');
  const hawser = fileURLToPath(new URL('../packages/bridge/bin/hawser.cjs', import.meta.url));
  mkdirSync(join(folder, 'bin'));
  writeFileSync(join(folder, 'bin', 'hawser'), `#!/bin/sh\nexec ${process.execPath} ${hawser} "$@"\n`, { mode: 0o755 });
  const child = spawn(process.execPath, [script('custom-editor/main.mjs')], {
    cwd: folder,
    env: { ...env, PATH: `${join(folder, 'bin')}:${env.PATH}` },
    stdio: ['pipe', 'pipe', 'inherit'],
  });
  closers.push(() => child.kill('SIGKILL'));
  let printed = '';
  child.stdout.setEncoding('utf8').on('data', (text: string) => {
    printed += text;
  });
  const prints = (pattern: RegExp) =>
    vi.waitFor(() => pattern.exec(printed) ?? expect.fail(printed), { timeout: 30_000 });
  await prints(/open FILE/);
  child.stdin.write('open a.txt\nselect a.txt 1\n');
  const ide = join(folder, '.claude', 'ide');
  const lock = await vi.waitFor(() => readdirSync(ide).find((name) => name.endsWith('.lock')) ?? expect.fail(), 30_000);
  const { authToken } = JSON.parse(readFileSync(join(ide, lock), 'utf8'));
  const agent = await connectAgent(`ws://127.0.0.1:${basename(lock, '.lock')}`, authToken);
  closers.push(() => agent.close());
  await agent.initialize();
  await expect.poll(() => agent.callJson('getCurrentSelection')).toMatchObject({ text: 'first\n' });
  const path = join(folder, 'a.txt');
  const change = { old_file_path: path, new_file_path: path, new_file_contents: 'second\n', tab_name: 'a change' };
  const answer = agent.call('openDiff', change);
  const [, id] = await prints(/proposes (\S+): a change/);
  child.stdin.write(`show ${id}\naccept ${id}\n`);
  expect(await answer).toEqual(['FILE_SAVED', 'second\n']);
  await prints(/second\n(?:.*\n)*decided/);
  child.stdin.end('quit\n');
  await once(child, 'exit');
  await expect.poll(() => existsSync(join(ide, lock))).toBe(false);
});

it('cluster serves sessions and stateless clients through a proxy, shows what it does, and leaves nothing behind', async () => {
  const { child, line, printed } = await start('cluster/start.mjs', ['--port', '0', '--status-port', '0']);
  const statusUrl = await vi.waitFor(() => printed().match(/Watch with: .* (\S+)\n/)?.[1] ?? expect.fail(), 30_000);
  for (const negotiation of ['initialize', 'discover'] as const) {
    const elicit = () => ({ action: 'accept' as const, content: { name: 'Ada' } });
    const session = await new Client({ name: 'reader', version: '1' }, { negotiation, elicit }).connect(
      connectHttp(line.replace('Listening at ', '')),
    );
    closers.push(() => session.close());
    const tools = await session.listTools();
    expect(tools.map(({ name }) => name)).toEqual(['echo', 'stream', 'work', 'ask', 'touch']);
    const updates: string[] = [];
    const updated = new Promise<void>((resolve) => {
      session.onNotification('notifications/resources/updated', ({ uri }) => resolve(void updates.push(uri)));
    });
    const logged: unknown[] = [];
    session.onNotification('notifications/message', ({ data }) => logged.push(data));
    await session.setLogLevel('info');
    await session.subscribe('note:///shopping');
    expect(textOf(await session.callTool('echo', { text: 'hello' }))).toBe('hello');
    expect(textOf(await session.callTool('stream', { count: 3, everyMs: 1 }))).toBe('3 messages');
    expect(logged).toEqual([1, 2, 3]);
    expect(textOf(await session.callTool('ask'))).toBe('Ada');
    expect(textOf(await session.callTool('work', { ms: 1, ask: true }))).toBe('Worked for 1 ms');
    expect(await session.callTool('touch', { name: 'no/name' })).toMatchObject({ isError: true });
    await session.callTool('touch', { name: 'shopping' });
    await updated;
    expect(updates).toEqual(['note:///shopping']);
    for (const _process of [1, 2]) {
      expect((await session.listResources()).map(({ uri }) => uri)).toEqual(['note:///shopping']);
    }
  }
  const { stdout } = await run(process.execPath, [script('cluster/watch.mjs'), statusUrl, '--once']);
  expect(stdout).toMatch(/process-1 +UP .*\n.*process-2 +UP /);
  const { stdout: programs } = await run('ps', ['--ppid', String(child.pid), '-o', 'comm=']);
  expect(programs.trim().split(/\s+/).sort()).toEqual(['haproxy', 'node', 'node', 'redis-server']);
  const { stdout: pids } = await run('ps', ['--ppid', String(child.pid), '-o', 'pid=']);
  expect(await end(child, 'SIGINT')).toBe(0);
  for (const pid of pids.trim().split(/\s+/)) expect(() => process.kill(Number(pid), 0)).toThrow('ESRCH');
  expect(readdirSync(folder)).toEqual([]);
});

it('cluster says what is missing', async () => {
  env.PATH = folder;
  const failed = (args: string[], more = {}) =>
    run(process.execPath, args, { env: { ...env, ...more } }).then(
      () => expect.unreachable(),
      (error: { code: number; stderr: string }) => error,
    );
  expect(await failed([script('cluster/start.mjs'), '--port', '0', '--status-port', '0'])).toMatchObject({
    code: 1,
    stderr: expect.stringMatching(
      /^redis-server is not installed\. On Debian or Ubuntu: sudo apt-get install redis-server\n$/,
    ),
  });
  expect((await failed([script('cluster/start.mjs'), '--processes', 'many'])).stderr).toBe(
    '--processes takes a number from 1 to 64, not many.\n',
  );
  expect((await failed([script('cluster/server.mjs')])).stderr).toContain('Set REDIS_URL to the Redis');
  expect((await failed([script('cluster/watch.mjs'), 'http://127.0.0.1:1'])).stderr).toContain('does not answer');
});
