import { describe, expect, it } from 'vitest';
import type { RawHttp } from '../../testing/raw-http.ts';
import { RawSession } from '../../testing/raw-session.ts';
import { meta, openMemory, stateless, TASKS, VERSION, WIRES } from '../../testing/raw-wire.ts';
import { serve } from '../../testing/serve.ts';
import { makeServer } from '../../testing/task-server.ts';
import { Server } from './server.ts';

const INFO = { name: 'test', version: '1.2.3' };
const MIB = 1024 * 1024;
const pad = (bytes: number) => 'x'.repeat(bytes);

/** A server whose tool `wait` ends when the test says so. */
function waitingServer(limits: object) {
  const server = new Server(INFO, { limits });
  const ends: (() => void)[] = [];
  server.tool({ name: 'wait' }, () => new Promise((resolve) => ends.push(() => resolve('done'))));
  return { server, ends };
}

function post(http: RawHttp, name: string, args: object = {}, capabilities: object = {}) {
  const message = {
    jsonrpc: '2.0',
    id: 1,
    method: 'tools/call',
    params: { name, arguments: args, _meta: meta(capabilities) },
  };
  return http.post(message, { 'MCP-Protocol-Version': VERSION, 'Mcp-Method': 'tools/call', 'Mcp-Name': name });
}

describe.each(WIRES)('over %s, maxInFlightBytes', (_, open) => {
  it('takes open requests up to it, refuses one more, and takes it when one gets a response', async () => {
    const { server, ends } = waitingServer({ maxInFlightBytes: MIB });
    const wire = await open(server);
    const big = () => stateless('tools/call', { name: 'wait', arguments: { pad: pad(240_000) } });
    for (let n = 0; n < 4; n += 1) wire.send(big());
    await expect.poll(() => ends.length).toBe(4);
    expect((await wire.responseTo(big())).error).toEqual({
      code: -32000,
      message: 'Too much at once: open requests would take more than 1048576 bytes',
    });
    expect((await wire.ask('server/discover')).result).toBeDefined();
    ends[0]?.();
    expect((await wire.next()).result).toBeDefined();
    wire.send(big());
    await expect.poll(() => ends.length).toBe(5);
  });
});

it('maxInFlightBytes counts the memory of parsed values, which is many times that of their text', async () => {
  const { server, ends } = waitingServer({ maxInFlightBytes: MIB });
  const wire = openMemory(server);
  // About 30 KB of text, and 650 KB in memory.
  const small = () => stateless('tools/call', { name: 'wait', arguments: { items: Array(10_000).fill({}) } });
  wire.send(small());
  expect((await wire.responseTo(small())).error).toEqual({
    code: -32000,
    message: 'Too much at once: open requests would take more than 1048576 bytes',
  });
  expect(ends).toHaveLength(1);
});

it('a limit that is undefined has its default', async () => {
  const { server, ends } = waitingServer({ maxInFlight: undefined });
  const wire = await openMemory(server);
  for (let n = 0; n < 1024; n += 1) wire.send(stateless('tools/call', { name: 'wait' }));
  expect((await wire.responseTo(stateless('tools/call', { name: 'wait' }))).error).toEqual({
    code: -32000,
    message: 'Too many requests at once: 1024 are open',
  });
  expect(ends).toHaveLength(1024);
});

describe('maxTotalInFlight', () => {
  it('counts the requests of all clients, of sessions and stateless ones, until they get a response', async () => {
    const { http, calls } = await serve({ clientOf: () => undefined }, { limits: { maxTotalInFlight: 2 } });
    const session = await RawSession.open(http);
    const one = session.call('held');
    const two = post(http, 'held');
    const held = [await calls.take(), await calls.take()];
    const refused = await post(http, 'echo');
    expect(refused.status).toBe(503);
    expect((await refused.json()).error).toEqual({
      code: -32000,
      message: 'The server is busy: 2 requests are open. Try again later',
    });
    const inSession = await (await session.call('echo')).json();
    expect(inSession.error.code).toBe(-32000);
    for (const { finish } of held) finish('done');
    await Promise.all([one, two]);
    expect((await post(http, 'echo')).status).toBe(200);
    expect((await (await session.call('echo')).json()).result).toBeDefined();
  });

  it('has room again when clients go away or cancel', async () => {
    const { http, calls, server } = await serve({}, { limits: { maxTotalInFlight: 1 } });
    const gone = openMemory(server);
    gone.send(stateless('tools/call', { name: 'held', arguments: {} }));
    await calls.take();
    expect((await post(http, 'echo')).status).toBe(503);
    for (const session of server.sessions) await session.close();
    expect((await post(http, 'echo')).status).toBe(200);
  });

  it('has a limit in bytes beside it: maxTotalInFlightBytes', async () => {
    const { server } = waitingServer({ maxTotalInFlightBytes: MIB });
    const [one, other] = [openMemory(server), openMemory(server)];
    const big = (bytes: number) => stateless('tools/call', { name: 'wait', arguments: { pad: pad(bytes) } });
    one.send(big(600_000));
    const second = await other.responseTo(big(600_000));
    expect(second.error.message).toBe(`The server is busy: open requests take ${MIB} bytes. Try again later`);
    expect((await other.ask('server/discover')).result).toBeDefined();
  });
});

describe('what a stateless request says about its client', () => {
  it('takes 64 KiB at most after a middleware has copied its params, too', async () => {
    const { server } = makeServer();
    server.use(({ params }, next) => next({ ...params }));
    const wire = openMemory(server);
    const refused = await wire.call('work', {}, { ...TASKS, experimental: { pad: pad(66_000) } });
    expect(refused.error).toMatchObject({ code: -32602, message: expect.stringContaining('at most 65536') });
  });

  it('takes 64 KiB at most, because sessions and tasks keep it', async () => {
    const { server, running } = makeServer();
    const wire = openMemory(server);
    const capabilities = (bytes: number) => ({ ...TASKS, experimental: { pad: pad(bytes) } });
    const started = await wire.call('work', {}, capabilities(65_000));
    expect(started.result.resultType).toBe('task');
    (await running.take()).finish('done');
    const refused = await wire.call('work', {}, capabilities(66_000));
    expect(refused.error.code).toBe(-32602);
    expect(refused.error.message).toMatch(/clientInfo and capabilities take \d+ bytes; at most 65536 are accepted/);
  });
});

describe('the request of a task at work', () => {
  it('counts towards maxTotalInFlightBytes until the task ends', async () => {
    const { server, running } = makeServer({ limits: { maxTotalInFlightBytes: MIB } });
    const wire = openMemory(server);
    const start = () => wire.call('work', { arguments: { pad: pad(600_000) } }, TASKS);
    expect((await start()).result.status).toBe('working');
    expect((await start()).error).toMatchObject({ code: -32000 });
    (await running.take()).finish('done');
    await expect.poll(async () => (await start()).result?.status).toBe('working');
  });
});
