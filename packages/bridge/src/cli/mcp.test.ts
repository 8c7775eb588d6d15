import { once } from 'node:events';
import { mkdirSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { StdioClientTransport } from '@modelcontextprotocol/sdk/client/stdio.js';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { connectClient, type McpClient } from '../../testing/mcp-client.ts';
import { repository } from '../../testing/neovim/neovims.ts';
import { type Household, PROGRAM, type ServedBridge, temporaryHousehold } from '../../testing/program.ts';

const FEW = ['get_diagnostics', 'get_selection', 'list_open_files', 'open_file', 'propose_edit', 'save_file'];
let house: Household;
const clients: McpClient[] = [];
let errors: string;

beforeEach(() => {
  house = temporaryHousehold();
  errors = '';
  writeFileSync(join(house.workspace, 'a.txt'), 'one\n');
});
afterEach(() => Promise.all(clients.splice(0).map((client) => client.close())));

/** `hawser mcp`, as an agent starts it. */
async function agent(
  args: readonly string[] = [],
  { cwd = house.workspace, name = 'an-agent' } = {},
): Promise<McpClient> {
  const transport = new StdioClientTransport({
    command: process.execPath,
    args: [PROGRAM, 'mcp', ...args],
    cwd,
    env: house.env as Record<string, string>,
    stderr: 'pipe',
  });
  transport.stderr?.on('data', (data) => {
    errors += data;
  });
  const client = await connectClient(transport, name);
  clients.push(client);
  return client;
}

const serve = (...args: string[]): Promise<ServedBridge> => house.serve('--agents', 'mcp', ...args);
const statuses = async () => JSON.parse((await house.run('status', '--json')).out);
/** Resolves when the bridge has a proposal. */
const proposal = () =>
  vi.waitFor(async () => {
    const [first] = JSON.parse((await house.run('review', '--list', '--json')).out);
    expect(first).toBeDefined();
    return first as { id: string; agent: string };
  }, 60_000);
const end = async ({ child }: ServedBridge) => {
  const exited = new Promise((resolve) => child.once('exit', resolve));
  child.kill('SIGTERM');
  await exited;
};

describe('hawser mcp with a bridge', () => {
  it('serves its tools in the folder and below it, and proposes under the name of the agent', async () => {
    const bridge = await serve('--format', 'cat');
    mkdirSync(join(house.workspace, 'sub'));
    const below = await agent([], { cwd: join(house.workspace, 'sub'), name: 'below' });
    expect(await below.names()).toEqual([...FEW, 'format_file'].sort());
    const answer = below.call('propose_edit', { path: 'a.txt', new_text: 'two\n' });
    const { id, agent: by } = await proposal();
    expect(by).toBe('below');
    await house.run('review', '--accept', id);
    expect((await answer).data).toEqual({ files: [{ path: 'a.txt', outcome: 'written' }] });
    expect(readFileSync(join(house.workspace, 'a.txt'), 'utf8')).toBe('two\n');
    expect((await statuses()).pid).toBe(bridge.child.pid);
  });

  it('answers a call that the restart of the bridge cuts off once, finds the new bridge, and says if tools changed', async () => {
    const bridge = await serve();
    const client = await agent();
    expect(await client.names()).toEqual(FEW);
    let answers = 0;
    const cut = client.call('propose_edit', { path: 'a.txt', new_text: 'two\n' }).finally(() => {
      answers += 1;
    });
    await proposal();
    const changed = new Promise<void>((resolve) => {
      client.client.fallbackNotificationHandler = async ({ method }) => {
        if (method === 'notifications/tools/list_changed') resolve();
      };
    });
    await end(bridge);
    expect(await cut).toMatchObject({
      isError: true,
      text: expect.stringContaining('ended or restarted while this call ran'),
    });
    // Waits for the new one.
    const waiting = client.call('list_open_files');
    await serve('--format', 'cat');
    expect((await waiting).isError).toBe(false);
    await changed;
    expect(await client.names()).toEqual([...FEW, 'format_file'].sort());
    expect([answers, readFileSync(join(house.workspace, 'a.txt'), 'utf8')]).toEqual([1, 'one\n']);
  });

  /** `hawser mcp` whose agent has proposed a change that is not decided. */
  const withProposal = async () => {
    const child = house.start(['mcp']);
    const send = (message: object) => child.stdin?.write(`${JSON.stringify({ jsonrpc: '2.0', ...message })}\n`);
    const clientInfo = { name: 'doomed', version: '1' };
    send({ id: 1, method: 'initialize', params: { protocolVersion: '2025-11-25', capabilities: {}, clientInfo } });
    send({ method: 'notifications/initialized' });
    send({
      id: 2,
      method: 'tools/call',
      params: { name: 'propose_edit', arguments: { path: 'a.txt', new_text: 'two\n' } },
    });
    await proposal();
    return child;
  };

  it('withdraws what its agent proposed when the agent is killed', async () => {
    const bridge = await serve();
    (await withProposal()).kill('SIGKILL');
    await bridge.logs('outcome=withdrawn');
  });

  it('withdraws it when the agent closes stdin, and ends before the agent loses patience', async () => {
    const bridge = await serve();
    const child = await withProposal();
    const ended = once(child, 'exit');
    const began = performance.now();
    child.stdin?.end();
    expect(await ended).toEqual([0, null]);
    // Agents send SIGTERM after two seconds, and a busy machine needs some of its own.
    expect(performance.now() - began).toBeLessThan(10_000);
    await bridge.logs('outcome=withdrawn');
  });

  it('with --bridge uses that one and no other, and says so when it is not there', async () => {
    await serve();
    const client = await agent(['--bridge', '1']);
    expect(await client.names()).toEqual([]);
    const answer = await client.call('list_open_files').catch((error: Error) => error);
    expect(answer).toBeInstanceOf(Error);
  });
});

describe('hawser mcp without a bridge', () => {
  it('serves the folder itself, for other agents and for hawser review, and ends with its agent', async () => {
    const [one, two] = [await agent([], { name: 'one' }), await agent([], { name: 'two' })];
    expect(await one.names()).toEqual(FEW);
    expect(await two.names()).toEqual(FEW);
    const answer = two.call('propose_edit', { path: 'a.txt', new_text: 'two\n' });
    const { id, agent: by } = await proposal();
    expect(by).toBe('two');
    expect((await house.run('review', '--accept', id)).code).toBe(0);
    expect((await answer).data.files[0].outcome).toBe('written');
    await Promise.all([one.close(), two.close()]);
    await expect.poll(async () => (await house.run('status')).code).toBe(6);
    expect(errors).toBe('');
  });

  it('offers the tools of a language server as soon as there is one, and says that the list has changed', async () => {
    const bin = join(house.workspace, 'node_modules', '.bin');
    mkdirSync(bin, { recursive: true });
    symlinkSync(join(repository, 'node_modules', '.bin', 'tsc'), join(bin, 'tsc'));
    writeFileSync(join(house.workspace, 'tsconfig.json'), '{}');
    writeFileSync(join(house.workspace, 'a.ts'), 'export const wave = 1;\n');
    const client = await agent(['--review', 'accept', '--trust']);
    const changed = new Promise<void>((resolve) => {
      client.client.fallbackNotificationHandler = async ({ method }) => {
        if (method === 'notifications/tools/list_changed') resolve();
      };
    });
    await client.names();
    await client.call('open_file', { path: 'a.ts' });
    if (!(await client.names()).includes('rename_symbol')) await changed;
    expect(await client.names()).toContain('rename_symbol');
    const renamed = await client.call('rename_symbol', { path: 'a.ts', symbol: 'wave', new_name: 'salute' });
    expect(renamed.data.files).toEqual([{ path: 'a.ts', outcome: 'written' }]);
    expect(readFileSync(join(house.workspace, 'a.ts'), 'utf8')).toBe('export const salute = 1;\n');
  });

  it('says on stderr that a bridge without the mcp adapter can not be used, and serves the folder itself', async () => {
    await house.serve('--agents', 'claude-code');
    const client = await agent();
    expect(await client.names()).toContain('propose_edit');
    expect(errors).toMatch(
      /^hawser: The bridge \(process \d+, version .*\) does not serve mcp; add mcp to its --agents\n/,
    );
  });

  it('decides by --review, and refuses what --deny names', async () => {
    const client = await agent(['--review', 'accept', '--deny', 'secret.txt']);
    expect((await client.call('propose_edit', { path: 'new.txt', new_text: 'new\n' })).data.files[0].outcome).toBe(
      'written',
    );
    expect((await client.call('propose_edit', { path: 'secret.txt', new_text: 'x' })).text).toContain('Denied');
  });

  it('gives way to an editor that starts later, and its running call is still answered', async () => {
    const client = await agent();
    expect(await client.names()).toEqual(FEW);
    const answer = client.call('propose_edit', { path: 'a.txt', new_text: 'two\n' });
    const { id } = await proposal();
    const { pid } = await statuses();
    const bridge = await serve('--format', 'cat');
    await expect.poll(() => client.names()).toContain('format_file');
    await house.run('review', '--bridge', String(pid), '--accept', id);
    expect((await answer).data.files[0].outcome).toBe('written');
    await expect.poll(async () => (await house.run('status', '--bridge', String(pid))).code).toBe(6);
    expect((await statuses()).pid).toBe(bridge.child.pid);
  });
});
