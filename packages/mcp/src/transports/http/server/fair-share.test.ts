import { once } from 'node:events';
import { connect, type Socket } from 'node:net';
import { describe, expect, it } from 'vitest';
import { POST_HEADERS, responseTo } from '../../../../testing/raw-http.ts';
import { RawSession } from '../../../../testing/raw-session.ts';
import { TASKS } from '../../../../testing/raw-wire.ts';
import { byHeader, closeAfterwards, serve } from '../../../../testing/serve.ts';
import { memoryTaskStore } from '../../../server/tasks/stores/memory.ts';
import type { TaskRecord } from '../../../server/tasks/task-store.ts';
import { memoryStore } from '../stores/memory.ts';
import type { LimitedRequest } from './http-call.ts';
import { HTTP_LIMITS } from './limits.ts';
import { OpenStreams } from './responses/open-streams.ts';
import type { ResponseStream } from './responses/response-stream.ts';

const meta = (capabilities: object = {}) => ({
  'io.modelcontextprotocol/protocolVersion': '2026-07-28',
  'io.modelcontextprotocol/clientCapabilities': capabilities,
});
const headers = (method: string, name?: string) => ({
  'MCP-Protocol-Version': '2026-07-28',
  'Mcp-Method': method,
  'Mcp-Name': name,
});
const LISTEN = {
  jsonrpc: '2.0',
  id: 1,
  method: 'subscriptions/listen',
  params: { notifications: { toolsListChanged: true }, _meta: meta() },
};

describe('streams', () => {
  it('are limited for each principal, so that one can not take those of others', async () => {
    const { http } = await serve({ authorize: byHeader, maxStreams: 100, maxStreamsPerClient: 2 });
    const listen = (user: string) =>
      http.post(LISTEN, { ...headers('subscriptions/listen'), Authorization: user }).then((response) => {
        closeAfterwards(async () => response.break());
        return response;
      });
    expect((await listen('ada')).status).toBe(200);
    expect((await listen('ada')).status).toBe(200);
    const refused = await listen('ada');
    expect(refused.status).toBe(503);
    expect(await refused.json()).toMatchObject({
      error: { code: -32000, message: 'This client has 2 open streams (maxStreamsPerClient). Close one first' },
    });
    expect((await listen('bob')).status).toBe(200);
  });

  it('are limited for each address without principals, or by what clientOf says', async () => {
    const clientOf = ({ headers: sent, address }: LimitedRequest) =>
      sent['x-forwarded-for'] === undefined ? address : String(sent['x-forwarded-for']);
    const { http } = await serve({ maxStreamsPerClient: 1, clientOf });
    const listen = (from?: string) =>
      http.post(LISTEN, { ...headers('subscriptions/listen'), 'X-Forwarded-For': from }).then((response) => {
        closeAfterwards(async () => response.break());
        return response;
      });
    expect((await listen()).status).toBe(200);
    expect((await listen()).status).toBe(503);
    expect((await listen('192.0.2.1')).status).toBe(200);
  });

  it('have a default that one client can not exhaust', () => {
    expect(HTTP_LIMITS.maxStreamsPerClient).toBeLessThanOrEqual(HTTP_LIMITS.maxStreams / 2);
  });
});

describe('sessions', () => {
  it('of the client that has the most make room, in this process and in the store', async () => {
    const { http } = await serve({
      authorize: byHeader,
      maxSessions: 4,
      store: memoryStore({ maxSessions: 4 }),
    });
    const open = (user: string) => RawSession.open(http, { headers: { Authorization: user } });
    const ask = async (session: RawSession, user: string) =>
      (await session.post({ jsonrpc: '2.0', id: 1, method: 'ping' }, { Authorization: user })).status;
    const ada = await open('ada');
    const bobs = [await open('bob'), await open('bob')];
    for (let n = 0; n < 10; n += 1) bobs.push(await open('bob'));
    expect(await ask(ada, 'ada')).toBe(200);
    expect(await ask(bobs[0] as RawSession, 'bob')).toBe(404);
    expect(await ask(bobs.at(-1) as RawSession, 'bob')).toBe(200);
  });

  it('of a client that fills the store lose their events before those of others', () => {
    const store = memoryStore({ maxTotalBytes: 200_000, maxEventBytes: 100_000 });
    store.create('ada', {}, { keepMs: 1000, client: 'ada' });
    const id = store.append('ada', 's', { text: 'kept', last: false }) as string;
    for (const name of ['b1', 'b2', 'b3']) {
      store.create(name, {}, { keepMs: 1000, client: 'bob' });
      for (let n = 0; n < 9; n += 1) store.append(name, 's', { text: 'x'.repeat(5000), last: false });
    }
    expect(store.locate('ada', id)).toBeDefined();
    expect(store.find('ada')).toBeDefined();
  });
});

describe('tasks', () => {
  it('are limited for each principal', async () => {
    const { http, server } = await serve({ authorize: byHeader }, { tasks: { maxTasksPerClient: 2 } });
    server.tool({ name: 'work' }, (_args, { task }) => task(() => new Promise(() => {})));
    const start = async (user: string) => {
      const params = { name: 'work', _meta: meta(TASKS) };
      const sent = { ...headers('tools/call', 'work'), Authorization: user };
      return (await http.post({ jsonrpc: '2.0', id: 1, method: 'tools/call', params }, sent)).outcome();
    };
    for (let n = 0; n < 2; n += 1) expect(await start('ada')).toMatchObject({ result: { resultType: 'task' } });
    expect(await start('ada')).toMatchObject({
      error: {
        code: -32000,
        message: 'This client has 2 unfinished tasks (maxTasksPerClient). Try again when one has ended.',
      },
    });
    expect(await start('bob')).toMatchObject({ result: { resultType: 'task' } });
  });

  it('that have ended make room for the client that has the most', () => {
    const store = memoryTaskStore({ maxTasks: 3 });
    const ended = (id: string, startedBy: string): TaskRecord => {
      const now = new Date().toISOString();
      const times = { createdAt: now, lastUpdatedAt: now, ttlMs: 1000, pollIntervalMs: 1 };
      return {
        task: { taskId: id, status: 'completed', ...times },
        process: 'p',
        startedBy,
        expires: Date.now() + 1000,
      };
    };
    store.create('a', ended('a', 'ada'));
    for (const id of ['b1', 'b2', 'b3', 'b4']) store.create(id, ended(id, 'bob'));
    expect(store.find('a')).toBeDefined();
    expect(store.find('b1')).toBeUndefined();
    expect(store.find('b4')).toBeDefined();
  });
});

describe('stateless requests', () => {
  it('in flight are limited for each client', async () => {
    const { http, calls } = await serve({ authorize: byHeader }, { limits: { maxInFlight: 2 } });
    const call = (user: string) =>
      http.post(
        { jsonrpc: '2.0', id: 1, method: 'tools/call', params: { name: 'held', _meta: meta() } },
        { ...headers('tools/call', 'held'), Authorization: user },
      );
    const held = [call('ada'), call('ada')];
    const first = await calls.take();
    const second = await calls.take();
    const refused = await call('ada');
    expect(refused.status).toBe(503);
    expect(await refused.json()).toMatchObject({
      error: { code: -32000, message: 'This client has 2 open requests (maxInFlight). Try again later' },
    });
    held.push(call('bob'));
    const third = await calls.take();
    for (const each of [first, second, third]) each.finish('done');
    for (const each of held) expect((await each).status).toBe(200);
  });
});

describe('requests in sessions', () => {
  it('in flight are limited for each client, however many sessions it opens', async () => {
    const { http, calls } = await serve({ authorize: byHeader }, { limits: { maxTotalInFlight: 6 } });
    const open = (user: string) => RawSession.open(http, { headers: { Authorization: user } });
    const call = (session: RawSession, user: string) =>
      session.post({ jsonrpc: '2.0', id: 7, method: 'tools/call', params: { name: 'held' } }, { Authorization: user });
    const further = await open('ada');
    const held: ReturnType<typeof call>[] = [];
    for (let n = 0; n < 3; n += 1) held.push(call(await open('ada'), 'ada'));
    const running = [await calls.take(), await calls.take(), await calls.take()];
    expect(await (await call(further, 'ada')).outcome()).toMatchObject({
      error: {
        code: -32000,
        message: 'This client has 3 open requests, half of what the server takes (maxTotalInFlight). Try again later',
      },
    });
    held.push(call(await open('bob'), 'bob'));
    running.push(await calls.take());
    for (const each of running) each.finish('done');
    for (const each of held) expect(await (await each).outcome()).toMatchObject({ result: {} });
  });
});

describe('bodies', () => {
  it('that are being received take half of the room for each client', async () => {
    const MAX = 100_000;
    const { http } = await serve({ authorize: byHeader, maxMessageBytes: MAX, maxReceivingBytes: 2 * MAX + 40_000 });
    const begin = (user: string) => {
      const sending = http.begin('POST', { ...POST_HEADERS, Authorization: user, 'Transfer-Encoding': 'chunked' });
      return { sending, response: responseTo(sending) };
    };
    const slow = begin('ada');
    slow.sending.write(' '.repeat(MAX - 1));
    const send = async (user: string) => {
      const { sending, response } = begin(user);
      sending.end(JSON.stringify({ jsonrpc: '2.0', method: 'x' }).padEnd(MAX - 1));
      return (await response).status;
    };
    while ((await send('ada')) !== 503); // until what is written has arrived
    expect(await send('bob')).toBe(400);
    slow.sending.destroy();
    slow.response.catch(() => {});
  });
});

describe('streams that wait for their clients', () => {
  it('of the client that has the most to read are cut off, not the one that is sent more', () => {
    const open = new OpenStreams({ ...HTTP_LIMITS, maxTotalQueuedBytes: 3_000_000, keepAliveMs: 1e6 });
    const cut: string[] = [];
    const stream = (client: string, queuedBytes: number) => {
      const made = { client, queuedBytes, flushedBytes: 0, cutOff: () => cut.push(client) };
      // The members that are used.
      open.add(made as unknown as ResponseStream);
      return made as unknown as ResponseStream;
    };
    stream('ada', 900_000);
    stream('ada', 1_000_000);
    stream('ada', 800_000);
    expect(open.isOverflowing(stream('bob', 500_000))).toBe(false);
    expect(cut).toEqual(['ada']);
    expect(open.isOverflowing(stream('ada', 900_000))).toBe(true);
    expect(cut).toEqual(['ada']);
    open.close();
  });
});

describe('the absolute form of a request target', () => {
  it('must name an allowed host, whatever the Host header says', async () => {
    const { listener } = await serve();
    const status = async (target: string): Promise<string> => {
      const socket: Socket = connect(listener.port, '127.0.0.1');
      closeAfterwards(async () => socket.destroy());
      const body = '{}';
      socket.write(
        `POST ${target} HTTP/1.1\r\nHost: 127.0.0.1:${listener.port}\r\nContent-Type: application/json\r\n` +
          `Accept: application/json, text/event-stream\r\nContent-Length: ${body.length}\r\n\r\n${body}`,
      );
      const [head] = (await once(socket, 'data')) as [Buffer];
      return String(head).slice(9, 12);
    };
    expect(await status('http://evil.example/mcp')).toBe('403');
    expect(await status(`http://127.0.0.1:${listener.port}/mcp`)).toBe('400');
    expect(await status('/mcp')).toBe('400');
  });
});
