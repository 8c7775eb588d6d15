import { once } from 'node:events';
import { existsSync, mkdirSync, readdirSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { defineNotification, memoryPair, Server } from '@hawser/mcp';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { WebSocket } from 'ws';
import { type Agent, connectAgent } from '../testing/agent.ts';
import { DEAD_PID } from '../testing/dead-pid.ts';
import { temporaryFolder } from '../testing/temporary-folder.ts';
import { User } from '../testing/user.ts';
import { type Access, makeAccess } from './access/access.ts';
import type { AgentAdapter, OpenAdapter } from './agent.ts';
import { claudeCodeAdapter } from './agents/claude-code/adapter.ts';
import { jetbrainsAdapter } from './agents/jetbrains/adapter.ts';
import { type Bridge, type BridgeOptions, openBridge } from './bridge.ts';
import { findBridges } from './control/find.ts';
import { isListening } from './discovery/listening.ts';
import { recordLock } from './discovery/lock-record.ts';
import { type WorkspaceEditor, workspaceEditor } from './editors/workspace/workspace-editor.ts';
import type { LogDetails } from './log.ts';

/** An open adapter that no agent finds. */
const UNFOUND = { endpoints: [], discoveryFiles: [], environment: {}, clients: () => [], removeDiscovery: () => {} };

let home: string;
let folder: string;
let access: Access;
let editor: WorkspaceEditor;
let user: User;
let logged: [event: string, details: LogDetails | undefined][];
let bridges: Bridge[];
let agents: Agent[];

beforeEach(() => {
  home = temporaryFolder();
  folder = join(home, 'work');
  mkdirSync(folder);
  writeFileSync(join(folder, 'a.ts'), 'one\ntwo\nthree\n');
  access = makeAccess({ folders: [folder], home });
  editor = workspaceEditor({ folders: [folder] });
  user = new User();
  [logged, bridges, agents] = [[], [], []];
});

afterEach(async () => {
  for (const agent of agents) agent.close();
  for (const bridge of bridges) await bridge.close();
  await editor.close();
});

const claudeCode = (port?: number) =>
  claudeCodeAdapter({
    stateFolder: join(home, 'state'),
    port,
    ideName: 'Hawser',
    lockFolder: join(home, 'ide'),
    runningInWindows: false,
  });
const jetbrains = (port?: number) => jetbrainsAdapter({ stateFolder: join(home, 'state'), port });

async function open(adapters: readonly AgentAdapter[], options: Partial<BridgeOptions> = {}): Promise<Bridge> {
  const log = (event: string, details?: LogDetails) => void logged.push([event, details]);
  const bridge = await openBridge({
    editor,
    access,
    agents: adapters,
    reviewers: [user],
    noticing: 'off',
    identity: { name: 'Hawser', version: '0', pid: process.pid },
    log: { info: log, error: log },
    ...options,
  });
  bridges.push(bridge);
  return bridge;
}

async function connect(adapter: OpenAdapter | undefined, clientInfo?: unknown): Promise<Agent> {
  const [address = ''] = adapter?.endpoints ?? [];
  const { authToken } = JSON.parse(readFileSync(adapter?.discoveryFiles[0] ?? '', 'utf8'));
  const agent = await connectAgent(address, authToken, adapter?.name === 'jetbrains' ? 'jetbrains' : 'claude-code');
  agents.push(agent);
  if (clientInfo === undefined) await agent.initialize();
  else {
    await agent.request('initialize', { protocolVersion: '2025-11-25', capabilities: {}, clientInfo }).catch(() => {});
    agent.notify('notifications/initialized');
  }
  await agent.settled();
  return agent;
}

describe('an adapter that cannot be opened', () => {
  const broken: AgentAdapter = { name: 'broken', open: () => Promise.reject(new Error('no port for it')) };

  it('is reported and leaves the others open', async () => {
    const bridge = await open([broken, claudeCode()]);
    expect(bridge.agents.map(({ name }) => name)).toEqual(['claude-code']);
    expect(bridge.failures).toEqual([{ name: 'broken', error: new Error('no port for it') }]);
    expect(logged).toContainEqual(['agent', { agent: 'broken', message: 'no port for it' }]);
    await connect(bridge.agents[0]);
  });

  it('is the reason why nothing is opened if it is the only one', async () => {
    const taken = createServer().listen(0, '127.0.0.1');
    await once(taken, 'listening');
    const { port } = taken.address() as AddressInfo;
    await expect(open([claudeCode(port)])).rejects.toMatchObject({ code: 'EADDRINUSE' });
    taken.close();
  });
});

it('what crashed bridges left is looked for once, whatever the number of adapters', async () => {
  const asked = vi.fn();
  const living = createServer().on('connection', asked).listen(0, '127.0.0.1');
  await once(living, 'listening');
  const [kept, stale] = [join(home, 'kept.lock'), join(home, 'stale.lock')];
  for (const path of [kept, stale]) writeFileSync(path, 'token');
  const owner = { stateFolder: join(home, 'state'), pid: DEAD_PID, token: 'token' };
  recordLock(kept, { ...owner, port: (living.address() as AddressInfo).port });
  recordLock(stale, { ...owner, port: 1 });
  await open([claudeCode(), jetbrains()]);
  await expect.poll(() => logged).toContainEqual(['stale lock removed', { path: stale }]);
  for (const bridge of bridges) await bridge.close();
  expect(asked).toHaveBeenCalledTimes(1);
  living.close();
});

it('the environment of started agents is that of the adapter they connect to, whatever the order', async () => {
  const { agents: adapters } = await open([jetbrains(), claudeCode()]);
  const port = new URL(adapters[1]?.endpoints[0] ?? '').port;
  expect(adapters.map(({ environment }) => environment)).toEqual([
    {},
    { CLAUDE_CODE_SSE_PORT: port, ENABLE_IDE_INTEGRATION: 'true' },
  ]);
});

it('without reviewers agents are offered no way to propose', async () => {
  const bridge = await open([claudeCode(), jetbrains()], { reviewers: undefined });
  for (const adapter of bridge.agents) {
    const { tools } = await (await connect(adapter)).request('tools/list');
    expect(tools.map(({ name }: { name: string }) => name)).not.toContain('openDiff');
  }
});

it('an adapter whose protocol answers at once sends the outcome later', async () => {
  const decided = defineNotification<{ outcome: string }>('ide/decided');
  const [ours, theirs] = memoryPair();
  const immediate: AgentAdapter = {
    name: 'immediate',
    open: async ({ reviews, identity }) => {
      const server = new Server({ name: identity.name, version: identity.version });
      server.tool<{ path: string; text: string }>(
        { name: 'propose', inputSchema: { type: 'object' } },
        ({ path, text }, { session }) => {
          const change = { path, title: path, oldText: undefined, newText: text, agent: 'immediate' };
          // Not the signal of the request, which ends with its answer.
          const { signal } = new AbortController();
          void reviews
            ?.propose(change, { owner: session, signal })
            .then(({ kind }) => session.notify(decided, { outcome: kind }));
          return 'shown';
        },
      );
      server.connect(ours);
      return { name: 'immediate', ...UNFOUND, close: () => server.close() };
    },
  };
  await open([immediate]);
  const { Client } = await import('@hawser/mcp/client');
  const client = new Client({ name: 'test', version: '0' });
  const outcome = new Promise((resolve) => client.onNotification(decided, ({ outcome: kind }) => resolve(kind)));
  const session = await client.connect(theirs);
  const shown = user.next();
  expect(await session.callTool('propose', { path: join(folder, 'b.ts'), text: 'new' })).toMatchObject({
    content: [{ type: 'text', text: 'shown' }],
  });
  await (await shown).decide({ kind: 'rejected' });
  expect(await outcome).toBe('rejected');
});

describe('what is selected outside the workspace', () => {
  const range = { start: { line: 0, character: 0 }, end: { line: 0, character: 6 } };

  it('reaches no agent: not its text, not its path, by no event and no tool', async () => {
    const outside = join(home, 'outside.txt');
    writeFileSync(outside, 'secret\n');
    const bridge = await open([claudeCode(), jetbrains()]);
    const [claude, plugin] = [await connect(bridge.agents[0]), await connect(bridge.agents[1])];
    await editor.openFile({ path: join(folder, 'a.ts') });
    const cleared = claude.notification('selection_changed', ({ filePath }) => filePath === undefined);
    await editor.openFile({ path: outside, range });
    await cleared;
    for (const tool of ['getCurrentSelection', 'getLatestSelection']) {
      expect(await claude.callJson(tool)).toMatchObject({ success: false });
    }
    expect((await claude.callJson('getOpenEditors')).tabs.map(({ label }: { label: string }) => label)).toEqual([
      'a.ts',
    ]);
    expect(await plugin.callRaw('get_selection')).toEqual({ isError: true, texts: ['The active file is not shared'] });
    expect((await plugin.callRaw('get_cursor_position')).isError).toBe(true);
    expect(await plugin.callJson('list_opened_files')).toEqual({ files: [join(folder, 'a.ts')] });
    editor.mention(outside);
    for (const agent of [claude, plugin]) {
      await agent.settled();
      expect(JSON.stringify(agent.received)).not.toMatch(/secret|outside/);
    }
  });

  it('and then in it again reaches them', async () => {
    const outside = join(home, 'outside.txt');
    writeFileSync(outside, 'secret\n');
    const claude = await connect((await open([claudeCode()])).agents[0]);
    await editor.openFile({ path: outside, range });
    const sent = claude.notification('selection_changed', ({ text }) => text === 'one');
    await editor.openFile({ path: join(folder, 'a.ts'), range: { ...range, end: { line: 0, character: 3 } } });
    await sent;
  });
});

describe('an agent whose name is not a plain text', () => {
  it.each([
    ['an object', { name: { toString: 1 }, version: ['x'] }],
    ['a number', { name: 7, version: '1' }],
    ['nothing', null],
  ])('is refused, and harms no view: %s', async (_what, clientInfo) => {
    const bridge = await open([claudeCode()]);
    await connect(bridge.agents[0], clientInfo);
    const clients = [{ name: 'unknown', version: undefined, state: 'waiting' }];
    expect(bridge.agents[0]?.clients()).toMatchObject(clients);
    const control = bridge.connect();
    expect((await control.status()).agents[0]?.clients).toMatchObject(clients);
    await control.close();
  });

  it.each([
    ['control characters', { name: '\x1b[2J evil\nname', version: '' }, { name: '[2J evil name', version: undefined }],
    ['a long text', { name: 'x'.repeat(1000), version: '1' }, { name: `${'x'.repeat(79)}…`, version: '1' }],
  ])('harms no view: %s', async (_what, clientInfo, expected) => {
    const bridge = await open([claudeCode()]);
    const agent = await connect(bridge.agents[0], clientInfo);
    expect(bridge.agents[0]?.clients()).toMatchObject([{ ...expected, state: 'ready' }]);
    const control = bridge.connect();
    expect((await control.status()).agents[0]?.clients).toMatchObject([{ ...expected, state: 'ready' }]);
    const shown = user.next();
    const path = join(folder, 'a.ts');
    const diff = { old_file_path: path, new_file_path: path, new_file_contents: 'new\n' };
    const answer = agent.call('openDiff', diff);
    const { proposal, decide } = await shown;
    expect(proposal.agent).toBe(expected.name);
    await decide({ kind: 'rejected' });
    expect((await answer)[0]).toBe('DIFF_REJECTED');
    await control.close();
  });
});

it('clients without a token that ignore the close frame lock no agent out', async () => {
  const [adapter] = (await open([jetbrains()])).agents;
  const sockets: WebSocket[] = [];
  for (let count = 0; count < 1100; count += 1) {
    const socket = new WebSocket(adapter?.endpoints[0] ?? '', 'mcp');
    socket.on('error', () => {});
    // Never answers the close frame, and never ends.
    socket.once('upgrade', (response) => response.socket.pause());
    sockets.push(socket);
    if (count % 50 === 49) await once(socket, 'upgrade');
  }
  await connect(adapter);
  for (const socket of sockets) socket.terminate();
});

it('a file that changes under a proposal is merged with it, and an old acceptance is refused', async () => {
  const claude = await connect((await open([claudeCode()])).agents[0]);
  const path = join(folder, 'a.ts');
  const shown = user.next();
  const answer = claude.call('openDiff', {
    old_file_path: path,
    new_file_path: path,
    new_file_contents: 'ONE\ntwo\nthree\n',
  });
  const { review } = await shown;
  const refreshed = new Promise<void>((resolve) => review.onRefresh(resolve));
  writeFileSync(path, 'one\ntwo\nTHREE\n');
  await refreshed;
  await expect.poll(() => review.proposal).toMatchObject({ newText: 'ONE\ntwo\nTHREE\n', base: 'merged' });
  expect(await review.decide({ kind: 'accepted', text: 'ONE\ntwo\nthree\n' }, 0)).toMatchObject({ kind: 'stale' });
  await review.decide({ kind: 'accepted', text: review.proposal.newText }, review.proposal.revision);
  expect(await answer).toEqual(['FILE_SAVED', 'ONE\ntwo\nTHREE\n']);
});

it('a file that becomes a link out of the workspace under a proposal is not read', async () => {
  const claude = await connect((await open([claudeCode()])).agents[0]);
  const [path, outside] = [join(folder, 'a.ts'), join(home, 'outside.txt')];
  writeFileSync(outside, 'secret\n');
  const shown = user.next();
  const diff = { old_file_path: path, new_file_path: path, new_file_contents: 'new\n' };
  const answer = claude.call('openDiff', diff);
  const { review, decide } = await shown;
  rmSync(path);
  symlinkSync(outside, path);
  const message = `Cannot read ${path} again: It is a symbolic link now: ${path}`;
  await expect.poll(() => logged).toContainEqual(['problem', { message }]);
  expect(JSON.stringify(review.proposal)).not.toContain('secret');
  await decide({ kind: 'rejected' });
  await answer;
});

it('closing twice is safe, and open proposals are withdrawn', async () => {
  const bridge = await open([claudeCode()]);
  const claude = await connect(bridge.agents[0]);
  const shown = user.next();
  const path = join(folder, 'a.ts');
  const diff = { old_file_path: path, new_file_path: path, new_file_contents: 'new\n' };
  const answer = claude.call('openDiff', diff);
  const failed = expect(answer).rejects.toThrow('closed before the response');
  const { signal } = await shown;
  await Promise.all([bridge.close(), bridge.close()]);
  await failed;
  expect(signal.aborted).toBe(true);
  expect(bridge.reviews.list()).toEqual([]);
});

describe('a bridge that closes', () => {
  const named = (name: string, close: () => Promise<void>, removeDiscovery = () => {}): AgentAdapter => ({
    name,
    open: async () => ({ name, ...UNFOUND, removeDiscovery, close }),
  });
  const throwing = () => {
    throw new Error('It does not close');
  };
  const control = () => ({ stateFolder: join(home, 'state'), temporaryFolder: home });
  const locks = () => (existsSync(join(home, 'ide')) ? readdirSync(join(home, 'ide')) : []);
  const listens = (port: number) => isListening({ port });

  it.each([
    ['rejects', () => Promise.reject(new Error('It does not close'))],
    ['throws', throwing],
  ])('closes everything else if an adapter %s, and says what failed', async (_how, close) => {
    const closed = vi.spyOn(editor, 'close');
    const broken = named('broken', close);
    const bridge = await open([broken, claudeCode()], { control: control() });
    bridges.pop();
    const port = Number(new URL(bridge.agents[1]?.endpoints[0] ?? '').port);
    const client = bridge.connect();
    await expect(bridge.close()).rejects.toThrow('It does not close');
    await client.closed;
    expect([locks(), await listens(port), closed.mock.calls.length]).toEqual([[], false, 1]);
    expect((await findBridges(control(), {})).bridges).toEqual([]);
  });

  it('removes the other lock files and its socket if an adapter fails to remove its own, and logs it', async () => {
    const broken = named('broken', async () => {}, throwing);
    const bridge = await open([broken, claudeCode()], { control: control() });
    bridge.removeDiscovery();
    expect(locks()).toEqual([]);
    expect((await findBridges(control(), {})).bridges).toEqual([]);
    expect(logged).toContainEqual(['problem', { message: 'It does not close' }]);
    bridges.pop();
    await expect(bridge.close()).rejects.toThrow('It does not close');
  });

  it('while it opens leaves no lock file and no listener, also of an adapter that opens later', async () => {
    const ending = new AbortController();
    const late = vi.fn(() => Promise.resolve());
    let finish = () => {};
    let written: readonly string[] = [];
    const slow: AgentAdapter = {
      name: 'slow',
      open: async (services) => {
        await new Promise<void>((resolve) => {
          finish = resolve;
          written = locks();
          ending.abort(new Error('The user has left'));
        });
        return await named('slow', late).open(services);
      },
    };
    const opening = open([claudeCode(), slow], { signal: ending.signal, control: control() });
    await expect(opening).rejects.toThrow('The user has left');
    expect([written.length, locks()]).toEqual([1, []]);
    expect((await findBridges(control(), {})).bridges).toEqual([]);
    finish();
    await expect.poll(() => late).toHaveBeenCalledOnce();
  });

  it('while it opens because hawser stop asked for it says so', async () => {
    const slow: AgentAdapter = {
      name: 'slow',
      open: async () => {
        const { bridges: found } = await findBridges(control(), {});
        for (const { client } of found) await client.stop();
        return await new Promise(() => {});
      },
    };
    await expect(open([claudeCode(), slow], { control: control() })).rejects.toThrow('closed while it opened');
    expect(locks()).toEqual([]);
  });
});
