import { once } from 'node:events';
import { chmodSync, mkdirSync, readFileSync, rmSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { beforeEach, describe, expect, it } from 'vitest';
import { connectMcp, type McpClient, mcpUnderTest } from '../../../testing/mcp-client.ts';
import { addressOf, diagnosed, lockPathOf, Stage, tokenOf } from '../../../testing/stage.ts';
import type { OpenAdapter } from '../../agent.ts';
import type { WorkspaceEditorOptions } from '../../editors/workspace/workspace-editor.ts';

const TEXT = 'one\ntwo\nthree\nfour\nfive\n';
const TSC = 'echo "a.ts(2,5): error TS2304: Cannot find name foo."; echo "a.ts(3,1): warning TS1: odd"';
const SHOUT = ['node', '-e', "process.stdin.on('data', (d) => process.stdout.write(String(d).toUpperCase()))"];

let stage: Stage;
let adapter: OpenAdapter;
let path: string;
let agent: McpClient;

async function begin(options: Partial<WorkspaceEditorOptions> = {}): Promise<void> {
  stage = new Stage(mcpUnderTest(), options);
  path = stage.file('a.ts', TEXT);
  adapter = await stage.openAdapter();
  agent = await connectMcp(adapter);
}

beforeEach(() => begin());

const onDisk = (file = path) => readFileSync(file, 'utf8');
/** A proposal of the agent on the user's screen, and the answer that the agent waits for. */
const proposed = async (args: object = {}) => {
  const view = stage.user.next();
  const answer = agent.call('propose_edit', { path: 'a.ts', edits: [{ old_text: 'two', new_text: '2' }], ...args });
  answer.catch(() => {});
  return { ...(await view), answer };
};
const outcomeOf = async (answer: ReturnType<McpClient['call']>) => (await answer).data.files[0];

describe('the tools of the mcp adapter', () => {
  it('are those that the editor can do, with schemas and true annotations', async () => {
    const few = ['get_diagnostics', 'get_selection', 'list_open_files', 'open_file', 'propose_edit', 'save_file'];
    expect(await agent.names()).toEqual(few);
    await stage.close();
    await begin({
      diagnosticsCommand: { command: ['sh', '-c', TSC], matcher: 'tsc' },
      formatCommand: { command: SHOUT as [string, ...string[]] },
    });
    const { tools } = await agent.client.listTools();
    expect(tools.map(({ name }) => name).sort()).toEqual([...few, 'format_file'].sort());
    for (const { name, description, inputSchema, outputSchema, annotations, title } of tools) {
      expect([description, title, inputSchema, outputSchema, annotations], name).not.toContain(undefined);
    }
    const readOnly = tools.filter(({ annotations }) => annotations?.readOnlyHint === true).map(({ name }) => name);
    expect(readOnly.sort()).toEqual(['get_diagnostics', 'get_selection', 'list_open_files']);
  });

  it('open_file shows lines, get_selection gets them, list_open_files lists the file; lines count from 1', async () => {
    expect((await agent.call('get_selection')).text).toBe('No file is active in the editor');
    const opened = await agent.call('open_file', { path: 'a.ts', line: 2, end_line: 3 });
    expect(opened.data).toMatchObject({ path: 'a.ts', language: 'typescript', is_active: true });
    expect((await agent.call('get_selection')).data).toMatchObject({
      path: 'a.ts',
      start_line: 2,
      text: 'two\nthree\n',
    });
    stage.editor.setText(path, 'unsaved');
    expect((await agent.call('list_open_files')).data.files).toMatchObject([
      { path: 'a.ts', is_active: true, has_unsaved_changes: true },
    ]);
    expect((await agent.call('save_file', { path })).isError).toBe(false);
    expect(onDisk()).toBe('unsaved');
  });

  it('get_diagnostics of a path without a file says so, instead of that it has no problems', async () => {
    mkdirSync(join(stage.folder, 'folder'));
    expect(await agent.call('get_diagnostics', { path: 'a.ts' })).toMatchObject({
      isError: false,
      text: 'No problems',
    });
    expect(await agent.call('get_diagnostics', { path: 'b.ts' })).toMatchObject({
      isError: true,
      text: `No such file: ${join(stage.folder, 'b.ts')}`,
    });
    expect((await agent.call('get_diagnostics', { path: 'folder' })).text).toContain('is a directory');
  });

  it('get_diagnostics and format_file do what they say', async () => {
    await stage.close();
    await begin({
      diagnosticsCommand: { command: ['sh', '-c', TSC], matcher: 'tsc' },
      formatCommand: { command: SHOUT as [string, ...string[]] },
    });
    await diagnosed(stage.editor);
    expect((await agent.call('get_diagnostics', { path: 'a.ts', severity: 'error' })).data).toMatchObject({
      problems: [{ path: 'a.ts', line: 2, column: 5, severity: 'error', message: 'Cannot find name foo.' }],
      omitted: 0,
    });
    expect((await agent.call('get_diagnostics')).text).toContain('a.ts:3:1: warning: odd');
    const formatting = agent.call('format_file', { path: 'a.ts' });
    const review = await stage.user.next();
    expect([review.proposal.newText, onDisk()]).toEqual([TEXT.toUpperCase(), TEXT]);
    await review.decide({ kind: 'accepted' });
    expect((await formatting).data).toEqual({ files: [{ path: 'a.ts', outcome: 'written' }] });
    expect(onDisk()).toBe(TEXT.toUpperCase());
    expect((await agent.call('format_file', { path: 'a.ts' })).text).toBe('a.ts is formatted already');
    stage.file('.env', 'secret=1\n');
    expect(await agent.call('format_file', { path: '.env' })).toMatchObject({ isError: true });
  });

  it('refuse what is outside or denied, and everything while the user has paused, with a text that says so', async () => {
    stage.file('.env', 'SECRET=1');
    for (const [tool, args] of [
      ['open_file', { path: '/etc/passwd' }],
      ['propose_edit', { path: '../x', new_text: 'x' }],
      ['propose_edit', { path: '.env', new_text: 'x' }],
      ['save_file', { path: '.env' }],
    ] as const) {
      const { isError, text } = await agent.call(tool, args);
      expect([isError, text], tool).toEqual([true, expect.stringMatching(/Outside the workspace|Denied/)]);
    }
    stage.access.paused = true;
    for (const [tool, args] of [
      ['open_file', { path: 'a.ts' }],
      ['get_selection', {}],
      ['list_open_files', {}],
      ['propose_edit', { path: 'a.ts', new_text: 'x' }],
      ['save_file', { path: 'a.ts' }],
    ] as const) {
      const { isError, text } = await agent.call(tool, args);
      expect([isError, text], tool).toEqual([true, expect.stringContaining('Paused')]);
    }
    expect(stage.user.shown).toEqual([]);
  });
});

describe('propose_edit', () => {
  it('shows the change under the name of the agent, waits, and writes what the user accepts', async () => {
    const { proposal, decide, answer } = await proposed({ title: 'Count' });
    expect(proposal).toMatchObject({ path, oldText: TEXT, agent: 'an-agent', title: 'Count' });
    expect(onDisk()).toBe(TEXT);
    await decide({ kind: 'accepted', text: proposal.newText });
    expect(await outcomeOf(answer)).toEqual({ path: 'a.ts', outcome: 'written' });
    expect((await answer).isError).toBe(false);
    expect(onDisk()).toBe(TEXT.replace('two', '2'));
  });

  it('tells the model what the user changed', async () => {
    const { decide, answer } = await proposed({
      edits: [
        { old_text: 'one', new_text: '1' },
        { old_text: 'five', new_text: '5' },
      ],
    });
    await decide({ kind: 'accepted', text: '1\ntwo\nthree\nfour\nfive\n' });
    const { text, data } = await answer;
    expect(data.files[0].outcome).toBe('written with changes by the user');
    expect(data.files[0].user_changes).toContain('-5\n+five\n');
    expect(text).toContain(data.files[0].user_changes);
    expect(onDisk()).toBe('1\ntwo\nthree\nfour\nfive\n');
  });

  it('writes nothing that the user rejects, and says so without an error', async () => {
    const { decide, answer } = await proposed();
    await decide({ kind: 'rejected' });
    expect(await answer).toMatchObject({ isError: false, text: expect.stringContaining('rejected the change') });
    expect(onDisk()).toBe(TEXT);
  });

  it('makes a new file, and one of CRLF or Latin-1 stays so', async () => {
    for (const [name, bytes, args, expected] of [
      ['new/b.ts', undefined, { new_text: 'b\n' }, Buffer.from('b\n')],
      [
        'crlf.txt',
        Buffer.from('a\r\nb\r\n'),
        { edits: [{ old_text: 'a\nb', new_text: 'a\nc' }] },
        Buffer.from('a\r\nc\r\n'),
      ],
      ['latin1.txt', Buffer.from('ä b\n', 'latin1'), { new_text: 'ä c\n' }, Buffer.from('ä c\n', 'latin1')],
    ] as const) {
      if (bytes !== undefined) stage.file(name, bytes as never);
      const { proposal, decide, answer } = await proposed({ path: name, edits: undefined, ...args });
      await decide({ kind: 'accepted', text: proposal.newText });
      expect((await outcomeOf(answer)).outcome, name).toBe('written');
      expect(readFileSync(join(stage.folder, name)), name).toEqual(expected);
    }
  });

  it('refuses at once what does not fit the file, and says what to do', async () => {
    for (const [args, text] of [
      [{ edits: [{ old_text: 'six', new_text: '6' }] }, 'old_text is not in the file; read the file again'],
      [{ edits: [{ old_text: 'e\n', new_text: 'E\n' }] }, 'old_text is in the file 3 times; add lines around it'],
      [{ new_text: TEXT }, 'contains this text already'],
      [{}, 'Give either edits or new_text'],
      [{ new_text: 'x', edits: [{ old_text: 'a', new_text: 'b' }] }, 'Give either edits or new_text'],
      [{ path: 'none.ts', edits: [{ old_text: 'a', new_text: 'b' }] }, 'No such file: none.ts. To create it'],
    ] as const) {
      const answer = await agent.call('propose_edit', { path: 'a.ts', ...args });
      expect([answer.isError, answer.text]).toEqual([true, expect.stringContaining(text)]);
    }
    await agent.call('open_file', { path: 'a.ts' });
    stage.editor.setText(path, 'mine');
    const dirty = await agent.call('propose_edit', { path: 'a.ts', new_text: 'x' });
    expect([dirty.isError, dirty.text]).toEqual([true, expect.stringContaining('a.ts has unsaved changes')]);
    expect(stage.user.shown).toEqual([]);
  });

  it('that can’t be written stays open, and is written once it can be', async () => {
    const { proposal, decide, answer } = await proposed();
    chmodSync(path, 0o444);
    const reason = expect.stringContaining('Read-only');
    expect(await decide({ kind: 'accepted', text: proposal.newText })).toEqual({ kind: 'failed', reason });
    expect(onDisk()).toBe(TEXT);
    chmodSync(path, 0o644);
    expect(await decide({ kind: 'accepted', text: proposal.newText })).toMatchObject({ kind: 'decided' });
    expect((await outcomeOf(answer)).outcome).toBe('written');
    expect(onDisk()).toBe(proposal.newText);
  });

  it('is written although the user has paused meanwhile', async () => {
    const { decide, answer } = await proposed();
    stage.access.paused = true;
    expect(await decide({ kind: 'accepted', text: 'mine\n' })).toMatchObject({ kind: 'decided' });
    stage.access.paused = false;
    await answer;
    expect(onDisk()).toBe('mine\n');
  });

  it('comes back with the notes of the user, who asks for changes', async () => {
    const { decide, answer } = await proposed();
    const lines = { side: 'new', first: 1, count: 1 } as const;
    await decide({ kind: 'changesRequested', notes: [{ text: 'Why?' }, { text: 'not this', lines }] });
    const { outcome, notes } = await outcomeOf(answer);
    expect([outcome, notes]).toEqual([
      'changes requested',
      expect.stringMatching(/^- Why\?\n- line 2 \(.+\): not this$/),
    ]);
    expect((await answer).text).toContain('the user asks for changes; nothing is written. Propose it again');
    expect(onDisk()).toBe(TEXT);
  });

  it('sends progress while it waits', async () => {
    const view = stage.user.next();
    const messages: (string | undefined)[] = [];
    let received = () => {};
    const first = new Promise<void>((resolve) => {
      received = resolve;
    });
    const onprogress = ({ message }: { message?: string | undefined }) => {
      messages.push(message);
      received();
    };
    const answer = agent.call('propose_edit', { path: 'a.ts', new_text: 'x\n' }, { onprogress });
    const { decide } = await view;
    await first;
    await decide({ kind: 'rejected' });
    await answer;
    expect(messages[0]).toContain('Waiting for the user to review this change');
  });

  it('is withdrawn when the agent cancels or disconnects, and nothing is written', async () => {
    const view = stage.user.next();
    const cancelling = new AbortController();
    const answer = agent.call('propose_edit', { path: 'a.ts', new_text: 'x\n' }, { signal: cancelling.signal });
    const { signal, decide } = await view;
    const closed = once(signal, 'abort');
    cancelling.abort();
    await expect(answer).rejects.toThrow();
    await closed;
    await decide({ kind: 'accepted', text: 'x\n' });
    expect(onDisk()).toBe(TEXT);

    const other = await proposed();
    const gone = once(other.signal, 'abort');
    await (agent.client.transport as unknown as { terminateSession(): Promise<void> }).terminateSession();
    await gone;
  });

  it('of a second agent is refreshed with what the first has written, and both changes are in the file', async () => {
    const second = await connectMcp(adapter, 'another-agent');
    const first = await proposed();
    const view = stage.user.next();
    const edits = [{ old_text: 'five', new_text: '5' }];
    const answer = second.call('propose_edit', { path: 'a.ts', edits });
    const { review, decide } = await view;
    const refreshed = new Promise<void>((resolve) => review.onRefresh(resolve));
    await first.decide({ kind: 'accepted', text: first.proposal.newText });
    expect((await outcomeOf(first.answer)).outcome).toBe('written');
    await refreshed;
    expect(review.proposal).toMatchObject({ base: 'merged', newText: 'one\n2\nthree\nfour\n5\n' });
    await decide({ kind: 'accepted', text: review.proposal.newText });
    expect(await outcomeOf(answer)).toMatchObject({
      outcome: 'written',
      reason: 'The file had changed since you proposed; both changes are in it',
    });
    expect(onDisk()).toBe('one\n2\nthree\nfour\n5\n');
  });

  it.each([
    ['changed in the same lines', 'one\nZWEI\nthree\nfour\nfive\n', 'replaced'],
    ['deleted', undefined, 'created again'],
  ])('for a file that was %s meanwhile says what the acceptance did to it', async (_what, text, did) => {
    const { answer, review, decide } = await proposed();
    const refreshed = new Promise<void>((resolve) => review.onRefresh(resolve));
    if (text === undefined) rmSync(join(stage.folder, 'a.ts'));
    else stage.file('a.ts', text);
    await refreshed;
    expect(review.proposal.base).toBe('conflict');
    await decide({ kind: 'accepted', text: review.proposal.newText });
    const { outcome, reason } = await outcomeOf(answer);
    expect([outcome, reason]).toEqual(['written', expect.stringContaining(did)]);
    expect(reason).not.toContain('both changes');
    expect(onDisk()).toBe(review.proposal.newText);
  });
});

describe('the endpoint of the mcp adapter', () => {
  it('is named in a private file that goes with it, and stays the same across a restart', async () => {
    const file = lockPathOf(adapter);
    expect(file.startsWith(join(stage.home, 'state', 'mcp'))).toBe(true);
    expect(statSync(file).mode & 0o777).toBe(0o600);
    const content = readFileSync(file, 'utf8');
    expect(JSON.parse(content)).toEqual({
      url: addressOf(adapter),
      authToken: tokenOf(adapter),
      pid: process.pid,
      workspaceFolders: [stage.folder],
    });
    await adapter.close();
    expect(statSync(file, { throwIfNoEntry: false })).toBeUndefined();
    const again = await stage.openAdapter();
    expect(readFileSync(lockPathOf(again), 'utf8')).toBe(content);
  });

  it('names wrong arguments, and knows its clients', async () => {
    const wrong = await agent.call('open_file', { path: 7 }).catch((error: Error) => error);
    expect(wrong instanceof Error ? wrong.message : wrong.text).toContain('path');
    expect(adapter.clients()).toMatchObject([{ name: 'an-agent', state: 'ready' }]);
  });
});
