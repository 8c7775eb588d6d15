import { spawnSync } from 'node:child_process';
import { existsSync, readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { describe, expect, it } from 'vitest';
import type { Agent } from '../../../testing/agent.ts';
import { lockingAdapter } from '../../../testing/locking-adapter.ts';
import { diagnosed, lockOf, lockPathOf, Stage } from '../../../testing/stage.ts';
import { describeAgentAdapter } from '../../agent.contract.ts';
import type { OpenAdapter } from '../../agent.ts';
import type { WorkspaceEditorOptions } from '../../editors/workspace/workspace-editor.ts';
import { describeHttpAdapter } from '../adapter-parts/http.contract.ts';
import { type CopilotCliOptions, copilotCliAdapter } from './adapter.ts';

const copilotCli = (options: Partial<CopilotCliOptions> = {}) =>
  lockingAdapter('copilot-cli', '.copilot/ide', (given, home) =>
    copilotCliAdapter({ ...given, temporaryFolder: join(home, 'tmp'), abandonedMs: 50, ...options }),
  );

describeAgentAdapter('the copilot-cli adapter', copilotCli());
describeHttpAdapter('the copilot-cli adapter', copilotCli(), copilotCli({ abandonedMs: 60_000 }));

const TSC = "printf 'a.ts(2,5): error TS2304: Cannot find name foo.\\na b.ts(3,1): warning TS1: odd\\n'";

let stage: Stage;
let adapter: OpenAdapter;
let path: string;

async function begin(options: Partial<WorkspaceEditorOptions> = {}): Promise<Agent> {
  stage = new Stage(copilotCli(), options);
  path = stage.file('a.ts', 'one\ntwo\nthree\n');
  adapter = await stage.openAdapter();
  return stage.agent(adapter);
}

const socketOf = (open: OpenAdapter) => lockOf(open).socketPath as string;
const at = (line: number, character: number) => ({ line, character });

describe('the copilot-cli adapter, to find it', () => {
  it('has a lock named with a UUID that says where the socket is and what to send there', async () => {
    await begin();
    expect(dirname(lockPathOf(adapter))).toBe(join(stage.home, '.copilot', 'ide'));
    expect(lockPathOf(adapter)).toMatch(/[\\/][0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}\.lock$/);
    const { timestamp, headers, socketPath, ...rest } = lockOf(adapter);
    expect(rest).toEqual({ scheme: 'unix', pid: process.pid, workspaceFolders: [stage.folder], ideName: 'Hawser' });
    expect(headers).toEqual({ Authorization: expect.stringMatching(/^Nonce [\w-]{43}$/) });
    expect(Math.abs(Date.now() - Number(timestamp))).toBeLessThan(60_000);
    expect(adapter.endpoints).toEqual([`unix:${socketPath}:/mcp`]);
    expect(adapter.environment).toEqual({});
  });

  it('has a socket that only this user can reach, and takes it away with it', async () => {
    await begin();
    const socket = socketOf(adapter);
    expect(statSync(socket).mode & 0o777).toBe(0o600);
    expect(statSync(dirname(socket)).mode & 0o777).toBe(0o700);
    await adapter.close();
    expect(existsSync(socket)).toBe(false);
  });

  it('listens where it did before, also if a crash has left its socket', async () => {
    await begin();
    const socket = socketOf(adapter);
    await adapter.close();
    const crash = `require('net').createServer().listen(${JSON.stringify(socket)}, () => process.kill(process.pid, 9))`;
    spawnSync(process.execPath, ['-e', crash]);
    expect(existsSync(socket)).toBe(true);
    const again = await stage.openAdapter();
    expect(socketOf(again)).toBe(socket);
    await (await stage.agent(again)).settled();
  });

  it('leaves the socket of another machine that shares the home folder alone', async () => {
    await begin();
    const socket = socketOf(adapter);
    await adapter.close();
    const foreign = join(dirname(socket), '0123456789abcdef.sock');
    const stale = socket.replace(/.{8}\.sock$/, '00000000.sock');
    for (const left of [foreign, stale]) writeFileSync(left, '');
    const state = join(stage.home, 'state');
    const [identity = ''] = readdirSync(state).filter((name) => name.startsWith('identity-'));
    writeFileSync(join(state, identity), readFileSync(join(state, identity), 'utf8').replace(socket, foreign));
    const again = await stage.openAdapter();
    expect(socketOf(again)).not.toBe(foreign);
    await expect.poll(() => existsSync(stale)).toBe(false);
    expect(existsSync(foreign)).toBe(true);
  });
});

describe('the tools of the copilot-cli adapter', () => {
  const names = async (agent: Agent) =>
    (await agent.request('tools/list')).tools.map(({ name }: { name: string }) => name).sort();

  it('are the five that Copilot CLI knows', async () => {
    const agent = await begin({ diagnosticsCommand: { command: ['sh', '-c', TSC], matcher: 'tsc' } });
    const known = ['close_diff', 'get_diagnostics', 'get_selection', 'open_diff', 'update_session_name'];
    expect(await names(agent)).toEqual(known);
    expect(await agent.callJson('update_session_name', { name: 'Fix the build' })).toEqual({ success: true });
  });

  it('get_selection gives text, file and range, and says why there is none', async () => {
    const agent = await begin();
    expect(await agent.callJson('get_selection')).toEqual({ message: 'No file is active' });
    await stage.editor.openFile({ path, range: { start: at(1, 0), end: at(1, 3) } });
    expect(await agent.callJson('get_selection')).toEqual({
      text: 'two',
      filePath: path,
      fileUrl: pathToFileURL(path).href,
      selection: { start: at(1, 0), end: at(1, 3), isEmpty: false },
      current: true,
    });
    await stage.editor.openFile({ path: stage.file('.env', 'SECRET=1') });
    expect(await agent.callJson('get_selection')).toEqual({ message: 'The active file is not shared' });
  });

  it('get_diagnostics takes a file URL, a path or nothing', async () => {
    const agent = await begin({ diagnosticsCommand: { command: ['sh', '-c', TSC], matcher: 'tsc' } });
    const spaced = stage.file('a b.ts', 'x\n');
    await diagnosed(stage.editor);
    const all = await agent.callJson('get_diagnostics');
    expect(all.map(({ filePath }: { filePath: string }) => filePath).sort()).toEqual([spaced, path].sort());
    const uri = pathToFileURL(spaced).href;
    for (const given of [uri, spaced]) {
      expect(await agent.callJson('get_diagnostics', { uri: given })).toEqual([
        {
          uri,
          filePath: spaced,
          diagnostics: [expect.objectContaining({ message: 'odd', severity: 'warning', code: '1' })],
        },
      ]);
    }
    const refused = await agent.callRaw('get_diagnostics', { uri: 'file://elsewhere/a.ts' });
    expect(refused).toEqual({ isError: true, texts: [expect.stringContaining('Not the URL of a local file')] });
  });

  it('close_diff says whether the diff was open', async () => {
    const agent = await begin();
    const closed = { success: true, already_closed: true, tab_name: 'tab', message: 'Not open: tab' };
    expect(await agent.callJson('close_diff', { tab_name: 'tab' })).toEqual(closed);
  });
});

describe('a change that the user accepts in part, or edits, for Copilot CLI', () => {
  const decided = async (text: string, newText = 'one\n2\n3\n') => {
    const agent = stage.agent(adapter);
    const view = stage.user.next();
    const answer = (await agent).callJson('open_diff', stage.diff(path, newText));
    await (await view).decide({ kind: 'accepted', text });
    return await answer;
  };

  it('is written by the editor; Copilot CLI reads REJECTED, and so does not write its own text', async () => {
    await begin();
    expect(await decided('one\n2\nthree\n')).toEqual({
      success: true,
      result: 'REJECTED',
      trigger: 'accepted_with_changes',
      tab_name: 'tab',
      message: expect.stringMatching(
        /^The user accepted the change with modifications\..+-3\n\+three\nIt is written\./s,
      ),
    });
    expect(readFileSync(path, 'utf8')).toBe('one\n2\nthree\n');
  });

  it('keeps the line ends of the file', async () => {
    await begin();
    stage.file('a.ts', 'one\r\ntwo\r\nthree\r\n');
    expect(await decided('one\n2\nthree\n')).toMatchObject({ result: 'REJECTED' });
    expect(readFileSync(path, 'utf8')).toBe('one\r\n2\r\nthree\r\n');
  });

  it('that merges the proposal with a newer file is written by the editor, too', async () => {
    const agent = await begin();
    const view = stage.user.next();
    const answer = agent.callJson('open_diff', stage.diff(path, 'one\ntwo\n3\n'));
    const { review, decide } = await view;
    const refreshed = new Promise<void>((resolve) => review.onRefresh(resolve));
    stage.file('a.ts', '1\ntwo\nthree\n');
    await refreshed;
    expect(review.proposal).toMatchObject({ base: 'merged', newText: '1\ntwo\n3\n' });
    await decide({ kind: 'accepted', text: '1\ntwo\n3\n' });
    expect(await answer).toMatchObject({ result: 'REJECTED', trigger: 'accepted_with_changes' });
    expect(readFileSync(path, 'utf8')).toBe('1\ntwo\n3\n');
  });

  it('and that can not be written leaves the file alone, and the change open with the reason', async () => {
    const agent = await begin();
    await stage.editor.openFile({ path });
    await stage.editor.setText(path, 'unsaved\n');
    const view = stage.user.next();
    const answer = agent.callJson('open_diff', stage.diff(path, 'one\n2\n3\n'));
    const { decide } = await view;
    const reason = expect.stringContaining('unsaved text');
    expect(await decide({ kind: 'accepted', text: 'one\n2\nthree\n' })).toEqual({ kind: 'failed', reason });
    expect(readFileSync(path, 'utf8')).toBe('one\ntwo\nthree\n');
    await decide({ kind: 'rejected', notes: [{ text: 'later' }] });
    expect(await answer).toMatchObject({
      result: 'REJECTED',
      message: expect.stringContaining('The user says:\n- later'),
    });
  });
});

describe('the notifications of the copilot-cli adapter', () => {
  it('clear the selection with empty texts when the user pauses', async () => {
    const agent = await begin();
    const selected = agent.notification('selection_changed', ({ text }) => text === 'two');
    await stage.editor.openFile({ path, range: { start: at(1, 0), end: at(1, 3) } });
    await selected;
    const cleared = agent.notification('selection_changed');
    stage.access.paused = true;
    expect(await cleared).toEqual({
      text: '',
      filePath: '',
      fileUrl: '',
      selection: { start: at(0, 0), end: at(0, 0), isEmpty: true },
    });
  });

  it('carry mentions of files and of lines, which count from 0', async () => {
    const agent = await begin();
    const place = { filePath: path, fileUrl: pathToFileURL(path).href, selectedText: null };
    const file = agent.notification('add_file_reference');
    stage.editor.mention(path);
    expect(await file).toEqual({ ...place, selection: null });
    const lines = agent.notification('add_selection');
    stage.editor.mention(path, { first: 2, last: 3 });
    expect(await lines).toEqual({ ...place, selection: { start: at(2, 0), end: at(3, 0) } });
  });
});
