import { once } from 'node:events';
import { mkdirSync, readFileSync } from 'node:fs';
import { delimiter, join } from 'node:path';
import { Client } from '@modelcontextprotocol/sdk/client/index.js';
import { StreamableHTTPClientTransport } from '@modelcontextprotocol/sdk/client/streamableHttp.js';
import { describe, expect, it } from 'vitest';
import type { Agent } from '../../../testing/agent.ts';
import { lockingAdapter } from '../../../testing/locking-adapter.ts';
import { addressOf, lockOf, lockPathOf, Stage, tokenOf } from '../../../testing/stage.ts';
import { describeAgentAdapter } from '../../agent.contract.ts';
import type { OpenAdapter } from '../../agent.ts';
import { describeHttpAdapter } from '../adapter-parts/http.contract.ts';
import type { CompanionOptions } from '../companion/options.ts';
import { geminiCliAdapter } from './adapter.ts';

const geminiCli = (options: Partial<CompanionOptions> = {}) =>
  lockingAdapter('gemini-cli', 'tmp/gemini/ide', (given) =>
    geminiCliAdapter({ ...given, abandonedMs: 50, ...options }),
  );

describeAgentAdapter('the gemini-cli adapter', geminiCli());
describeHttpAdapter('the gemini-cli adapter', geminiCli(), geminiCli({ abandonedMs: 60_000 }));

let stage: Stage;
let adapter: OpenAdapter;
let path: string;

async function begin(): Promise<Agent> {
  stage = new Stage(geminiCli());
  path = stage.file('a.ts', 'one\ntwo\nthree\n');
  adapter = await stage.openAdapter();
  return stage.agent(adapter);
}

it('the editor is asked for its open files only while an agent is connected, and not when the selection changes', async () => {
  stage = new Stage(geminiCli());
  path = stage.file('a.ts', 'one\ntwo\nthree\n');
  let asked = 0;
  const { openDocuments } = stage.editor;
  stage.editor.openDocuments = () => {
    asked += 1;
    return openDocuments.call(stage.editor);
  };
  adapter = await stage.openAdapter();
  const select = (line: number) =>
    stage.editor.setSelection?.(path, { start: { line, character: 0 }, end: { line, character: 1 } });
  await stage.editor.openFile({ path });
  await select(1);
  const agent = await stage.agent(adapter);
  const contexts = () => agent.received.filter(({ method }) => method === 'ide/contextUpdate');
  await expect.poll(() => contexts().length).toBeGreaterThan(0);
  // Once, for the agent that has just come.
  expect(asked).toBe(1);
  await select(2);
  await expect.poll(() => JSON.stringify(contexts().at(-1))).toContain('"line":3');
  expect(asked).toBe(1);
});

const portOf = (open: OpenAdapter) => Number(new URL(addressOf(open)).port);

describe('the gemini-cli adapter, to find it', () => {
  it('has a file with port, folders, token and the name of the editor, and the same in the environment', async () => {
    await begin();
    const port = portOf(adapter);
    const name = `gemini-ide-server-${process.pid}-${port}.json`;
    expect(lockPathOf(adapter)).toBe(join(stage.home, 'tmp', 'gemini', 'ide', name));
    expect(lockOf(adapter)).toEqual({
      port,
      workspacePath: stage.folder,
      authToken: expect.stringMatching(/^[\w-]{43}$/),
      ideInfo: { name: 'hawser', displayName: 'Hawser' },
    });
    expect({ ...adapter.environment }).toEqual({
      GEMINI_CLI_IDE_SERVER_PORT: String(port),
      GEMINI_CLI_IDE_AUTH_TOKEN: tokenOf(adapter),
      GEMINI_CLI_IDE_WORKSPACE_PATH: stage.folder,
    });
  });

  it('names all folders of the workspace, and follows them', async () => {
    await begin();
    const other = join(stage.home, 'other');
    mkdirSync(other);
    stage.editor.setFolders([stage.folder, other]);
    const both = [stage.folder, other].join(delimiter);
    expect(lockOf(adapter).workspacePath).toBe(both);
    expect(adapter.environment.GEMINI_CLI_IDE_WORKSPACE_PATH).toBe(both);
  });
});

describe('the context that the gemini-cli adapter sends', () => {
  const at = (line: number, character: number) => ({ line, character });
  const context = (agent: Agent, fits: (files: { path: string; isActive?: boolean }[]) => boolean = () => true) =>
    agent
      .notification('ide/contextUpdate', ({ workspaceState }) => fits(workspaceState.openFiles))
      .then(({ workspaceState }) => workspaceState);

  it('is sent to an agent that connects, also if nothing is open', async () => {
    await begin();
    const agent = await stage.connect(adapter);
    const sent = context(agent);
    await agent.initialize();
    expect(await sent).toEqual({ openFiles: [] });
  });

  it('has the cursor from 1, the selected text, and nothing about trust', async () => {
    const agent = await begin();
    const sent = context(agent, ([file]) => file?.isActive === true);
    await stage.editor.openFile({ path, range: { start: at(1, 0), end: at(1, 3) } });
    const timestamp = expect.any(Number);
    expect(await sent).toEqual({
      openFiles: [{ path, timestamp, isActive: true, cursor: at(2, 4), selectedText: 'two' }],
    });
    const moved = context(agent);
    await stage.editor.openFile({ path, range: { start: at(2, 1), end: at(2, 1) } });
    expect(await moved).toEqual({ openFiles: [{ path, timestamp, isActive: true, cursor: at(3, 2) }] });
  });

  it('has the active file first and newest, whatever is opened in the background', async () => {
    const agent = await begin();
    const others = ['b.ts', 'c.ts'].map((name) => stage.file(name, 'x\n'));
    const opened = context(agent, (files) => files.length === 3);
    await stage.editor.openFile({ path });
    for (const other of others) await stage.editor.openFile({ path: other, inBackground: true });
    const { openFiles } = await opened;
    expect(openFiles[0]).toMatchObject({ path, isActive: true });
    const [newest, ...rest] = openFiles.map(({ timestamp }: { timestamp: number }) => timestamp);
    expect(Math.max(...rest)).toBeLessThan(newest);
    const switched = context(agent, ([file]) => file?.path === others[1]);
    await stage.editor.openFile({ path: others[1] as string });
    const { openFiles: after } = await switched;
    expect(after.map((file: { path: string }) => file.path)).toEqual([others[1], path, others[0]]);
    expect(after[0].timestamp).toBeGreaterThan(newest);
  });

  it('has ten files at most, the active one among them', async () => {
    const agent = await begin();
    const opened = context(agent, (files) => files.length === 10);
    for (let n = 0; n < 12; n += 1) {
      await stage.editor.openFile({ path: stage.file(`${n}.ts`, 'x\n'), inBackground: n > 0 });
    }
    const { openFiles } = await opened;
    expect(openFiles[0].path).toBe(join(stage.folder, '0.ts'));
  });

  it('is empty while the user has paused, also if the active file was not shared, and comes back afterwards', async () => {
    const agent = await begin();
    await stage.editor.openFile({ path });
    const withoutSecret = context(agent, ([file]) => file !== undefined && file.isActive === undefined);
    await stage.editor.openFile({ path: stage.file('.env', 'SECRET=1') });
    expect(await withoutSecret).toEqual({ openFiles: [{ path, timestamp: expect.any(Number) }] });
    const cleared = context(agent);
    stage.access.paused = true;
    expect(await cleared).toEqual({ openFiles: [] });
    const again = context(agent);
    stage.access.paused = false;
    expect((await again).openFiles).toHaveLength(1);
    expect(JSON.stringify(agent.received)).not.toContain('.env');
  });
});

describe('proposals of Gemini CLI', () => {
  const openDiff = async (agent: Agent, newContent: string) => {
    const view = stage.user.next();
    expect(await agent.request('tools/call', { name: 'openDiff', arguments: { filePath: path, newContent } })).toEqual({
      content: [],
    });
    return await view;
  };
  const outcomes = (agent: Agent) => agent.received.filter(({ method }) => method.startsWith('ide/diff'));

  it('that end in its terminal are closed: as proposed, there is no text that it could take for an edit', async () => {
    const agent = await begin();
    const { signal } = await openDiff(agent, 'new\n');
    const close = { filePath: path, suppressNotification: true };
    expect(await agent.callJson('closeDiff', close)).toEqual({ content: null });
    expect(signal.aborted).toBe(true);
    expect(await agent.callJson('closeDiff', close)).toEqual({ content: null });
    expect(outcomes(agent)).toEqual([]);
  });

  it('that were merged with a newer file give the merged text when they are closed', async () => {
    const agent = await begin();
    const { review } = await openDiff(agent, 'one\ntwo\n3\n');
    const refreshed = new Promise<void>((resolve) => review.onRefresh(resolve));
    stage.file('a.ts', '1\ntwo\nthree\n');
    await refreshed;
    expect(await agent.callJson('closeDiff', { filePath: path })).toEqual({ content: '1\ntwo\n3\n' });
  });

  it('that it closes without suppressNotification are rejected by a notification', async () => {
    const agent = await begin();
    await openDiff(agent, 'new\n');
    const rejected = agent.notification('ide/diffRejected');
    await agent.call('closeDiff', { filePath: path });
    expect(await rejected).toEqual({ filePath: path });
    await agent.call('closeDiff', { filePath: path });
    await agent.settled();
    expect(outcomes(agent)).toHaveLength(1);
  });

  it('are known to it by the path as it wrote it', async () => {
    const agent = await begin();
    const view = stage.user.next();
    await agent.call('openDiff', { filePath: './a.ts', newContent: 'new\n' });
    const accepted = agent.notification('ide/diffAccepted');
    await (await view).decide({ kind: 'accepted', text: 'new\n' });
    expect(await accepted).toEqual({ filePath: './a.ts', content: 'new\n' });
  });

  it('that the user empties are emptied by the editor, because it takes an empty text for none', async () => {
    const agent = await begin();
    const { decide } = await openDiff(agent, 'new\n');
    const rejected = agent.notification('ide/diffRejected');
    await decide({ kind: 'accepted', text: '' });
    await rejected;
    expect(readFileSync(path, 'utf8')).toBe('');
  });
});

describe('the official client, which Gemini CLI uses', () => {
  it('gets the context, proposes, gets the outcome, and leaves without a word', async () => {
    const other = await begin();
    const known = other.notification('ide/contextUpdate', ({ workspaceState }) => workspaceState.openFiles.length > 0);
    await stage.editor.openFile({ path });
    await known;
    const transport = new StreamableHTTPClientTransport(new URL(addressOf(adapter)), {
      requestInit: { headers: { Authorization: `Bearer ${tokenOf(adapter)}` } },
    });
    const client = new Client({ name: 'streamable-http-client', version: '0.61.0' });
    const failures: Error[] = [];
    client.onerror = (error) => failures.push(error);
    const next = (method: string) =>
      new Promise<unknown>((resolve) => {
        client.fallbackNotificationHandler = async (notification) => {
          if (notification.method === method) resolve(notification.params);
        };
      });
    const context = next('ide/contextUpdate');
    // Its type says that optional members are never undefined, which the class itself does not keep.
    await client.connect(transport as Parameters<Client['connect']>[0]);
    expect(await context).toMatchObject({ workspaceState: { openFiles: [{ path, isActive: true }] } });
    expect((await client.listTools()).tools.map(({ name }) => name).sort()).toEqual(['closeDiff', 'openDiff']);
    const view = stage.user.next();
    const openDiff = { name: 'openDiff', arguments: { filePath: path, newContent: 'new\n' } };
    expect(await client.callTool(openDiff)).toEqual({ content: [] });
    const accepted = next('ide/diffAccepted');
    await (await view).decide({ kind: 'accepted', text: 'edited\n' });
    expect(await accepted).toEqual({ filePath: path, content: 'edited\n' });
    const second = stage.user.next();
    await client.callTool(openDiff);
    const { signal } = await second;
    const withdrawn = once(signal, 'abort');
    expect(failures).toEqual([]);
    await client.close();
    await withdrawn;
  });
});
