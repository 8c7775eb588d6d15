import { execFileSync } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { beforeEach, describe, expect, it } from 'vitest';
import { WebSocket } from 'ws';
import { type Agent, connectAgent } from '../../../testing/agent.ts';
import {
  type AdapterUnderTest,
  addressOf,
  diagnosed,
  lockOf,
  lockPathOf,
  Stage,
  tokenOf,
} from '../../../testing/stage.ts';
import { describeAgentAdapter } from '../../agent.contract.ts';
import type { OpenAdapter } from '../../agent.ts';
import type { WorkspaceEditorOptions } from '../../editors/workspace/workspace-editor.ts';
import { type JetbrainsOptions, jetbrainsAdapter } from './adapter.ts';

const jetbrains = (options: Partial<JetbrainsOptions> = {}): AdapterUnderTest => ({
  dialect: 'jetbrains',
  make: ({ stateFolder }) => jetbrainsAdapter({ stateFolder, ...options }),
  identity: { name: 'Hawser', version: '0.0.0' },
  workspaceIn: ({ projectPath }) => projectPath,
});

describeAgentAdapter('the jetbrains adapter', jetbrains());

const TSC = "printf 'a.ts(2,5): error TS2304: Cannot find name foo.\\na.ts(3,1): warning TS1: odd\\n'";
const SHOUT = ['node', '-e', "process.stdin.on('data', (d) => process.stdout.write(String(d).toUpperCase()))"];

const at = (line: number, character: number) => ({ line, character });
const range = (line: number, from: number, to: number) => ({ start: at(line, from), end: at(line, to) });

let stage: Stage;
let adapter: OpenAdapter;
let path: string;

async function begin(
  options: Partial<WorkspaceEditorOptions> = {},
  adapterOptions: Partial<JetbrainsOptions> = {},
): Promise<Agent> {
  stage = new Stage(jetbrains(adapterOptions), options);
  path = stage.file('a.ts', 'one\ntwo\nthree\n');
  adapter = await stage.openAdapter();
  return stage.agent(adapter);
}

describe('the jetbrains adapter, to find it', () => {
  it('has a lock at .claude-code/<port>.json in the project with port, authToken and projectPath alone', async () => {
    await begin();
    const port = Number(new URL(addressOf(adapter)).port);
    expect(lockPathOf(adapter)).toBe(join(stage.folder, '.claude-code', `${port}.json`));
    const token = expect.stringMatching(/^[\w-]{43}$/);
    expect(lockOf(adapter)).toEqual({ port, authToken: token, projectPath: stage.folder });
  });

  it('keeps its lock, which has a token, out of git', async () => {
    await begin();
    const git = (...args: string[]) => execFileSync('git', ['-C', stage.folder, ...args], { encoding: 'utf8' });
    git('init', '-q');
    expect(git('status', '--porcelain', '--untracked-files=all')).toBe('?? a.ts\n');
  });

  it('takes the folder of its lock away with it', async () => {
    await begin();
    await adapter.close();
    expect(statSync(join(stage.folder, '.claude-code'), { throwIfNoEntry: false })).toBeUndefined();
  });

  it('listens at /mcp and nowhere else', async () => {
    await begin();
    expect(new URL(addressOf(adapter)).pathname).toBe('/mcp');
    const headers = { 'X-Claude-Code-Ide-Authorization': tokenOf(adapter) };
    const elsewhere = new WebSocket(addressOf(adapter).replace('/mcp', '/'), 'mcp', { headers });
    const [, response] = await once(
      elsewhere.on('error', () => {}),
      'unexpected-response',
    );
    expect(response.statusCode).toBe(404);
  });

  it.each([
    ['wrong', { 'X-Claude-Code-Ide-Authorization': 'wrong' }],
    ['missing', {}],
  ])('closes with a policy violation, 1008, when the header is %s', async (_how, headers) => {
    await begin();
    const socket = new WebSocket(addressOf(adapter), 'mcp', { headers });
    const [code, reason] = await once(socket, 'close');
    expect([code, String(reason)]).toEqual([1008, 'Unauthorized: the token is missing or wrong']);
    expect(adapter.clients()).toHaveLength(1);
  });
});

describe('the jetbrains adapter, to begin with', () => {
  it('declares the capabilities of the plugin and answers for each of them', async () => {
    await begin();
    const agent = await connectAgent(addressOf(adapter), tokenOf(adapter), 'jetbrains');
    expect(await agent.initialize()).toEqual({
      protocolVersion: '2024-11-05',
      capabilities: {
        logging: {},
        prompts: { listChanged: true },
        resources: { subscribe: true, listChanged: true },
        tools: { listChanged: true },
      },
      serverInfo: { name: 'Hawser', version: '0.0.0' },
    });
    expect(await agent.request('prompts/list')).toEqual({ prompts: [] });
    expect(await agent.request('resources/list')).toEqual({ resources: [] });
    expect(await agent.request('logging/setLevel', { level: 'info' })).toEqual({});
    agent.close();
  });

  it('says that it is initialized and which project it serves, once the agent is ready', async () => {
    const agent = await begin();
    await agent.settled();
    expect(agent.received).toEqual([
      { jsonrpc: '2.0', method: 'notifications/initialized', params: {} },
      { jsonrpc: '2.0', method: 'notifications/ide_connected', params: { project_path: stage.folder } },
    ]);
  });

  it('says which project it serves again when that changes', async () => {
    const agent = await begin();
    const sent = agent.notification('notifications/ide_connected', ({ project_path }) => project_path === stage.home);
    stage.editor.setFolders([stage.home]);
    await sent;
    expect(lockPathOf(adapter)).toBe(join(stage.home, '.claude-code', `${new URL(addressOf(adapter)).port}.json`));
  });

  it('lists the tools of the plugin, those that the editor can do', async () => {
    const names = async (agent: Agent) =>
      (await agent.request('tools/list', { cursor: null })).tools.map(({ name }: { name: string }) => name).sort();
    const few = ['close_tab', 'get_cursor_position', 'get_selection', 'list_opened_files', 'open_file', 'openDiff'];
    const always = [...few, 'get_diagnostics', 'set_cursor_position', 'set_selection'];
    expect(await names(await begin())).toEqual(always.toSorted());
    await stage.close();
    const able = await begin({ formatCommand: { command: SHOUT as [string, ...string[]] } });
    expect(await names(able)).toEqual([...always, 'reformat_file'].toSorted());
  });
});

describe('the jetbrains adapter, on agents that are gone', () => {
  it('pings, drops an agent that does not answer within an interval, and closes its proposals', async () => {
    const alive = await begin({}, { pingInterval: 500 });
    const dead = new WebSocket(addressOf(adapter), 'mcp', {
      autoPong: false,
      headers: { 'X-Claude-Code-Ide-Authorization': tokenOf(adapter) },
    });
    await once(dead, 'open');
    const [, [code]] = await Promise.all([once(dead, 'ping'), once(dead, 'close')]);
    expect(code).toBe(1006);
    await alive.settled();
    expect(adapter.clients()).toHaveLength(1);
  });

  it('pings every 5 seconds by default', async () => {
    /** How many timers of 5 seconds a adapter starts; its lock has one, too. */
    const timers = async (options: Partial<JetbrainsOptions>) => {
      const real = globalThis.setInterval;
      let count = 0;
      globalThis.setInterval = ((work: () => void, ms?: number) => {
        if (ms === 5000) count += 1;
        return real(work, ms);
      }) as typeof setInterval;
      try {
        await begin({}, options);
        return count;
      } finally {
        globalThis.setInterval = real;
      }
    };
    const otherwise = await timers({ pingInterval: 7777 });
    await stage.close();
    expect(await timers({})).toBe(otherwise + 1);
  });
});

describe('the tools of the jetbrains adapter', () => {
  let agent: Agent;
  beforeEach(async () => {
    agent = await begin({
      diagnosticsCommand: { command: ['sh', '-c', TSC], matcher: 'tsc' },
      formatCommand: { command: SHOUT as [string, ...string[]] },
    });
  });

  it('open_file opens a file, by a relative path too, and list_opened_files lists it', async () => {
    expect(await agent.callJson('list_opened_files')).toEqual({ files: [] });
    expect(await agent.call('open_file', { file_path: 'a.ts' })).toEqual([`Opened file: ${path}`]);
    expect(await agent.callJson('list_opened_files')).toEqual({ files: [path] });
    expect(await agent.callRaw('open_file', { file_path: 'nowhere.ts' })).toMatchObject({ isError: true });
    expect(await agent.callRaw('open_file', { file_path: '/etc/passwd' })).toMatchObject({ isError: true });
  });

  it('close_tab closes an open file by path or name, and one that is not open is closed already', async () => {
    for (const tab_name of [path, 'a.ts']) {
      await agent.call('open_file', { file_path: path });
      expect(await agent.call('close_tab', { tab_name })).toEqual(['TAB_CLOSED']);
      expect(await stage.editor.openDocuments()).toEqual([]);
    }
    expect(await agent.call('close_tab', { tab_name: 'a.ts' })).toEqual(['TAB_CLOSED']);
  });

  it('close_tab leaves a file with unsaved text open and says why', async () => {
    await agent.call('open_file', { file_path: path });
    stage.editor.setText(path, 'unsaved');
    const { isError, texts } = await agent.callRaw('close_tab', { tab_name: path });
    expect([isError, texts]).toEqual([true, [`${path} has unsaved text`]]);
    expect(stage.editor.text(path)).toBe('unsaved');
  });

  it('reformat_file shows what the formatter makes of a file, open or not, and writes what the user accepts', async () => {
    const answer = agent.call('reformat_file', { file_path: path });
    const review = await stage.user.next();
    expect(review.proposal).toMatchObject({ path, oldText: 'one\ntwo\nthree\n', newText: 'ONE\nTWO\nTHREE\n' });
    expect(readFileSync(path, 'utf8')).toBe('one\ntwo\nthree\n');
    await review.decide({ kind: 'accepted', hunks: [0] });
    expect(await answer).toEqual([`Reformatted file: ${path}`]);
    expect(readFileSync(path, 'utf8')).toBe('ONE\nTWO\nTHREE\n');
  });

  it('reformat_file changes nothing that the user rejects, has not saved, or keeps from agents', async () => {
    const answer = agent.call('reformat_file', { file_path: path });
    await (await stage.user.next()).decide({ kind: 'rejected', notes: [{ text: 'not now' }] });
    expect((await answer).join()).toContain('not now');
    await agent.call('open_file', { file_path: path });
    stage.editor.setText(path, 'mine\n');
    expect(await agent.callRaw('reformat_file', { file_path: path })).toMatchObject({ isError: true });
    const denied = stage.file('.env', 'secret=1\n');
    expect(await agent.callRaw('reformat_file', { file_path: denied })).toMatchObject({ isError: true });
    expect([stage.editor.text(path), readFileSync(path, 'utf8')]).toEqual(['mine\n', 'one\ntwo\nthree\n']);
    expect(readFileSync(denied, 'utf8')).toBe('secret=1\n');
  });

  it('set_cursor_position and get_cursor_position agree, in the active file or in one that is named', async () => {
    expect(await agent.callRaw('get_cursor_position')).toEqual({ isError: true, texts: ['No active editor found'] });
    const named = { file_path: path, ...at(1, 2) };
    expect(await agent.call('set_cursor_position', named)).toEqual(['Cursor is at 1:2']);
    expect(await agent.callJson('get_cursor_position')).toEqual(named);
    await agent.call('set_cursor_position', at(2, 5));
    expect(await agent.callJson('get_cursor_position')).toEqual({ file_path: path, ...at(2, 5) });
  });

  it('set_selection and get_selection agree, in the active file or in one that is named', async () => {
    const named = { file_path: path, range: range(1, 0, 3) };
    expect(await agent.call('set_selection', named)).toEqual(['Selection is set']);
    expect(await agent.callJson('get_selection')).toEqual({ ...named, text: 'two' });
    await agent.call('set_selection', { range: range(2, 0, 5) });
    expect(await agent.callJson('get_selection')).toEqual({ file_path: path, range: range(2, 0, 5), text: 'three' });
  });

  it('get_selection gives no text of a secret file', async () => {
    const secret = stage.file('.env', 'SECRET=1');
    await stage.editor.openFile({ path: secret, range: range(0, 0, 8) });
    const { isError, texts } = await agent.callRaw('get_selection');
    expect([isError, texts]).toEqual([true, ['The active file is not shared']]);
  });

  it('get_diagnostics gives file_path, line, column, severity and message, of one file or of all', async () => {
    const diagnostics = [
      { file_path: path, line: 1, column: 4, severity: 'ERROR', message: 'Cannot find name foo.' },
      { file_path: path, line: 2, column: 0, severity: 'WARNING', message: 'odd' },
    ];
    await diagnosed(stage.editor);
    expect(await agent.callJson('get_diagnostics', { file_path: 'a.ts' })).toEqual({ diagnostics });
    expect(await agent.callJson('get_diagnostics')).toEqual({ diagnostics });
    const other = stage.file('b.ts', '');
    expect(await agent.callJson('get_diagnostics', { file_path: other })).toEqual({ diagnostics: [] });
  });

  it('openDiff needs no tab_name: the path is its name then', async () => {
    const view = stage.user.next();
    const answer = agent.call('openDiff', { old_file_path: 'a.ts', new_file_contents: 'new\n' });
    const { proposal, decide } = await view;
    expect(proposal).toMatchObject({ path, title: path, agent: 'Claude Code JetBrains Plugin' });
    decide({ kind: 'rejected' });
    expect(await answer).toEqual(['DIFF_REJECTED']);
  });

  it('arguments that are missing or of the wrong kind are named in the error', async () => {
    for (const [name, args, flaw] of [
      ['open_file', {}, 'file_path'],
      ['set_cursor_position', { line: -1, character: 0 }, 'line'],
      ['set_selection', { range: { start: at(0, 0) } }, 'range'],
      ['openDiff', { old_file_path: 'a.ts' }, 'new_file_contents'],
    ] as const) {
      await expect(agent.callRaw(name, args)).rejects.toThrow(new RegExp(`-32602 .*${flaw}`));
    }
  });

  it('give nothing away while the user has paused', async () => {
    await agent.call('set_selection', { file_path: path, range: range(0, 0, 3) });
    stage.access.paused = true;
    for (const name of ['list_opened_files', 'get_selection', 'get_cursor_position', 'get_diagnostics']) {
      expect(await agent.callRaw(name), name).toMatchObject({ isError: true });
    }
  });
});

describe('notifications of the jetbrains adapter', () => {
  it('selection_changed has file_path and range, and comes for the cursor, too', async () => {
    const agent = await begin();
    for (const chosen of [range(1, 0, 3), range(2, 1, 1)]) {
      const sent = agent.notification('notifications/selection_changed', (params) => params.range.start.line > 0);
      await stage.editor.openFile({ path });
      await stage.editor.setSelection(path, chosen);
      expect(await sent).toEqual({ file_path: path, range: chosen });
    }
  });

  it('say nothing about a secret file', async () => {
    const agent = await begin();
    await stage.editor.openFile({ path: stage.file('.env', 'SECRET=1'), range: range(0, 0, 8) });
    await agent.settled();
    expect(agent.received.map(({ method }) => method)).not.toContain('notifications/selection_changed');
  });
});
