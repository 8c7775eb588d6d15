import { once } from 'node:events';
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { Readable } from 'node:stream';
import { pathToFileURL } from 'node:url';
import { decodeMultiStream, encode } from '@msgpack/msgpack';
import { beforeEach, expect, it } from 'vitest';
import { type Household, temporaryHousehold } from '../../testing/program.ts';

const [REQUEST, RESPONSE, NOTIFICATION] = [0, 1, 2];

let household: Household;
beforeEach(() => {
  household = temporaryHousehold();
});

/** What writes as Neovim does, and is none. It answers nothing but the question for its mode. */
async function startNeovim(logFile = '/dev/null') {
  const child = household.start(['serve', '--editor', 'neovim', '--agents', 'claude-code', '--log-file', logFile]);
  const write = (...message: unknown[]) => child.stdin?.write(encode(message));
  const say = (message: object) => write(NOTIFICATION, 'hawser', [message]);
  let began = () => {};
  const beginning = new Promise<void>((resolve) => {
    began = resolve;
  });
  void (async () => {
    for await (const [kind, id, method] of decodeMultiStream(child.stdout as Readable) as AsyncIterable<unknown[]>) {
      if (kind === REQUEST && method === 'nvim_get_mode') write(RESPONSE, id, null, { mode: 'n', blocking: false });
      if (kind === NOTIFICATION) began();
    }
  })().catch(() => {});
  say({
    id: 1,
    method: 'initialize',
    params: {
      protocolVersion: 1,
      processId: process.pid,
      clientInfo: { name: 'Neovim' },
      workspaceFolders: [{ uri: pathToFileURL(household.workspace).href }],
      capabilities: { showDocument: true, documents: true, save: true, proposals: {} },
    },
  });
  await beginning;
  say({ method: 'initialized', params: {} });
  const bridge = { child, line: '', logs: async () => {} };
  const line = await household.lineOf('claude-code', bridge);
  return { child, say, line, agent: await household.agent(line) };
}

it.for(['writes what is no msgpack', 'dies'] as const)(
  'a Neovim that never answers, floods, sends nonsense and then %s harms no agent',
  async (end) => {
    const path = join(household.workspace, 'a.txt');
    await writeFile(path, 'one\n');
    const { child, say, agent } = await startNeovim();
    const waiting = agent.callRaw('openFile', { filePath: path });
    const uri = pathToFileURL(path).href;
    const range = { start: { line: 0, character: 0 }, end: { line: 0, character: 3 } };
    for (let index = 0; index < 2000; index += 1) {
      say({ method: 'editor/didChangeSelection', params: { uri, range, text: `${index}` } });
    }
    say({ method: 'editor/didChangeDocuments', params: { documents: 'all' } });
    say({ id: 'x', method: 'proposal/decide', params: 7 });
    say({ id: 1, result: {}, error: 'both' });
    expect(await agent.callJson('getWorkspaceFolders')).toMatchObject({ success: true });
    const selected = () => agent.callJson('getLatestSelection');
    await expect.poll(selected).toMatchObject({ text: '1999' });
    const exited = once(child, 'exit');
    if (end === 'dies') child.stdin?.destroy();
    else child.stdin?.write(Buffer.from([0xc1, 0xc1]));
    // The bridge is this Neovim's own, and ends with it, in order: the agent is answered, the lock is gone.
    expect(await waiting.catch(() => ({ isError: true }))).toMatchObject({ isError: true });
    expect((await exited)[1]).toBeNull();
    const locks = join(household.home, '.claude', 'ide');
    expect(existsSync(locks) ? readdirSync(locks).filter((name) => name.endsWith('.lock')) : []).toEqual([]);
  },
);

it('settings of an agent in which its gate cannot be looked for end no bridge, and are logged', async () => {
  const logFile = join(household.home, 'log');
  const { agent, line } = await startNeovim(logFile);
  // So deep that their reader has no stack left.
  await writeFile(join(household.home, '.claude', 'settings.json'), `{"hooks":${'['.repeat(100_000)}`);
  await household.agent(line);
  await expect.poll(() => readFileSync(logFile, 'utf8')).toContain('call stack');
  expect(await agent.callJson('getWorkspaceFolders')).toMatchObject({ success: true });
});
