import { EventEmitter, once } from 'node:events';
import { existsSync, mkdirSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { connectWebSocket } from '@hawser/mcp/websocket';
import { beforeEach, describe, expect, it } from 'vitest';
import { WebSocket } from 'ws';
import type { Agent } from '../../../testing/agent.ts';
import { lockingAdapter } from '../../../testing/locking-adapter.ts';
import { addressOf, diagnosed, lockOf, lockPathOf, Stage, tokenOf } from '../../../testing/stage.ts';
import { describeAgentAdapter } from '../../agent.contract.ts';
import type { OpenAdapter } from '../../agent.ts';
import { recordLock } from '../../discovery/lock-record.ts';
import { type WorkspaceEditorOptions, workspaceEditor } from '../../editors/workspace/workspace-editor.ts';
import { type ClaudeCodeOptions, claudeCodeAdapter } from './adapter.ts';

const claudeCode = (options: Partial<ClaudeCodeOptions> = {}) =>
  lockingAdapter(
    'claude-code',
    '.claude/ide',
    (given) => claudeCodeAdapter({ ...given, runningInWindows: false, ...options }),
    { name: 'Claude Code Neovim MCP', version: '0.1.0' },
  );

describeAgentAdapter('the claude-code adapter', claudeCode());

const AUTHORIZATION = 'X-Claude-Code-Ide-Authorization';
const range = (line: number, from: number, to: number) => ({
  start: { line, character: from },
  end: { line, character: to },
});

let stage: Stage;
let adapter: OpenAdapter;
let path: string;

async function begin(
  options: Partial<WorkspaceEditorOptions> = {},
  adapterOptions: Partial<ClaudeCodeOptions> = {},
): Promise<Agent> {
  stage = new Stage(claudeCode(adapterOptions), options);
  path = stage.file('a.ts', 'one\ntwo\nthree\n');
  adapter = await stage.openAdapter();
  return stage.agent(adapter);
}

/** A command that reports one problem in a file, in the form of tsc. */
const reporting = (name: string): Partial<WorkspaceEditorOptions> => ({
  diagnosticsCommand: {
    command: ['sh', '-c', `printf '%s\\n' "$1"`, 'sh', `${name}(2,5): error TS2304: Cannot find name foo.`],
    matcher: 'tsc',
  },
});

const problem = {
  message: 'Cannot find name foo.',
  severity: 'Error',
  range: expect.objectContaining({ start: { line: 1, character: 4 } }),
  source: 'ts',
  code: '2304',
};

describe('the ten facts about Claude Code', () => {
  it('1: the subprotocol mcp is echoed', async () => {
    await begin();
    const socket = new WebSocket(addressOf(adapter), ['mcp'], { headers: { [AUTHORIZATION]: tokenOf(adapter) } });
    const [response] = await once(socket, 'upgrade');
    expect(response.headers['sec-websocket-protocol']).toBe('mcp');
    socket.terminate();
  });

  it('2: an accepted openDiff answers with two text blocks, FILE_SAVED and the full final contents', async () => {
    const claude = await begin();
    const view = stage.user.next();
    const answer = claude.request('tools/call', { name: 'openDiff', arguments: stage.diff(path, 'all\nof it\n') });
    (await view).decide({ kind: 'accepted', text: 'all\nof it\n' });
    expect(await answer).toEqual({
      content: [
        { type: 'text', text: 'FILE_SAVED' },
        { type: 'text', text: 'all\nof it\n' },
      ],
    });
  });

  it('3: the bridge does not write the file, neither before nor after the answer', async () => {
    const claude = await begin();
    const view = stage.user.next();
    const answer = claude.call('openDiff', stage.diff(path, 'new\n'));
    const { decide } = await view;
    expect(readFileSync(path, 'utf8')).toBe('one\ntwo\nthree\n');
    decide({ kind: 'accepted', text: 'new\n' });
    await answer;
    await claude.call('close_tab', { tab_name: 'tab' });
    expect(readFileSync(path, 'utf8')).toBe('one\ntwo\nthree\n');
  });

  it('4: a view that closes without a decision is answered with DIFF_REJECTED, never TAB_CLOSED', async () => {
    const claude = await begin();
    const view = stage.user.next();
    const answer = claude.call('openDiff', stage.diff(path, 'new\n'));
    // What an editor says when its view is closed.
    (await view).decide({ kind: 'rejected' });
    expect(await answer).toEqual(['DIFF_REJECTED', 'tab']);
  });

  it('5: a pending openDiff is answered after close_tab, without a notifications/cancelled', async () => {
    const claude = await begin();
    const view = stage.user.next();
    const { id, answer } = claude.begin('tools/call', { name: 'openDiff', arguments: stage.diff(path, 'new\n') });
    const { signal } = await view;
    expect(await claude.call('close_tab', { tab_name: 'tab' })).toEqual(['TAB_CLOSED']);
    expect((await answer).content[0].text).toBe('DIFF_REJECTED');
    await claude.settled();
    expect([signal.aborted, claude.answers.get(id)]).toEqual([true, 1]);
  });

  it('6: close_tab is answered with TAB_CLOSED, twice per diff, after our own answer and for any name', async () => {
    const claude = await begin();
    const view = stage.user.next();
    const answer = claude.call('openDiff', stage.diff(path, 'new\n'));
    (await view).decide({ kind: 'rejected' });
    await answer;
    for (const tab_name of ['tab', 'tab', 'never opened', '']) {
      expect(await claude.callRaw('close_tab', { tab_name })).toEqual({ isError: false, texts: ['TAB_CLOSED'] });
    }
  });

  it.each(['with space.ts', 'ä#?[1].ts', '100%.ts', 'a%20b.ts'])(
    '7: getDiagnostics takes and answers with file:// and the raw path: %s',
    async (name) => {
      const claude = await begin(reporting(name));
      const uri = `file://${stage.file(name, 'x\ny\n')}`;
      await diagnosed(stage.editor);
      const expected = [{ uri, diagnostics: [problem] }];
      expect(await claude.callJson('getDiagnostics', { uri })).toEqual(expected);
      expect(await claude.callJson('getDiagnostics')).toEqual(expected);
    },
  );

  it('8: workspaceFolders in the lock are real paths, though the workspace was opened through a link', async () => {
    await begin();
    await adapter.close();
    const link = join(stage.home, 'link');
    symlinkSync(stage.folder, link);
    const editor = workspaceEditor({ folders: [link] });
    const other = await stage.openAdapter(editor);
    expect(lockOf(other).workspaceFolders).toEqual([stage.folder]);
    await editor.close();
  });

  it('9: what is optional is left out, never null', async () => {
    const claude = await begin();
    const mention = claude.notification('at_mentioned');
    stage.editor.mention(path);
    expect(await mention).toEqual({ filePath: path });
    const cleared = claude.notification('selection_changed');
    await stage.editor.openFile({ path });
    await cleared;
    const none = claude.notification('selection_changed', ({ filePath }) => filePath === undefined);
    await stage.editor.closeFile(path);
    await none;
    await claude.settled();
    expect(JSON.stringify(claude.received)).not.toContain('null');
  });

  it('10: request ids are integers from 0, and 0 is answered like any other', async () => {
    await begin();
    const claude = await stage.connect(adapter);
    await claude.initialize();
    expect([...claude.answers]).toEqual([[0, 1]]);
  });
});

describe('the lock file', () => {
  it('holds what the agent looks for, under the name of the port', async () => {
    await begin();
    expect(lockOf(adapter)).toEqual({
      pid: process.pid,
      workspaceFolders: [stage.folder],
      ideName: 'Hawser',
      transport: 'ws',
      runningInWindows: false,
      authToken: expect.stringMatching(/^[\w-]{43}$/),
    });
    expect(lockPathOf(adapter)).toBe(join(stage.home, '.claude', 'ide', `${new URL(addressOf(adapter)).port}.lock`));
  });
});

describe('a lock of an earlier bridge', () => {
  it('goes when its port is silent, though its process has the number that ours has now', async () => {
    await begin();
    const { authToken, ...rest } = lockOf(adapter);
    await adapter.close();
    const stale = join(stage.home, '.claude', 'ide', '1.lock');
    mkdirSync(join(stage.home, '.claude', 'ide'), { recursive: true });
    writeFileSync(stale, JSON.stringify({ ...rest, authToken: 'old' }));
    recordLock(stale, { stateFolder: join(stage.home, 'state'), port: 1, pid: process.pid, token: 'old' });
    adapter = await stage.openAdapter();
    await expect.poll(() => existsSync(stale)).toBe(false);
    expect(existsSync(lockPathOf(adapter))).toBe(true);
  });
});

describe('an agent', () => {
  it('gets in with the token of the lock, and not without', async () => {
    const claude = await begin();
    expect(claude.protocol).toBe('mcp');
    for (const headers of [{}, { [AUTHORIZATION]: 'wrong' }]) {
      await expect(connectWebSocket(addressOf(adapter), { headers })).rejects.toThrow('HTTP 401');
    }
  });

  it('walks through a session as Claude Code does', async () => {
    await begin(reporting('a.ts'));
    await diagnosed(stage.editor);
    const claude = await stage.connect(adapter);
    expect(await claude.initialize()).toEqual({
      protocolVersion: '2025-11-25',
      capabilities: { tools: {} },
      serverInfo: { name: 'Claude Code Neovim MCP', version: '0.1.0' },
    });
    claude.notify('ide_connected', { pid: 15614 });
    const { tools } = await claude.request('tools/list');
    expect(tools.map(({ name }: { name: string }) => name)).toEqual([
      'openFile',
      'openDiff',
      'getCurrentSelection',
      'getLatestSelection',
      'getOpenEditors',
      'getWorkspaceFolders',
      'checkDocumentDirty',
      'saveDocument',
      'getDiagnostics',
      'close_tab',
      'closeAllDiffTabs',
    ]);
    // A prompt, an edit that the user accepts, the agent's own write, and the next prompt.
    expect(await claude.call('closeAllDiffTabs')).toEqual(['CLOSED_0_DIFF_TABS']);
    const uri = `file://${path}`;
    expect(await claude.callJson('getDiagnostics', { uri })).toEqual([{ uri, diagnostics: [problem] }]);
    const tab_name = '✻ [Claude Code] a.ts (abc) ⧉';
    const view = stage.user.next();
    const answer = claude.call('openDiff', stage.diff(path, 'one\n2\nthree\n', tab_name));
    const { proposal, decide } = await view;
    expect(proposal).toMatchObject({ title: tab_name, agent: 'claude-code' });
    decide({ kind: 'accepted', text: proposal.newText });
    expect(await answer).toEqual(['FILE_SAVED', 'one\n2\nthree\n']);
    for (const _twice of [1, 2]) expect(await claude.call('close_tab', { tab_name })).toEqual(['TAB_CLOSED']);
    stage.file('a.ts', 'one\n2\nthree\n');
    expect(await claude.callJson('getDiagnostics')).toEqual([{ uri, diagnostics: [problem] }]);
    expect(await claude.call('closeAllDiffTabs')).toEqual(['CLOSED_0_DIFF_TABS']);
    // Ids 0 to 8 were each answered once, the notifications never.
    expect([...claude.answers.values()].every((count) => count === 1)).toBe(true);
  });

  it('closes all of its own diffs with closeAllDiffTabs, and no one else’s', async () => {
    const one = await begin();
    const two = await stage.agent(adapter);
    const open = async (agent: Agent, tab: string) => {
      const view = stage.user.next();
      const answer = agent.call('openDiff', stage.diff(path, 'x', tab));
      answer.catch(() => {});
      return { ...(await view), answer };
    };
    const first = await open(one, 'a');
    const others = [await open(two, 'a'), await open(two, 'b')];
    expect(await two.call('closeAllDiffTabs')).toEqual(['CLOSED_2_DIFF_TABS']);
    expect(await Promise.all(others.map(({ answer }) => answer))).toEqual([
      ['DIFF_REJECTED', 'a'],
      ['DIFF_REJECTED', 'b'],
    ]);
    expect([first, ...others].map(({ signal }) => signal.aborted)).toEqual([false, true, true]);
  });

  it('receives how its diffs ended as events for its log', async () => {
    const claude = await begin();
    for (const [decision, expected] of [
      [{ kind: 'accepted', text: 'x' }, ['diff_accepted', { filePath: path, isChanged: false }]],
      [{ kind: 'accepted', text: 'y' }, ['diff_accepted', { filePath: path, isChanged: true }]],
      [{ kind: 'rejected' }, ['diff_rejected', { filePath: path }]],
    ] as const) {
      const logged = claude.notification('log_event');
      const view = stage.user.next();
      void claude.call('openDiff', stage.diff(path, 'x'));
      (await view).decide(decision);
      const [eventName, eventData] = expected;
      expect(await logged).toEqual({ eventName, eventData });
    }
  });
});

describe('the shapes of results', () => {
  let claude: Agent;
  beforeEach(async () => {
    claude = await begin();
  });

  it('openFile: a sentence, or what is known of the document when it stays in the background', async () => {
    expect(await claude.call('openFile', { filePath: path })).toEqual([`Opened file: ${path}`]);
    expect(await claude.callJson('openFile', { filePath: 'a.ts', makeFrontmost: false })).toEqual({
      success: true,
      filePath: path,
      languageId: 'typescript',
      lineCount: 4,
    });
  });

  it.each([
    [{ startText: 'two' }, range(1, 0, 3)],
    [
      { startText: 'n', endText: 'w' },
      { start: { line: 0, character: 1 }, end: { line: 1, character: 2 } },
    ],
    [{ startText: 'hr', selectToEndOfLine: true }, range(2, 1, 5)],
    [{ startText: 'absent' }, range(0, 0, 0)],
  ])('openFile selects by text: %j', async (texts, expected) => {
    await claude.call('openFile', { filePath: path, ...texts });
    expect(await claude.callJson('getCurrentSelection')).toMatchObject({ selection: expected });
  });

  it('openFile counts from the text when the file begins with a byte order mark', async () => {
    const marked = stage.file('bom.ts', '\ufeffone');
    await claude.call('openFile', { filePath: marked, startText: 'one' });
    expect(await claude.callJson('getCurrentSelection')).toMatchObject({ text: 'one', selection: range(0, 0, 3) });
  });

  it('getCurrentSelection and getLatestSelection: the selection, or why there is none', async () => {
    const none = { success: false, message: 'No active editor found' };
    expect(await claude.callJson('getCurrentSelection')).toEqual(none);
    expect(await claude.callJson('getLatestSelection')).toMatchObject({ success: false });
    const selected = {
      success: true,
      text: 'two',
      filePath: path,
      fileUrl: `file://${path}`,
      selection: { ...range(1, 0, 3), isEmpty: false },
    };
    await stage.editor.openFile({ path, range: range(1, 0, 3) });
    expect(await claude.callJson('getCurrentSelection')).toEqual(selected);
    await stage.editor.setSelection(path, range(0, 1, 1));
    expect(await claude.callJson('getCurrentSelection')).toMatchObject({ text: '', selection: { isEmpty: true } });
    expect(await claude.callJson('getLatestSelection')).toEqual(selected);
  });

  it('getOpenEditors and getWorkspaceFolders: URLs and paths', async () => {
    await stage.editor.openFile({ path });
    expect(await claude.callJson('getOpenEditors')).toEqual({
      tabs: [
        {
          uri: `file://${path}`,
          isActive: true,
          label: 'a.ts',
          languageId: 'typescript',
          isDirty: false,
          isUntitled: false,
          fileName: path,
          lineCount: 4,
        },
      ],
    });
    const folder = { name: 'work', uri: `file://${stage.folder}`, path: stage.folder };
    const folders = { success: true, folders: [folder], rootPath: stage.folder };
    expect(await claude.callJson('getWorkspaceFolders')).toEqual(folders);
  });

  it('checkDocumentDirty and saveDocument: what became of a document, or that it is not open', async () => {
    const notOpen = { success: false, message: `Document not open: ${path}` };
    expect(await claude.callJson('checkDocumentDirty', { filePath: path })).toEqual(notOpen);
    expect(await claude.callJson('saveDocument', { filePath: path })).toEqual(notOpen);
    await stage.editor.openFile({ path });
    stage.editor.setText(path, 'unsaved\n');
    const dirty = { success: true, filePath: path, isDirty: true, isUntitled: false };
    expect(await claude.callJson('checkDocumentDirty', { filePath: path })).toEqual(dirty);
    const saved = { success: true, filePath: path, saved: true, message: 'Document saved successfully' };
    expect(await claude.callJson('saveDocument', { filePath: path })).toEqual(saved);
    expect(readFileSync(path, 'utf8')).toBe('unsaved\n');
    stage.editor.setText(path, 'mine\n');
    stage.file('a.ts', 'theirs\n');
    const refused = { success: false, filePath: path, saved: false, message: expect.stringContaining('changed') };
    expect(await claude.callJson('saveDocument', { filePath: path })).toEqual(refused);
  });

  it('nothing is given away while the user has paused', async () => {
    await stage.editor.openFile({ path, range: range(0, 0, 3) });
    stage.access.paused = true;
    for (const name of ['getCurrentSelection', 'getLatestSelection']) {
      expect(await claude.callJson(name), name).toMatchObject({ success: false });
    }
    expect(await claude.callRaw('getOpenEditors')).toMatchObject({ isError: true });
  });
});

describe('getDiagnostics', () => {
  it('is listed and answered by an editor that was not configured for it', async () => {
    const claude = await begin();
    const { tools } = await claude.request('tools/list');
    expect(tools.map(({ name }: { name: string }) => name)).toContain('getDiagnostics');
    const uri = `file://${path}`;
    expect(await claude.callJson('getDiagnostics', { uri })).toEqual([{ uri, diagnostics: [] }]);
    expect(await claude.callJson('getDiagnostics')).toEqual([]);
  });
});

describe('executeCode', () => {
  const listed = async (claude: Agent) =>
    (await claude.request('tools/list')).tools.some(({ name }: { name: string }) => name === 'executeCode');

  it('is not there without an evaluator', async () => {
    const claude = await begin();
    expect(await listed(claude)).toBe(false);
    await expect(claude.call('executeCode', { code: '1' })).rejects.toThrow('executeCode');
  });

  it('passes code on, and what comes of it back, failures too', async () => {
    const evaluate = async (code: string) => ({ text: `=> ${code}`, isError: code === 'bad' });
    const claude = await begin({}, { evaluate });
    expect(await listed(claude)).toBe(true);
    expect(await claude.callRaw('executeCode', { code: '(+ 1 2)' })).toEqual({ isError: false, texts: ['=> (+ 1 2)'] });
    expect(await claude.callRaw('executeCode', { code: 'bad' })).toEqual({ isError: true, texts: ['=> bad'] });
  });

  it('is aborted when its request is cancelled, and refused while paused', async () => {
    const events = new EventEmitter();
    const evaluate = (_code: string, { signal }: { signal: AbortSignal }) => {
      events.emit('running');
      signal.addEventListener('abort', () => events.emit('aborted'));
      return new Promise<never>(() => {});
    };
    const claude = await begin({}, { evaluate });
    const running = once(events, 'running');
    const { id } = claude.begin('tools/call', { name: 'executeCode', arguments: { code: 'loop' } });
    await running;
    const aborted = once(events, 'aborted');
    claude.notify('notifications/cancelled', { requestId: id });
    await aborted;
    stage.access.paused = true;
    expect(await claude.callRaw('executeCode', { code: '1' })).toMatchObject({ isError: true });
  });
});

describe('notifications', () => {
  it('selection_changed has 0-based positions and both forms of the path', async () => {
    const claude = await begin();
    await stage.editor.openFile({ path });
    const next = claude.notification('selection_changed', ({ text }) => text === 'two');
    await stage.editor.setSelection(path, range(1, 0, 3));
    expect(await next).toEqual({
      text: 'two',
      filePath: path,
      fileUrl: `file://${path}`,
      selection: { ...range(1, 0, 3), isEmpty: false },
    });
  });

  it('selection_changed of 10 000 selections comes now and then, and always for the last', async () => {
    const claude = await begin();
    const count = 10_000;
    stage.file('a.ts', 'x\n'.repeat(count + 1));
    await stage.editor.openFile({ path });
    const last = claude.notification('selection_changed', ({ selection }) => selection.start.line === count);
    const began = performance.now();
    for (let line = 1; line <= count; line += 1) await stage.editor.setSelection(path, range(line, 0, 1));
    await last;
    await claude.settled();
    const frames = claude.received.filter(({ method }) => method === 'selection_changed');
    // One per 20 ms, the first at once and the last when its time has come.
    expect(frames.length).toBeLessThanOrEqual((performance.now() - began) / 20 + 3);
    expect(frames.at(-1)?.params.selection.start.line).toBe(count);
  });

  it('selection_changed comes again some time after the agent has connected, because it misses the first', async () => {
    const selections = (agent: Agent) => agent.received.filter(({ method }) => method === 'selection_changed').length;
    const known = (await begin({}, { selectionAgainMs: [10, 20] })).notification('selection_changed');
    await stage.editor.openFile({ path, range: range(0, 0, 3) });
    await known;
    const claude = await stage.agent(adapter);
    await expect.poll(() => selections(claude)).toBe(3);
  });

  it('selection_changed comes again after each prompt, which uses it up', async () => {
    const claude = await begin();
    const known = claude.notification('selection_changed', ({ text }) => text === 'one');
    await stage.editor.openFile({ path, range: range(0, 0, 3) });
    await known;
    const again = claude.notification('selection_changed', ({ text }) => text === 'one');
    await claude.call('closeAllDiffTabs');
    await again;
  });

  it('selection_changed of a secret file says that there is none', async () => {
    const claude = await begin();
    const secret = stage.file('.env', 'SECRET=1');
    const next = claude.notification('selection_changed');
    await stage.editor.openFile({ path: secret, range: range(0, 0, 8) });
    const cleared = await next;
    expect(cleared).toMatchObject({ text: '', selection: { isEmpty: true } });
    expect(cleared).not.toHaveProperty('filePath');
    expect(await claude.callJson('getCurrentSelection')).toMatchObject({ success: false });
  });

  it('at_mentioned has lines from 0, and none for a whole file', async () => {
    const claude = await begin();
    const lines = claude.notification('at_mentioned');
    stage.editor.mention(path, { first: 1, last: 2 });
    expect(await lines).toEqual({ filePath: path, lineStart: 1, lineEnd: 2 });
  });

  it('diagnostics_changed names files by their raw URLs', async () => {
    const claude = await begin({ diagnosticsCommand: { command: ['cat', 'problems'], matcher: 'tsc' } });
    await claude.settled();
    const changed = claude.notification('diagnostics_changed');
    stage.file('problems', 'with space.ts(1,1): error TS1: odd\n.env(1,1): error TS1: secret\n');
    stage.editor.refreshDiagnostics();
    expect(await changed).toEqual({ uris: [`file://${join(stage.folder, 'with space.ts')}`] });
  });
});
