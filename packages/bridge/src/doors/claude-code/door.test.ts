import { once } from 'node:events';
import { mkdirSync, mkdtempSync, readFileSync, realpathSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { connectWebSocket } from '@hawser/mcp/websocket';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { OpenDoor } from '../../door.ts';
import type { DiffDecision, Proposal } from '../../editor.ts';
import { type WorkspaceEditor, workspaceEditor } from '../../editors/workspace/workspace-editor.ts';
import { makeGuard } from '../../guard.ts';
import { type Agent, connectAgent } from './agent.contract.ts';
import { claudeCodeDoor } from './door.ts';

interface Shown {
  readonly proposal: Proposal;
  readonly signal: AbortSignal;
  readonly decide: (decision: DiffDecision) => void;
}

/** A person who looks at proposals when the test says so. */
class Person {
  readonly shown: Shown[] = [];
  readonly #waiting: ((shown: Shown) => void)[] = [];

  readonly review = (proposal: Proposal, { signal }: { signal: AbortSignal }): Promise<DiffDecision> =>
    new Promise((resolve, reject) => {
      signal.addEventListener('abort', () => reject(signal.reason), { once: true });
      const shown = { proposal, signal, decide: resolve };
      this.shown.push(shown);
      this.#waiting.shift()?.(shown);
    });

  next(): Promise<Shown> {
    return new Promise((resolve) => this.#waiting.push(resolve));
  }
}

let folder: string;
let editor: WorkspaceEditor;
let door: OpenDoor;
let person: Person;
let agents: Agent[];

beforeEach(async () => {
  const base = realpathSync(mkdtempSync(join(tmpdir(), 'hawser-door-')));
  mkdirSync(join(base, 'work'));
  symlinkSync(join(base, 'work'), join(base, 'link'));
  folder = join(base, 'work');
  writeFileSync(join(folder, 'a.ts'), 'one\ntwo\nthree\n');
  person = new Person();
  agents = [];
  editor = workspaceEditor({ folders: [folder], reviewer: person.review });
  door = await open();
});

afterEach(async () => {
  for (const agent of agents) agent.close();
  await door.close();
  await editor.close();
  rmSync(join(folder, '..'), { recursive: true, force: true });
});

function open(): Promise<OpenDoor> {
  const home = join(folder, '..');
  return claudeCodeDoor({
    guard: makeGuard({ folders: [folder], home }),
    identity: { name: 'Claude Code Neovim MCP', version: '0.1.0' },
    ideName: 'Hawser',
    lockFolder: join(home, '.claude', 'ide'),
    stateFolder: join(home, 'state'),
    pid: process.pid,
    runningInWindows: false,
  }).open(editor);
}

const lock = () => JSON.parse(readFileSync(door.lockPath as string, 'utf8'));

async function agent(): Promise<Agent> {
  const connected = await connectAgent(door.address, lock().authToken);
  agents.push(connected);
  return connected;
}

const diff = (path: string, contents: string, tab_name = 'tab') => ({
  old_file_path: path,
  new_file_path: path,
  new_file_contents: contents,
  tab_name,
});

describe('the lock file', () => {
  it('holds what the agent looks for, under the name of the port, and goes with the door', async () => {
    expect(lock()).toEqual({
      pid: process.pid,
      workspaceFolders: [folder],
      ideName: 'Hawser',
      transport: 'ws',
      runningInWindows: false,
      authToken: expect.stringMatching(/^[\w-]{43}$/),
    });
    expect(door.lockPath).toBe(join(folder, '..', '.claude', 'ide', `${new URL(door.address).port}.lock`));
    await door.close();
    expect(() => lock()).toThrow('ENOENT');
  });

  it('names real folders though the workspace was opened through a link', async () => {
    await editor.close();
    await door.close();
    editor = workspaceEditor({ folders: [join(folder, '..', 'link')] });
    door = await open();
    expect(lock().workspaceFolders).toEqual([folder]);
  });

  it('has the same port and token after a restart', async () => {
    const before = [door.address, lock().authToken];
    await door.close();
    door = await open();
    expect([door.address, lock().authToken]).toEqual(before);
  });
});

describe('an agent', () => {
  it('gets in with the token of the lock and the subprotocol mcp, and not without', async () => {
    const { protocol } = await agent();
    expect(protocol).toBe('mcp');
    for (const headers of [{}, { 'x-claude-code-ide-authorization': 'wrong' }]) {
      await expect(connectWebSocket(door.address, { headers })).rejects.toThrow('HTTP 401');
    }
  });

  it('walks through a session as Claude Code does', async () => {
    const claude = await agent();
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
      'close_tab',
      'closeAllDiffTabs',
    ]);
    expect(await claude.call('closeAllDiffTabs')).toEqual(['CLOSED_0_DIFF_TABS']);
    const path = join(folder, 'a.ts');
    const view = person.next();
    const answer = claude.call('openDiff', diff(path, 'one\n2\nthree\n', '✻ [Claude Code] a.ts'));
    const { proposal, decide } = await view;
    expect(proposal).toMatchObject({
      path,
      oldText: 'one\ntwo\nthree\n',
      newText: 'one\n2\nthree\n',
      from: 'claude-code',
    });
    decide({ kind: 'accepted', text: proposal.newText });
    expect(await answer).toEqual(['FILE_SAVED', 'one\n2\nthree\n']);
    expect(readFileSync(path, 'utf8')).toBe('one\ntwo\nthree\n');
    for (const _twice of [1, 2]) {
      expect(await claude.call('close_tab', { tab_name: '✻ [Claude Code] a.ts' })).toEqual(['TAB_CLOSED']);
    }
  });

  it('is answered with what the person made of the proposal, or with a rejection', async () => {
    const claude = await agent();
    await claude.initialize();
    const path = join(folder, 'a.ts');
    const decisions: [DiffDecision, string[]][] = [
      [{ kind: 'accepted', text: 'edited\n' }, ['FILE_SAVED', 'edited\n']],
      [{ kind: 'rejected' }, ['DIFF_REJECTED', 'tab']],
    ];
    for (const [decision, expected] of decisions) {
      const view = person.next();
      const answer = claude.call('openDiff', diff(path, 'new\n'));
      (await view).decide(decision);
      expect(await answer).toEqual(expected);
    }
  });

  it('that decides in its terminal closes the tab, and its openDiff is answered all the same', async () => {
    const claude = await agent();
    await claude.initialize();
    const view = person.next();
    const answer = claude.call('openDiff', diff(join(folder, 'a.ts'), 'new\n'));
    const { signal } = await view;
    expect(await claude.call('close_tab', { tab_name: 'tab' })).toEqual(['TAB_CLOSED']);
    expect(await answer).toEqual(['DIFF_REJECTED', 'tab']);
    expect(signal.aborted).toBe(true);
  });

  it('proposes a file that does not exist yet, and a CRLF file in LF', async () => {
    const claude = await agent();
    await claude.initialize();
    writeFileSync(join(folder, 'crlf.txt'), 'a\r\nb\r\n');
    for (const [name, oldText] of [
      ['new/file.ts', undefined],
      ['crlf.txt', 'a\nb\n'],
    ] as const) {
      const view = person.next();
      const answer = claude.call('openDiff', diff(join(folder, name), 'text\n'));
      const { proposal, decide } = await view;
      expect(proposal.oldText).toBe(oldText);
      decide({ kind: 'rejected' });
      await answer;
    }
  });

  it('closes only its own diffs, and those it leaves behind close', async () => {
    const [one, two] = [await agent(), await agent()];
    await Promise.all([one.initialize(), two.initialize()]);
    const path = join(folder, 'a.ts');
    const firstView = person.next();
    void one.call('openDiff', diff(path, '1')).catch(() => {});
    const first = await firstView;
    const secondView = person.next();
    const answer = two.call('openDiff', diff(path, '2'));
    const second = await secondView;
    expect(await two.call('closeAllDiffTabs')).toEqual(['CLOSED_1_DIFF_TABS']);
    expect(await answer).toEqual(['DIFF_REJECTED', 'tab']);
    expect([first.signal.aborted, second.signal.aborted]).toEqual([false, true]);
    const gone = once(first.signal, 'abort');
    one.close();
    await gone;
  });

  it('stays inside the workspace and away from secrets', async () => {
    const claude = await agent();
    await claude.initialize();
    writeFileSync(join(folder, '.env'), 'SECRET=1');
    for (const path of ['/etc/passwd', '../outside.txt', join(folder, '.env')]) {
      const { isError, texts } = await claude.callRaw('openDiff', diff(path, 'x'));
      expect([isError, texts.join()]).toEqual([true, expect.not.stringContaining('SECRET')]);
    }
    expect(person.shown).toEqual([]);
  });
});

describe('selections', () => {
  const range = (line: number, to: number) => ({ start: { line, character: 0 }, end: { line, character: to } });

  it('reach every agent at once, with 0-based positions and both forms of the path', async () => {
    const claude = await agent();
    await claude.initialize();
    const path = join(folder, 'a.ts');
    await editor.openFile({ path });
    const next = claude.notification('selection_changed', ({ text }) => text === 'two');
    await editor.setSelection(path, range(1, 3));
    expect(await next).toEqual({
      text: 'two',
      filePath: path,
      fileUrl: `file://${path}`,
      selection: { ...range(1, 3), isEmpty: false },
    });
    const [current] = await claude.call('getCurrentSelection');
    expect(JSON.parse(current as string)).toMatchObject({ success: true, text: 'two', filePath: path });
  });

  it('are sent to an agent that comes later, and again after each prompt', async () => {
    const path = join(folder, 'a.ts');
    await editor.openFile({ path });
    await editor.setSelection(path, range(0, 3));
    const claude = await agent();
    const first = claude.notification('selection_changed', ({ text }) => text === 'one');
    await claude.initialize();
    await first;
    const again = claude.notification('selection_changed', ({ text }) => text === 'one');
    await claude.call('closeAllDiffTabs');
    await again;
  });

  it('of a secret file are not sent: the agent is told that there is none', async () => {
    const claude = await agent();
    await claude.initialize();
    writeFileSync(join(folder, '.env'), 'SECRET=1');
    const next = claude.notification('selection_changed');
    await editor.openFile({ path: join(folder, '.env'), range: range(0, 8) });
    const cleared = await next;
    expect(cleared).toMatchObject({ text: '', selection: { isEmpty: true } });
    expect(cleared).not.toHaveProperty('filePath');
    expect(JSON.parse((await claude.call('getCurrentSelection'))[0] as string)).toMatchObject({ success: false });
  });
});
