import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeEach, describe, expect, it } from 'vitest';
import { type BridgeUnderTest, openBridgeUnderTest } from '../../testing/open-bridge.ts';
import type { Editor } from '../editor.ts';
import { workspaceEditor } from '../editors/workspace/workspace-editor.ts';
import type { TrafficEntry } from '../traffic/traffic.ts';
import type { ControlClient } from './control-client.ts';

let stage: BridgeUnderTest;
let folder: string;
let client: ControlClient;

beforeEach(() => open());

async function open(makeEditor?: (folder: string) => Editor): Promise<void> {
  stage = await openBridgeUnderTest(makeEditor);
  ({ folder, client } = stage);
}

const clients = async () => (await client.status()).agents[0]?.clients ?? [];

describe('agents', () => {
  it('the status has the calls and the last activity of each agent', async () => {
    const before = new Date().toISOString();
    const agent = await stage.agent();
    expect(await clients()).toEqual([
      expect.objectContaining({
        id: 'claude-code-1',
        name: 'claude-code',
        version: '2.1.325',
        state: 'ready',
        calls: 0,
      }),
    ]);
    await agent.call('getOpenEditors');
    const [{ calls, lastActivity = '' } = { calls: undefined }] = await clients();
    expect(calls).toBe(1);
    expect(lastActivity >= before).toBe(true);
  });

  it('a disconnected agent is gone, and another stays', async () => {
    const [first, second] = [await stage.agent(), await stage.agent()];
    await client.disconnect('claude-code-1');
    expect((await first.closed).reason).toContain('disconnected');
    await second.settled();
    expect((await clients()).map(({ id }) => id)).toEqual(['claude-code-2']);
    await expect(client.disconnect('claude-code-1')).rejects.toThrow('No agent claude-code-1 is connected');
  });
});

describe('traffic', () => {
  it('a watcher sees both directions, without the token of a header or a tool', async () => {
    const entries: TrafficEntry[] = [];
    let look = () => {};
    await client.watchTraffic((batch) => {
      entries.push(...batch.entries);
      look();
    });
    const agent = await stage.agent();
    await agent.callRaw('getOpenEditors', { apiKey: 'abc' });
    const done = () => entries.some(({ kind, method }) => kind === 'result' && method === 'tools/call');
    await new Promise<void>((resolve) => {
      look = () => done() && resolve();
      look();
    });
    expect(entries.map(({ direction, kind, method }) => `${direction} ${kind} ${method}`)).toEqual(
      expect.arrayContaining([
        'received request initialize',
        'sent result initialize',
        'received notification notifications/initialized',
        'received request tools/call',
        'sent result tools/call',
      ]),
    );
    expect(JSON.stringify(entries)).not.toContain('abc');
    expect(entries.at(-1)).toMatchObject({
      adapter: 'claude-code',
      client: { id: 'claude-code-1', name: 'claude-code' },
    });
    await expect(client.watchTraffic(() => {})).rejects.toThrow('This connection watches already');
  });
});

describe('files', () => {
  it('lists the workspace, and tells what agents see of each file', async () => {
    writeFileSync(join(folder, 'a.ts'), 'one\n');
    writeFileSync(join(folder, '.env'), 'KEY=1\n');
    expect(await client.files()).toEqual([{ folder, files: ['.env', 'a.ts'], isCut: false }]);
    const paths = ['a.ts', '.env', '../x'].map((name) => join(folder, name));
    expect(await client.visibility(paths)).toEqual(['visible', 'denied', 'outside']);
    await expect(client.visibility(Array.from({ length: 501 }, () => 'a'))).rejects.toThrow('at most 500');
    expect(await client.readFile(join(folder, 'a.ts'))).toEqual({ text: 'one\n', visibility: 'visible' });
    expect(await client.readFile(join(folder, '.env'))).toEqual({ text: 'KEY=1\n', visibility: 'denied' });
  });

  it('refuses what is not a text file, and says why', async () => {
    writeFileSync(join(folder, 'a.bin'), Buffer.from([1, 0, 2]));
    await expect(client.readFile(join(folder, 'a.bin'))).rejects.toThrow('Not a text file');
    await expect(client.readFile(join(folder, 'none'))).rejects.toThrow('No such file');
    await expect(client.readFile(folder)).rejects.toThrow('Not a regular file');
    writeFileSync(join(folder, 'large'), Buffer.alloc(4 * 1024 * 1024 + 1, 'x'));
    await expect(client.readFile(join(folder, 'large'))).rejects.toThrow('Too large');
  });

  it('what is selected reaches agents, and a denied file does not', async () => {
    const [path, secret] = [join(folder, 'a.ts'), join(folder, '.env')];
    writeFileSync(path, 'one\ntwo\n');
    writeFileSync(secret, 'KEY=1\n');
    const agent = await stage.agent();
    const lines = { start: { line: 1, character: 0 }, end: { line: 2, character: 0 } };
    const selected = agent.notification('selection_changed', ({ text }) => text !== '');
    await client.select({ path, range: lines });
    expect(await selected).toMatchObject({ filePath: path, text: 'two\n' });
    const hidden = agent.notification('selection_changed');
    await client.select({ path: secret, range: { start: lines.start, end: lines.end } });
    expect((await hidden).filePath).toBeUndefined();
    expect((await client.status()).shared).toEqual({ kind: 'nothing', reason: 'denied' });
    expect(agent.received.every(({ params }) => !JSON.stringify(params ?? {}).includes('KEY'))).toBe(true);
  });

  it('leaves the selection of an editor with a window alone', async () => {
    await open((given) => {
      const { isWindowless: _, ...editor } = workspaceEditor({ folders: [given] });
      return editor;
    });
    writeFileSync(join(folder, 'a.ts'), 'one\n');
    const start = { line: 0, character: 0 };
    await client.select({ path: join(folder, 'a.ts'), range: { start, end: start } });
    expect(await client.status()).toMatchObject({ selectsInViews: false, shared: { reason: 'no open file' } });
  });

  it('refuses a selection that is none', async () => {
    const select = client.select as (given: object) => Promise<void>;
    await expect(select({ path: '/a', range: { start: { line: -1 } } })).rejects.toThrow('range must have');
  });
});

describe('diagnostics', () => {
  it('an editor without any has an empty list', async () => {
    await open((given) => {
      const { diagnostics: _, ...editor } = workspaceEditor({ folders: [given] });
      return editor;
    });
    expect(await client.diagnostics()).toEqual({ files: [], total: 0 });
    expect((await client.status()).diagnosticsRevision).toBeUndefined();
  });

  it('are bounded, and the status counts their changes', async () => {
    const listeners = new Set<(event: { kind: 'diagnostics'; paths: string[] }) => void>();
    const at = { line: 0, character: 0 };
    const many = Array.from({ length: 6000 }, () => ({
      message: 'm',
      severity: 'error' as const,
      range: { start: at, end: at },
    }));
    await open((given) => ({
      ...workspaceEditor({ folders: [given] }),
      diagnostics: async () => [
        { path: '/a', diagnostics: many },
        { path: '/b', diagnostics: many },
      ],
      subscribe: (listener) => {
        listeners.add(listener);
        return () => listeners.delete(listener);
      },
    }));
    const { files, total } = await client.diagnostics();
    expect([files.length, files[0]?.diagnostics.length, total]).toEqual([1, 5000, 12_000]);
    expect((await client.status()).diagnosticsRevision).toBe(0);
    for (const listener of listeners) listener({ kind: 'diagnostics', paths: ['/a'] });
    expect((await client.status()).diagnosticsRevision).toBe(1);
  });
});
