import { once } from 'node:events';
import { chmodSync, existsSync, lstatSync, mkdirSync, statSync, writeFileSync } from 'node:fs';
import { createServer, type Server } from 'node:net';
import { dirname, join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { Mailbox } from '../../../../mcp/testing/mailbox.ts';
import { CodexClient, frameOf } from '../../../testing/codex.ts';
import { temporaryFolder } from '../../../testing/temporary-folder.ts';
import { type Access, makeAccess } from '../../access/access.ts';
import type { OpenAdapter } from '../../agent.ts';
import { type Bridge, openBridge } from '../../bridge.ts';
import { type WorkspaceEditor, workspaceEditor } from '../../editors/workspace/workspace-editor.ts';
import { codexAdapter } from './adapter.ts';
import { FRAME_LIMITS } from './frame-connection.ts';
import { joinRouter } from './membership.ts';

interface Served {
  readonly folder: string;
  readonly bridge: Bridge;
  readonly adapter: OpenAdapter;
  readonly editor: WorkspaceEditor;
  readonly access: Access;
}

const firstWord = { start: { line: 0, character: 0 }, end: { line: 0, character: 3 } };

let home: string;
let socket: string;
let legacy: string;
let bridges: Bridge[];
let clients: CodexClient[];
let servers: Server[];

beforeEach(() => {
  home = temporaryFolder();
  socket = join(home, '.codex', 'ipc', 'ipc.sock');
  legacy = join(home, 'codex-ipc', `ipc-${process.getuid?.()}.sock`);
  [bridges, clients, servers] = [[], [], []];
});

afterEach(async () => {
  for (const client of clients) client.close();
  for (const bridge of bridges) await bridge.close();
  for (const server of servers) server.close();
});

async function serve(name = 'work', frameTimeoutMs = 60_000): Promise<Served> {
  const folder = join(home, name);
  mkdirSync(folder, { recursive: true });
  writeFileSync(join(folder, 'a.ts'), 'one\ntwo\nthree\n');
  writeFileSync(join(folder, '.env'), 'SECRET=1\n');
  const access = makeAccess({ folders: [folder], home });
  const editor = workspaceEditor({ folders: [folder] });
  const limits = { ...FRAME_LIMITS, frameTimeoutMs };
  const bridge = await openBridge({
    editor,
    access,
    agents: [codexAdapter({ codexHome: join(home, '.codex'), temporaryFolder: home, limits })],
    reviewers: [],
    noticing: 'off',
    identity: { name: 'Hawser', version: '0.0.0', pid: process.pid },
  });
  bridges.push(bridge);
  return { folder, bridge, editor, access, adapter: bridge.agents[0] as OpenAdapter };
}

async function codex(path = socket): Promise<CodexClient> {
  const client = await CodexClient.connect(path);
  clients.push(client);
  return client;
}

/** What Codex would put into its next prompt. */
async function contextOf(folder: string, path = socket) {
  const client = await codex(path);
  const { resultType, result, error } = await client.ideContext(folder);
  client.close();
  return resultType === 'success' ? result.ideContext : error;
}

describe('the socket', () => {
  it('is private, in a folder that only its user can enter, and goes with the bridge and its folders', async () => {
    const { adapter, bridge } = await serve();
    expect(adapter.endpoints).toEqual([`unix:${socket}`, `unix:${legacy}`]);
    expect(adapter.discoveryFiles).toEqual([socket, legacy]);
    for (const path of [socket, legacy]) {
      expect(statSync(path).mode & 0o777).toBe(0o600);
      expect(statSync(dirname(path)).mode & 0o777).toBe(0o700);
    }
    await bridge.close();
    expect([join(home, '.codex'), dirname(legacy)].map((path) => existsSync(path))).toEqual([false, false]);
  });

  it('is removed at once when the process is about to end', async () => {
    const { adapter } = await serve();
    adapter.removeDiscovery();
    expect([socket, legacy].map((path) => existsSync(path))).toEqual([false, false]);
  });

  it('gets a folder that others can write to fixed: Codex would ignore it', async () => {
    mkdirSync(dirname(socket), { recursive: true });
    chmodSync(dirname(socket), 0o777);
    await serve();
    expect(statSync(dirname(socket)).mode & 0o022).toBe(0);
  });

  it('that a crashed program left is replaced', async () => {
    mkdirSync(dirname(socket), { recursive: true });
    await leaveStaleSocket(socket);
    const { folder } = await serve();
    expect(await contextOf(folder)).toEqual({ openTabs: [] });
  });

  it('is not opened over a file that is no socket, which stays', async () => {
    mkdirSync(dirname(socket), { recursive: true });
    writeFileSync(socket, 'precious');
    await expect(serve()).rejects.toThrow('Not a socket');
    expect(lstatSync(socket).isFile()).toBe(true);
  });

  it('whose path is too long is refused with its length', async () => {
    home = join(home, 'x'.repeat(100));
    mkdirSync(home);
    await expect(serve()).rejects.toThrow('at most 103 are possible');
  });
});

describe('a request for the context', () => {
  it('is answered with the active file, the selection and the open files, with paths relative to its folder', async () => {
    const { folder, editor } = await serve();
    const [a, b] = [join(folder, 'a.ts'), join(folder, 'lib', 'b.ts')];
    mkdirSync(dirname(b));
    writeFileSync(b, 'b\n');
    await editor.openFile({ path: b });
    await editor.openFile({ path: a, range: firstWord });
    const client = await codex();
    expect(await client.ideContext(folder)).toEqual({
      type: 'response',
      requestId: 'request-1',
      resultType: 'success',
      method: 'ide-context',
      handledByClientId: expect.any(String),
      result: {
        type: 'broadcast',
        ideContext: {
          activeFile: {
            label: 'a.ts',
            path: 'a.ts',
            fsPath: a,
            selection: firstWord,
            activeSelectionContent: 'one',
            selections: [],
          },
          openTabs: [
            { label: 'b.ts', path: 'lib/b.ts', fsPath: b },
            { label: 'a.ts', path: 'a.ts', fsPath: a },
          ],
        },
      },
    });
    // Codex may run in a folder of the workspace.
    expect(await contextOf(dirname(b))).toMatchObject({
      activeFile: { path: a },
      openTabs: [{ path: 'b.ts' }, { path: a }],
    });
  });

  it('is answered at the path of older versions, which initialize first', async () => {
    const { folder, editor } = await serve();
    await editor.openFile({ path: join(folder, 'a.ts'), range: firstWord });
    const client = await codex(legacy);
    const hello = await client.request(
      'initialize',
      { clientType: 'desktop' },
      { sourceClientId: 'initializing-client' },
    );
    expect(hello).toMatchObject({
      resultType: 'success',
      method: 'initialize',
      result: { clientId: expect.any(String) },
    });
    const { result } = await client.ideContext(folder);
    expect(result.ideContext.activeFile.activeSelectionContent).toBe('one');
  });

  it('shows no denied file, neither as active nor as open', async () => {
    const { folder, editor } = await serve();
    await editor.openFile({ path: join(folder, '.env'), range: firstWord });
    expect(await contextOf(folder)).toEqual({ openTabs: [] });
  });

  it('shows nothing while the user has paused, and all of it again afterwards', async () => {
    const { folder, editor, access } = await serve();
    await editor.openFile({ path: join(folder, 'a.ts'), range: firstWord });
    access.paused = true;
    expect(await contextOf(folder)).toEqual({ openTabs: [] });
    access.paused = false;
    expect(await contextOf(folder)).toMatchObject({ activeFile: { activeSelectionContent: 'one' } });
  });

  it('cuts a long selection where Codex cuts it, and not through a character', async () => {
    const { folder, editor } = await serve();
    const path = join(folder, 'long.txt');
    writeFileSync(path, '😀'.repeat(300_000));
    await editor.openFile({ path, range: { start: { line: 0, character: 0 }, end: { line: 0, character: 600_000 } } });
    const { activeFile } = await contextOf(folder);
    expect(activeFile.activeSelectionContent === '😀'.repeat(200_001)).toBe(true);
  });

  it('for a folder that no editor serves gets the error for which Codex has a sentence', async () => {
    const { folder } = await serve();
    for (const root of [home, join(home, 'other'), `${folder}2`, 'work', '', 'x\0']) {
      expect(await contextOf(root), root).toBe('no-client-found');
    }
  });

  it('makes its client known for as long as it is connected', async () => {
    const { folder, adapter } = await serve();
    const client = await codex();
    expect(adapter.clients()).toEqual([]);
    await client.ideContext(folder);
    expect(adapter.clients()).toEqual([
      expect.objectContaining({ name: 'codex-tui', version: undefined, state: 'ready', calls: 1 }),
    ]);
    await adapter.clients()[0]?.disconnect();
    await client.closed;
    await expect.poll(() => adapter.clients()).toEqual([]);
  });
});

describe('bad input is refused with a reason, and others are unharmed', () => {
  const announce = (length: number) => {
    const header = Buffer.alloc(4);
    header.writeUInt32LE(length, 0);
    return header;
  };

  it.each([
    ['no JSON', frameOf('{"type":'), 'malformed-frame: a frame must contain JSON'],
    ['an empty frame', frameOf(''), 'malformed-frame: a frame must contain JSON'],
    ['a list', frameOf('[1]'), 'malformed-frame: a frame must contain a JSON object'],
    ['nesting without end', frameOf('['.repeat(1_000_000)), 'malformed-frame: a frame must contain JSON'],
    ['no id', frameOf('{"type":"request","method":"ide-context"}'), 'malformed-message: a message needs a type'],
    ['a length over the limit', announce(FRAME_LIMITS.maxFrameBytes + 1), 'frame-too-large: 8388609 bytes announced'],
    ['half a frame', Buffer.concat([announce(100), Buffer.from('{')]), 'frame-timeout: no whole frame arrived in time'],
    ['half a length', Buffer.from([1, 0]), 'frame-timeout: no whole frame arrived in time'],
    ['nothing at all', Buffer.alloc(0), 'frame-timeout: no whole frame arrived in time'],
  ])('%s', async (_what, bytes, reason) => {
    const { folder } = await serve('work', reason.startsWith('frame-timeout') ? 1000 : 60_000);
    const [bad, good] = [await codex(), await codex()];
    const answer = good.ideContext(folder);
    bad.socket.write(bytes);
    const refusal = { type: 'response', requestId: null, resultType: 'error', error: expect.stringContaining(reason) };
    expect(await bad.next(({ requestId }) => requestId === null)).toEqual(refusal);
    await bad.closed;
    expect((await answer).resultType).toBe('success');
    expect((await good.ideContext(folder)).resultType).toBe('success');
  });

  it('an unknown kind of message or method gets an error, and the connection lives on', async () => {
    const { folder } = await serve();
    const client = await codex();
    client.send({ type: 'surprise', requestId: 'x' });
    expect(await client.next(({ requestId }) => requestId === 'x')).toMatchObject({ error: 'no-handler-for-request' });
    expect(await client.request('delete-everything', { workspaceRoot: folder })).toMatchObject({
      error: 'no-client-found',
    });
    expect((await client.ideContext(folder)).resultType).toBe('success');
  });

  it('a request that arrives byte by byte is read', async () => {
    const { folder } = await serve();
    const client = await codex();
    const text = JSON.stringify({
      type: 'request',
      requestId: 'slow',
      method: 'ide-context',
      params: { workspaceRoot: folder },
    });
    for (const byte of frameOf(text)) client.socket.write(Buffer.from([byte]));
    expect(await client.next(({ requestId }) => requestId === 'slow')).toMatchObject({ resultType: 'success' });
  });

  it('connections over the limit are refused, and one that ends makes room', async () => {
    const { folder } = await serve();
    const agents = await Promise.all(Array.from({ length: 64 }, () => codex()));
    for (const agent of agents) await agent.ideContext(folder);
    const refused = await codex();
    expect(await refused.next(() => true)).toMatchObject({ error: expect.stringContaining('too-many-connections') });
    agents[0]?.close();
    await expect.poll(() => contextOf(folder)).toEqual({ openTabs: [] });
  });

  it('connections that say nothing keep no agent out: the oldest of them makes room', async () => {
    const { folder } = await serve();
    const agent = await codex();
    await agent.ideContext(folder);
    const [oldest] = await Promise.all(Array.from({ length: 63 }, () => codex()));
    expect(await contextOf(folder)).toEqual({ openTabs: [] });
    await oldest?.closed;
    expect((await agent.ideContext(folder)).resultType).toBe('success');
  });
});

describe('a socket that answers is never taken over', () => {
  it('of another bridge: each answers for its own folder, and the second stays when the first ends', async () => {
    const [first, second] = [await serve('one'), await serve('two')];
    for (const { folder, editor } of [first, second]) await editor.openFile({ path: join(folder, 'a.ts') });
    const owner = lstatSync(socket).ino;
    await expect.poll(() => second.adapter.endpoints[0]).toBe(`unix:${socket} (through another program)`);
    expect(second.adapter.discoveryFiles).toEqual([]);
    for (const { folder } of [first, second]) {
      expect(await contextOf(folder)).toMatchObject({ activeFile: { fsPath: join(folder, 'a.ts') } });
    }
    expect(lstatSync(socket).ino).toBe(owner);
    await first.bridge.close();
    await expect.poll(() => second.adapter.endpoints[0]).toBe(`unix:${socket}`);
    expect(await contextOf(second.folder)).toMatchObject({ activeFile: { fsPath: join(second.folder, 'a.ts') } });
    expect(await contextOf(first.folder)).toBe('no-client-found');
  });

  it('of a bridge that ends after the second did: the second leaves nothing behind', async () => {
    const [first, second] = [await serve('one'), await serve('two')];
    await expect.poll(() => second.adapter.endpoints[0]).toContain('through another program');
    await second.bridge.close();
    expect(await contextOf(first.folder)).toEqual({ openTabs: [] });
    expect(await contextOf(second.folder)).toBe('no-client-found');
  });

  it('of a program that does not share it: it stays, status says so, and the bridge takes its place once it ends', async () => {
    mkdirSync(dirname(socket), { recursive: true });
    const connections = new Set<{ destroy(): void }>();
    const foreign = createServer((connection) => {
      connections.add(connection);
      connection.on('error', () => {}).resume();
    });
    servers.push(foreign.listen(socket));
    await once(foreign, 'listening');
    const { ino } = lstatSync(socket);
    const { folder, adapter } = await serve();
    await expect.poll(() => adapter.endpoints[0]).toBe(`unix:${socket} (taken by another program)`);
    expect(lstatSync(socket).ino).toBe(ino);
    foreign.close();
    for (const connection of connections) connection.destroy();
    await expect.poll(() => adapter.endpoints[0]).toBe(`unix:${socket}`);
    expect(await contextOf(folder)).toEqual({ openTabs: [] });
  });

  it('of a program that answers late: it is joined nevertheless', async () => {
    mkdirSync(dirname(socket), { recursive: true });
    const late = createServer();
    servers.push(late.listen(socket));
    const asked = once(late, 'connection').then(async ([owner]) => [owner, ...(await once(owner, 'data'))]);
    const answers = new Mailbox<boolean>();
    const provider = { canAnswer: async () => false, answer: async () => ({}) };
    const events = { settled: (isAccepted: boolean) => answers.put(isAccepted), ended: () => {} };
    const membership = await joinRouter(socket, provider, events, { ...FRAME_LIMITS, frameTimeoutMs: 10 });
    const [owner, bytes] = await asked;
    expect([await answers.take(), membership?.isAccepted]).toEqual([false, false]);
    const { requestId } = JSON.parse(bytes.toString('utf8', 4));
    owner.write(frameOf(JSON.stringify({ type: 'response', requestId, result: { clientId: 'c1' } })));
    expect([await answers.take(), membership?.isAccepted]).toEqual([true, true]);
    membership?.close();
  });

  it('by one of several bridges that start at once on a stale socket: one owns it, the others join it', async () => {
    mkdirSync(dirname(socket), { recursive: true });
    await leaveStaleSocket(socket);
    const served = await Promise.all(['one', 'two', 'three', 'four'].map((name) => serve(name)));
    const roles = () => served.map(({ adapter }) => adapter.endpoints[0]?.replace(`unix:${socket}`, '')).sort();
    const member = ' (through another program)';
    await expect.poll(roles).toEqual(['', member, member, member]);
    for (const { folder } of served) expect(await contextOf(folder)).toEqual({ openTabs: [] });
  });
});

describe('other editors that share the socket', () => {
  it('get requests and broadcasts passed on while the bridge owns it', async () => {
    const { folder } = await serve();
    const [vscode, desktop] = [await codex(), await codex()];
    await vscode.request('initialize', { clientType: 'vscode' });
    await desktop.request('initialize', { clientType: 'desktop' });
    const asked = desktop.request('thread-start', { text: 'hello' });
    const question = await vscode.next(({ type }) => type === 'client-discovery-request');
    expect(question.request).toMatchObject({ method: 'thread-start', params: { text: 'hello' } });
    vscode.send({ type: 'client-discovery-response', requestId: question.requestId, response: { canHandle: true } });
    const request = await vscode.next(({ type }) => type === 'request');
    vscode.send({ type: 'response', requestId: request.requestId, resultType: 'success', result: { ok: true } });
    expect(await asked).toMatchObject({ requestId: 'request-2', resultType: 'success', result: { ok: true } });
    desktop.send({ type: 'broadcast', method: 'thread-changed', params: {} });
    expect(await vscode.next(({ type }) => type === 'broadcast')).toMatchObject({ method: 'thread-changed' });
    expect(await contextOf(folder)).toEqual({ openTabs: [] });
  });

  it('that leave in the midst of a request end it with an error', async () => {
    await serve();
    const vscode = await codex();
    await vscode.request('initialize', { clientType: 'vscode' });
    const client = await codex();
    const asked = client.ideContext('/elsewhere');
    const { requestId } = await vscode.next(({ type }) => type === 'client-discovery-request');
    vscode.send({ type: 'client-discovery-response', requestId, response: { canHandle: true } });
    await vscode.next(({ type }) => type === 'request');
    vscode.close();
    expect(await asked).toMatchObject({ resultType: 'error', error: 'client-disconnected' });
  });
});

/** A socket on which nothing listens, as a process that was killed leaves it. */
async function leaveStaleSocket(path: string): Promise<void> {
  const { spawnSync } = await import('node:child_process');
  const script = `require('net').createServer().listen(${JSON.stringify(path)}, () => process.kill(process.pid, 'SIGKILL'))`;
  spawnSync(process.execPath, ['-e', script]);
  expect(lstatSync(path).isSocket()).toBe(true);
}
