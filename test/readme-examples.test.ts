import { type ChildProcess, execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { promisify } from 'node:util';
import { Client, type ClientOptions, type ClientSession } from '@hawser/mcp/client';
import { connectHttp } from '@hawser/mcp/http';
import { connectStdio } from '@hawser/mcp/stdio';
import { connectWebSocket } from '@hawser/mcp/websocket';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { Household, PROGRAM } from '../packages/bridge/testing/program.ts';
import { AuthorizationServer } from '../packages/mcp/testing/authorization-server.ts';
import { LoginServer } from '../packages/mcp/testing/login-server.ts';
import { ProtectedServer } from '../packages/mcp/testing/protected-server.ts';
import { RedisServer } from '../packages/mcp/testing/redis-server.ts';
import { type PackedProject, packedProject, root } from './packed-project.ts';

// Runs every example as it is printed, in a process of its own, in a project that installed the package.

const DOCUMENTS = [
  'packages/mcp/README.md',
  'docs/authorization.md',
  'docs/coming-from-the-sdk.md',
  'docs/running-many.md',
  'docs/tutorials/first-server.md',
  'docs/tutorials/first-client.md',
];
/** What the examples import besides the package. */
const ALSO = ['@redis/client@6', 'express@5', 'fastify@5', 'hono@4', '@hono/node-server', 'zod@4'];
const TYPES = ['@types/express@5', '@types/node@20'];
/** Keeps tokens in a file of its own, which takes more annotations than the example has lines. */
const JAVASCRIPT_ONLY = 'authorized-client.mjs';
const HTTP_ADA = { headers: { Authorization: 'Bearer secret-of-ada' } };

let project: PackedProject;
let folder: string;
const names: string[] = [];
const closers: (() => unknown)[] = [];
const children = new Map<string, ChildProcess>();

beforeAll(async () => {
  project = await packedProject(['mcp'], [...ALSO, ...TYPES]);
  ({ folder } = project);
  for (const document of DOCUMENTS) {
    const text = await readFile(join(root, document), 'utf8');
    for (const [, code = ''] of text.matchAll(/^```js\n(.*?)^```$/gms)) {
      const name = /^\/\/ (\S+\.mjs)\n/.exec(code)?.[1];
      if (name === undefined) throw new Error(`An example of ${document} does not begin with its file name:\n${code}`);
      names.push(name);
      await writeFile(join(folder, name), code);
    }
  }
});

afterEach(async () => {
  for (const close of closers.splice(0).reverse()) await close();
});

afterAll(() => project?.remove());

function start(name: string): ChildProcess {
  const child = spawn(process.execPath, [name], { cwd: folder, stdio: ['ignore', 'pipe', 'inherit'] });
  children.set(name, child);
  closers.push(async () => {
    if (child.exitCode !== null || child.signalCode !== null) return;
    child.kill('SIGKILL');
    await once(child, 'exit');
  });
  return child;
}

/** The lines of a program that ends by itself. */
async function run(name: string): Promise<string[]> {
  const child = start(name);
  const lines: string[] = [];
  createInterface({ input: child.stdout as NodeJS.ReadableStream }).on('line', (line) => lines.push(line));
  const [code] = await once(child, 'close');
  expect(code).toBe(0);
  return lines;
}

/** What a server prints after `Listening at`. */
async function listening(name: string): Promise<string> {
  const child = start(name);
  const lines = createInterface({ input: child.stdout as NodeJS.ReadableStream });
  const [line] = await Promise.race([once(lines, 'line'), once(child, 'exit').then(() => [`${name} ended`])]);
  expect(line).toMatch(/^Listening at /);
  return String(line).slice('Listening at '.length);
}

async function connect(
  connection: Parameters<Client['connect']>[0],
  options: ClientOptions = {},
): Promise<ClientSession> {
  const session = await new Client({ name: 'reader', version: '1' }, options).connect(connection);
  closers.push(() => session.close());
  return session;
}

const overStdio = (name: string, options: ClientOptions = {}) =>
  connect(connectStdio({ command: process.execPath, args: [name], cwd: folder }), options);

const add = async (session: ClientSession) => (await session.callTool('add', { a: 1, b: 2 })).content;
const THREE = [{ type: 'text', text: '3' }];

it('the examples compile as strict TypeScript', async () => {
  const typed = join(folder, 'typed');
  await mkdir(typed);
  const greeter = /^```js\n(.*?)^```$/ms.exec(await readFile(join(root, 'README.md'), 'utf8'))?.[1] ?? '';
  expect(greeter).toContain("name: 'greet'");
  await writeFile(join(typed, 'greeter.ts'), greeter);
  for (const name of names.filter((each) => each !== JAVASCRIPT_ONLY)) {
    const code = await readFile(join(folder, name), 'utf8');
    const imports = code.replaceAll(/'(\.\/[\w-]+)\.mjs'/g, "'$1.ts'");
    await writeFile(join(typed, name.replace('.mjs', '.ts')), imports);
  }
  const compilerOptions = {
    strict: true,
    noEmit: true,
    module: 'nodenext',
    target: 'es2023',
    skipLibCheck: true,
    allowImportingTsExtensions: true,
    types: ['node'],
  };
  await writeFile(join(typed, 'tsconfig.json'), JSON.stringify({ compilerOptions, include: ['*.ts'] }));
  await writeFile(join(typed, 'package.json'), '{ "type": "module" }');
  const tsc = join(root, 'node_modules', '.bin', 'tsc');
  const { stdout } = await promisify(execFile)(tsc, ['-p', typed]).catch((error: { stdout: string }) => error);
  expect(stdout).toBe('');
});

describe('the examples of the README, of the tutorials and of the page for users of the SDK', () => {
  it('are all run here', () => {
    expect(names.sort()).toEqual([
      'authorized-client.mjs',
      'client.mjs',
      'context.mjs',
      'custom.mjs',
      'express.mjs',
      'fastify.mjs',
      'features.mjs',
      'hono.mjs',
      'http-server.mjs',
      'http.mjs',
      'login.mjs',
      'many.mjs',
      'notes-client.mjs',
      'notes-server.mjs',
      'oauth.mjs',
      'protected-server.mjs',
      'redis.mjs',
      'server.mjs',
      'stdio.mjs',
      'websocket.mjs',
    ]);
  });

  it('stdio.mjs serves server.mjs', async () => {
    expect(await add(await overStdio('stdio.mjs'))).toEqual(THREE);
  });

  it('http.mjs serves at the port it names', async () => {
    const url = await listening('http.mjs');
    expect(url).toBe('http://127.0.0.1:3000/mcp');
    expect(await add(await connect(connectHttp(url)))).toEqual(THREE);
  });

  it('websocket.mjs serves at the port it names', async () => {
    const url = await listening('websocket.mjs');
    expect(new URL(url).port).toBe('3001');
    expect(await add(await connect(await connectWebSocket(url)))).toEqual(THREE);
  });

  it('features.mjs has a tool, a template and a prompt', async () => {
    const session = await overStdio('features.mjs');
    expect(await session.callTool('write_note', { name: 'a', text: 'four' })).toMatchObject({
      structuredContent: { length: 4 },
    });
    expect(await session.readResource('note:///a')).toEqual([
      { uri: 'note:///a', mimeType: 'text/plain', text: 'four' },
    ]);
    const ref = { type: 'ref/resource', uri: 'note:///{name}' } as const;
    expect(await session.complete({ ref, argument: { name: 'name', value: 't' } })).toMatchObject({ values: ['todo'] });
    expect(await session.getPrompt('summarize', { note: 'todo' })).toMatchObject({
      messages: [{ content: { text: 'Summarize this in English: Buy milk' } }],
    });
  });

  it('context.mjs asks, in sessions and without', async () => {
    for (const negotiation of ['initialize', 'discover'] as const) {
      const elicit = () => ({ action: 'accept' as const, content: { target: 'staging' } });
      const session = await overStdio('context.mjs', { negotiation, elicit });
      expect((await session.callTool('deploy')).content).toEqual([{ type: 'text', text: 'Deployed to staging.' }]);
    }
  });

  it('express.mjs knows its users and their scopes, and has other routes', async () => {
    const origin = `http://127.0.0.1:${await listening('express.mjs')}`;
    expect(await (await fetch(origin)).text()).toBe('Hello');
    expect(await add(await connect(connectHttp(`${origin}/mcp`, HTTP_ADA)))).toEqual(THREE);
    expect((await fetch(`${origin}/mcp`, { method: 'POST' })).status).toBe(401);
  });

  it('fastify.mjs passes on the body that Fastify has read', async () => {
    const url = `http://127.0.0.1:${await listening('fastify.mjs')}/mcp`;
    expect(await add(await connect(connectHttp(url)))).toEqual(THREE);
  });

  it('hono.mjs serves through a fetch handler', async () => {
    const url = `http://127.0.0.1:${await listening('hono.mjs')}/mcp`;
    expect(await add(await connect(connectHttp(url)))).toEqual(THREE);
  });

  it('oauth.mjs serves those with a token of the issuer, and says where to get one', async () => {
    const issuer = await AuthorizationServer.open();
    closers.push(() => issuer.stop());
    process.env.ISSUER = issuer.issuer;
    const url = await listening('oauth.mjs');
    const refused = await fetch(url, { method: 'POST' });
    const [, metadataUrl = ''] = /resource_metadata="(.+)"/.exec(refused.headers.get('WWW-Authenticate') ?? '') ?? [];
    const metadata = await (await fetch(metadataUrl)).json();
    const { resource, authorization_servers: issuers } = metadata as {
      resource: string;
      authorization_servers: unknown;
    };
    expect([refused.status, resource, issuers]).toEqual([401, url, [issuer.issuer]]);
    const withScope = async (scope: string) => {
      const token = await issuer.token('ada', { scope, resource });
      return connect(connectHttp(url, { headers: { Authorization: `Bearer ${token}` } }));
    };
    expect(await add(await withScope('notes add'))).toEqual(THREE);
    await expect(add(await withScope('notes'))).rejects.toThrow('The token lacks the scope add');
  });

  it('the page about authorization: server, client and command line work together', async () => {
    const provider = await LoginServer.open();
    closers.push(() => provider.close());
    process.env.ISSUER = provider.issuer;
    const house = new Household();
    closers.push(() => house.dispose());
    const { HOME } = process.env;
    process.env.HOME = house.home;
    closers.push(() => Object.assign(process.env, { HOME }));
    const url = await listening('protected-server.mjs');
    const printedBy = async (name: string) => {
      const child = start(name);
      const printed: string[] = [];
      for await (const line of createInterface({ input: child.stdout as NodeJS.ReadableStream })) {
        const [, page] = /^Log in at (.*)/.exec(line) ?? [];
        if (page === undefined) printed.push(line);
        else await fetch(await provider.approve(page));
      }
      return printed;
    };
    expect(await printedBy('authorized-client.mjs')).toEqual(['You have 1 notes.']);
    const logins = provider.requests.filter((request) => request === 'GET /auth').length;
    expect(await printedBy('authorized-client.mjs')).toEqual(['You have 2 notes.']);
    expect(provider.requests.filter((request) => request === 'GET /auth')).toHaveLength(logins);

    const page = await readFile(join(root, 'docs/authorization.md'), 'utf8');
    const [, lines = ''] = /^```sh\n(.*?)^```$/ms.exec(page) ?? [];
    const outputs: string[] = [];
    for (const line of lines.trim().split('\n')) {
      const child = spawn('sh', ['-c', line.replace(/^hawser/, `"${process.execPath}" "${PROGRAM}"`)], {
        env: house.env,
      });
      closers.push(() => child.kill('SIGKILL'));
      createInterface({ input: child.stderr }).on('line', async (text) => {
        if (text.startsWith('http')) child.stdin.end(`${await provider.approve(text)}\n`);
      });
      let output = '';
      for await (const chunk of child.stdout) output += chunk;
      outputs.push(output);
    }
    expect(outputs).toEqual([
      `Logged in to ${url} at ${provider.issuer}.\nScopes: notes\n`,
      'Buy milk\nBuy milk\n',
      `Logged in to ${url} at ${provider.issuer}.\nScopes: notes notes:write\n`,
      'You have 3 notes.\n',
      `Logged out of ${url}: ${provider.issuer} has revoked the tokens.\n`,
    ]);
  });

  describe('redis.mjs', async () => {
    const redis = await RedisServer.start('tcp');

    it('serves a session in two processes, and the second goes on when the first is killed', async () => {
      Object.assign(process.env, { REDIS_URL: redis.url, PORT: '3008' });
      const first = await listening('redis.mjs');
      const killed = children.get('redis.mjs');
      process.env.PORT = '3009';
      const second = await listening('redis.mjs');
      const headers = { 'content-type': 'application/json', accept: 'application/json, text/event-stream' };
      const post = async (url: string, message: object, more: Record<string, string> = {}) => {
        const body = JSON.stringify({ jsonrpc: '2.0', id: 1, ...message });
        return fetch(url, { method: 'POST', headers: { ...headers, ...more }, body });
      };
      const clientInfo = { name: 'reader', version: '1' };
      const params = { protocolVersion: '2025-11-25', capabilities: {}, clientInfo };
      const opened = await post(first, { method: 'initialize', params });
      const id = { 'mcp-session-id': opened.headers.get('mcp-session-id') ?? '' };
      const who = async (url: string) =>
        (await post(url, { method: 'tools/call', params: { name: 'who', arguments: {} } }, id)).text();
      await post(second, { id: undefined, method: 'notifications/initialized' }, id);
      expect(await who(first)).toContain(`process ${killed?.pid}`);
      killed?.kill('SIGKILL');
      expect(await who(second)).toContain(`process ${children.get('redis.mjs')?.pid}`);
    });

    it('many.mjs is a process of such a server, too', async () => {
      Object.assign(process.env, { REDIS_URL: redis.url, PORT: '3010', STATE_SECRET: 'of the test' });
      const session = await new Client({ name: 'reader', version: '1' }).connect(
        connectHttp(await listening('many.mjs')),
      );
      closers.push(() => session.close());
      expect(session.serverInfo?.name).toBe('example');
    });
  });

  it('client.mjs starts stdio.mjs, lists its tools and calls one', async () => {
    expect(await run('client.mjs')).toEqual(["[ 'add' ]", '3']);
  });

  it('login.mjs waits until the user has logged in with a browser', async () => {
    const server = await ProtectedServer.open(3006);
    closers.push(() => server.close());
    const child = start('login.mjs');
    const lines = createInterface({ input: child.stdout as NodeJS.ReadableStream });
    const [line] = await once(lines, 'line');
    const tools = once(lines, 'line');
    const page = await fetch(String(line).slice('Log in at '.length));
    expect(await page.text()).toBe('You are logged in and can close this page.');
    expect(await tools).toEqual(["[ 'hello' ]"]);
    expect(await once(child, 'exit')).toEqual([0, null]);
  });

  it('notes-client.mjs calls notes-server.mjs, and prints what is wrong with a call', async () => {
    expect(await run('notes-client.mjs')).toEqual([
      'write_note Writes a note, or replaces the one of that name',
      'list_notes ',
      'There are 1 notes now.',
      expect.stringMatching(/^true .*text/),
    ]);
  });

  it('custom.mjs sends a custom notification', async () => {
    expect(await run('custom.mjs')).toEqual(['hello']);
  });

  it('http-server.mjs keeps a cart for each user, and ends with SIGTERM', async () => {
    const url = await listening('http-server.mjs');
    const session = await connect(connectHttp(url, HTTP_ADA));
    const { structuredContent } = await session.callTool('add_to_cart', { fruit: 'pear', count: 2 });
    expect(structuredContent).toEqual({ total: 2 });
    expect(await session.readResource('cart:///ada')).toMatchObject([{ text: '["pear","pear"]' }]);
    await expect(session.readResource('cart:///eve')).rejects.toThrow('Resource not found');
    expect(await session.getPrompt('recipe', { fruit: 'pear' })).toMatchObject({ messages: [{ role: 'user' }] });
    await session.close();
    const child = children.get('http-server.mjs');
    child?.kill('SIGTERM');
    expect(await once(child as ChildProcess, 'exit')).toEqual([0, null]);
  });
});
