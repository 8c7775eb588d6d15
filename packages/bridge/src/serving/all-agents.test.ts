import { once } from 'node:events';
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { connect } from 'node:net';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, it } from 'vitest';
import type { Json } from '../../../mcp/testing/json.ts';
import type { Agent } from '../../testing/agent.ts';
import { CodexClient } from '../../testing/codex.ts';
import { drivers } from '../../testing/dialects.ts';
import { connectMcp } from '../../testing/mcp-client.ts';
import { addressOf, lockOf } from '../../testing/stage.ts';
import { temporaryFolder } from '../../testing/temporary-folder.ts';
import { type Shown, User } from '../../testing/user.ts';
import { type Access, makeAccess } from '../access/access.ts';
import type { OpenAdapter } from '../agent.ts';
import { CONNECTING_AGENTS } from '../agents/agents.ts';
import { makeAdapters } from '../agents/make-adapters.ts';
import { type Bridge, openBridge } from '../bridge.ts';
import { type WorkspaceEditor, workspaceEditor } from '../editors/workspace/workspace-editor.ts';

// All adapters in one bridge, with an agent on each.

const LINES = Array.from({ length: 40 }, (_, index) => `line ${index}`);
const TEXT = `${LINES.join('\n')}\n`;
/** The first three letters of line 2. */
const RANGE = { start: { line: 2, character: 0 }, end: { line: 2, character: 3 } };
/** Those whose adapters push selections and take diffs. */
const PUSHED = ['claude-code', 'copilot-cli', 'gemini-cli', 'jetbrains', 'qwen-code'] as const;

const AGENT_NAMES = CONNECTING_AGENTS.map(({ name }) => name);

const HANDSHAKE = { protocolVersion: '2025-06-18', capabilities: {} };

let home: string;
let folder: string;
let path: string;
let user: User;
let access: Access;
let editor: WorkspaceEditor;
let bridge: Bridge;
let agents: { readonly [name in (typeof PUSHED)[number] | 'opencode']: Agent };

beforeEach(async () => {
  home = temporaryFolder();
  folder = join(home, 'work');
  path = join(folder, 'a.ts');
  mkdirSync(folder);
  writeFileSync(path, TEXT);
  writeFileSync(join(folder, '.env'), 'SECRET=1\n');
  user = new User();
  access = makeAccess({ folders: [folder], home });
  editor = workspaceEditor({ folders: [folder], stateFolder: join(home, 'state') });
  const settings = { port: undefined, ideName: 'Hawser', evaluate: undefined };
  const places = {
    home,
    stateFolder: join(home, 'state'),
    temporaryFolder: home,
    isWindows: false,
    variables: {},
  };
  bridge = await openBridge({
    editor,
    access,
    agents: makeAdapters(AGENT_NAMES, settings, places),
    reviewers: [user],
    noticing: 'off',
    identity: { name: 'Hawser', version: '0.0.0', pid: process.pid },
  });
  expect(bridge.failures).toEqual([]);
  const all = await Promise.all([...PUSHED.map((name) => ready(name, name)), ready('opencode', 'claude-code')]);
  agents = Object.fromEntries([...PUSHED, 'opencode'].map((name, index) => [name, all[index]])) as typeof agents;
});

afterEach(async () => {
  for (const agent of Object.values(agents)) agent.close();
  await bridge.close();
});

function adapterOf(name: string): OpenAdapter {
  return bridge.agents.find((each) => each.name === name) as OpenAdapter; // all of them are open
}

async function ready(dialect: keyof typeof drivers, name: string): Promise<Agent> {
  const adapter = adapterOf(name);
  const agent = await drivers[dialect].connect(addressOf(adapter), lockOf(adapter));
  await agent.initialize();
  await agent.settled();
  return agent;
}

/** What Codex would put into its next prompt. */
async function codexContext(): Promise<Json> {
  const client = await CodexClient.connect(addressOf(adapterOf('codex')).replace('unix:', ''));
  const { result } = await client.ideContext(folder);
  client.close();
  return result.ideContext;
}

const withLine = (text: string, number: number, line: string) => text.replace(`line ${number}\n`, `${line}\n`);

it('every adapter is open, and says what agents need that are started', () => {
  expect(bridge.agents.map(({ name }) => name)).toEqual(AGENT_NAMES);
  const environment = Object.assign({}, ...bridge.agents.map((adapter) => adapter.environment));
  expect(Object.keys(environment)).toEqual(
    expect.arrayContaining(['CLAUDE_CODE_SSE_PORT', 'GEMINI_CLI_IDE_SERVER_PORT']),
  );
});

it('changes of one file by six agents are each decided once, the later ones on top of the new text', async () => {
  const mcp = await connectMcp(adapterOf('mcp'));
  const views: Shown[] = [];
  const outcomes: Promise<unknown>[] = [];
  // Copilot first: its protocol can't carry a text other than its own.
  const order = ['copilot-cli', 'claude-code', 'jetbrains', 'gemini-cli', 'qwen-code'] as const;
  for (const [index, name] of order.entries()) {
    const view = user.next();
    const diff = drivers[name].diff(path, withLine(TEXT, 6 * index + 2, name), name);
    const answer = agents[name].request('tools/call', diff);
    outcomes.push(drivers[name].outcome(agents[name], diff, answer));
    views.push(await view);
  }
  const last = user.next();
  const edited = mcp.call('propose_edit', { path, edits: [{ old_text: 'line 32\n', new_text: 'mcp\n' }] });
  views.push(await last);
  // It contradicts the first one.
  const other = user.next();
  const contradiction = agents['claude-code'].call('openDiff', {
    old_file_path: path,
    new_file_path: path,
    new_file_contents: withLine(TEXT, 2, 'mine'),
    tab_name: 'other',
  });
  const against = await other;
  expect(bridge.reviews.list()).toHaveLength(7);

  let onDisk = TEXT;
  for (const [index, view] of views.entries()) {
    // Each acceptance before changed the file under this one.
    await expect.poll(() => view.review.proposal.oldText).toBe(onDisk);
    const { proposal } = view.review;
    expect([proposal.base, proposal.revision > 0]).toEqual(index === 0 ? ['original', false] : ['merged', true]);
    if (index > 0) {
      const blind = await view.review.decide({ kind: 'accepted', text: view.proposal.newText }, 0);
      expect(blind).toMatchObject({ kind: 'stale' });
    }
    expect(await view.decide({ kind: 'accepted', text: proposal.newText })).toMatchObject({ kind: 'decided' });
    expect(await view.decide({ kind: 'rejected' })).toMatchObject({ kind: 'ended' });
    onDisk = proposal.newText;
    if (index < order.length) {
      const outcome = await outcomes[index];
      expect(outcome).toEqual(index === 0 ? { kind: 'accepted' } : { kind: 'accepted', text: onDisk });
      // The agent writes the file, as it does after an acceptance.
      writeFileSync(path, onDisk);
    }
  }
  expect((await edited).data.files).toMatchObject([{ outcome: expect.any(String) }]);
  const expected = [...order, 'mcp'].reduce((text, name, index) => withLine(text, 6 * index + 2, name), TEXT);
  expect(readFileSync(path, 'utf8')).toBe(expected);

  await expect.poll(() => against.review.proposal).toMatchObject({ base: 'conflict', oldText: expected });
  await against.decide({ kind: 'rejected' });
  expect((await contradiction)[0]).toBe('DIFF_REJECTED');
  expect(bridge.reviews.list()).toEqual([]);
});

it('the selection reaches each agent in its own form, and is taken back when the user pauses', async () => {
  const mcp = await connectMcp(adapterOf('mcp'));
  const sent = PUSHED.map((name) =>
    agents[name].notification(
      drivers[name].selectionChanged ?? '',
      (params) => drivers[name].selectionEnd?.(params)?.character === 3,
    ),
  );
  await editor.openFile({ path, range: RANGE });
  await Promise.all(sent);
  expect(await codexContext()).toMatchObject({ activeFile: { path: 'a.ts', activeSelectionContent: 'lin' } });
  expect((await mcp.call('get_selection')).data).toMatchObject({ path: 'a.ts', start_line: 3, text: 'lin' });

  const cleared = (name: keyof typeof agents, method: string, fits: (params: Json) => boolean) =>
    agents[name].notification(method, fits);
  const isEmpty = ({ workspaceState }: Json) => workspaceState.openFiles.length === 0;
  const forgotten = [
    cleared('claude-code', 'selection_changed', ({ text, filePath }) => text === '' && filePath === undefined),
    cleared('opencode', 'selection_changed', ({ text, filePath }) => text === '' && filePath === ''),
    cleared('copilot-cli', 'selection_changed', ({ text, filePath }) => text === '' && filePath === ''),
    cleared('gemini-cli', 'ide/contextUpdate', isEmpty),
    cleared('qwen-code', 'ide/contextUpdate', isEmpty),
  ];
  access.paused = true;
  await Promise.all(forgotten);
  expect(await codexContext()).toEqual({ openTabs: [] });
  expect((await mcp.call('get_selection')).isError).toBe(true);
  expect((await agents['claude-code'].callRaw('getOpenEditors')).isError).toBe(true);
  access.paused = false;
  await expect.poll(() => codexContext()).toMatchObject({ activeFile: { path: 'a.ts' } });
});

it('a mention reaches the agents that take one, with lines as each counts them', async () => {
  const [claude, opencode, copilot] = [
    agents['claude-code'].notification('at_mentioned'),
    agents.opencode.notification('at_mentioned'),
    agents['copilot-cli'].notification('add_selection'),
  ];
  editor.mention(path, { first: 2, last: 4 });
  expect(await claude).toEqual({ filePath: path, lineStart: 2, lineEnd: 4 });
  expect(await opencode).toEqual({ filePath: path, lineStart: 3, lineEnd: 5 });
  expect(await copilot).toMatchObject({ filePath: path, selection: { start: { line: 2 } } });
});

it('a mention counts the agents that take one, and fails if only others are connected', async () => {
  const control = bridge.connect();
  // Claude Code, opencode and Copilot CLI.
  expect(await control.mention({ path })).toEqual({ agents: 3 });
  for (const name of ['claude-code', 'opencode', 'copilot-cli'] as const) agents[name].close();
  const recipients = ['claude-code', 'copilot-cli'] as const;
  await expect.poll(() => recipients.flatMap((name) => adapterOf(name).clients())).toEqual([]);
  await expect(control.mention({ path })).rejects.toThrow(
    'No agent that takes mentions is connected: gemini-cli, jetbrains, qwen-code have no message for them',
  );
  await control.close();
});

it('a denied file is shown to no agent', async () => {
  const mcp = await connectMcp(adapterOf('mcp'));
  await editor.openFile({
    path: join(folder, '.env'),
    range: { start: { line: 0, character: 0 }, end: { line: 0, character: 8 } },
  });
  editor.mention(join(folder, '.env'));
  for (const agent of Object.values(agents)) await agent.settled();
  expect(JSON.stringify(Object.values(agents).map(({ received }) => received))).not.toMatch(/SECRET|\.env/);
  expect(await codexContext()).toEqual({ openTabs: [] });
  expect((await mcp.call('get_selection')).text).not.toMatch(/SECRET|\.env/);
  expect((await mcp.call('list_open_files')).text).not.toContain('.env');
});

it('an agent whose name is not a plain text is refused or shown as one, on every adapter', async () => {
  const odd = [{ name: { toString: 1 }, version: ['x'] }, { name: 7, version: '1' }, [], null];
  const control = bridge.connect();
  for (const name of [...PUSHED, 'mcp'] as const) {
    const adapter = adapterOf(name);
    const before = adapter.clients().length;
    for (const clientInfo of odd) {
      const agent = await drivers[name].connect(addressOf(adapter), lockOf(adapter));
      await expect(agent.request('initialize', { ...HANDSHAKE, clientInfo })).rejects.toThrow('clientInfo');
      agent.close();
    }
    const agent = await drivers[name].connect(addressOf(adapter), lockOf(adapter));
    const clientInfo = { name: '\x1b[2J evil\nname\u202e', version: 'x'.repeat(1000) };
    await agent.request('initialize', { ...HANDSHAKE, clientInfo });
    agent.notify('notifications/initialized');
    const view = user.next();
    void agent.request('tools/call', drivers[name].diff(path, 'x\n', 'tab')).catch(() => {});
    // Agents of the same name are numbered.
    expect((await view).proposal.agent).toMatch(/^\[2J evil name( \d)?$/);
    const { agents: shown } = await control.status();
    const clients = shown.find((each) => each.name === name)?.clients ?? [];
    expect(clients).toContainEqual(expect.objectContaining({ name: '[2J evil name', version: `${'x'.repeat(79)}…` }));
    for (const client of clients.slice(before, -1)) expect(client).toMatchObject({ name: 'unknown' });
    agent.close();
  }
  await control.close();
});

it('garbage on every adapter harms no agent of another', async () => {
  const endpoints = bridge.agents.flatMap((adapter) => adapter.endpoints);
  const [copilot] = adapterOf('copilot-cli').discoveryFiles.map((lock) => JSON.parse(readFileSync(lock, 'utf8')));
  const garbage = [
    Buffer.from('GET / HTTP/1.1\r\nHost: 127.0.0.1\r\nAuthorization: Bearer wrong\r\n\r\n'),
    Buffer.from('POST /mcp HTTP/1.1\r\nHost: 127.0.0.1\r\nContent-Length: 999999999\r\n\r\n{'),
    Buffer.alloc(64 * 1024, 0xff),
  ];
  for (const endpoint of endpoints) {
    for (const bytes of garbage) {
      const socket = endpoint.startsWith('unix:')
        ? connect(endpoint.includes('codex') ? endpoint.replace('unix:', '') : copilot.socketPath)
        : connect(Number(new URL(endpoint).port), '127.0.0.1');
      socket.on('error', () => {}).resume();
      await once(socket, 'connect');
      socket.write(bytes);
      socket.end();
      await new Promise((closed) => socket.once('close', closed));
    }
  }
  for (const agent of Object.values(agents)) await agent.settled();
  expect(await codexContext()).toEqual({ openTabs: [] });
  expect((await (await connectMcp(adapterOf('mcp'))).call('list_open_files')).isError).toBe(false);
  const view = user.next();
  const answer = agents['claude-code'].call('openDiff', {
    old_file_path: path,
    new_file_path: path,
    new_file_contents: 'x',
    tab_name: 't',
  });
  await (await view).decide({ kind: 'rejected' });
  expect((await answer)[0]).toBe('DIFF_REJECTED');
});
