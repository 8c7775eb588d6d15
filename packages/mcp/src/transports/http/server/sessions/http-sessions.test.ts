import { ServerResponse } from 'node:http';
import { queryObjects } from 'node:v8';
import { describe, expect, it } from 'vitest';
import { RawSession } from '../../../../../testing/raw-session.ts';
import { serve } from '../../../../../testing/serve.ts';
import type { Connection } from '../../../../jsonrpc/connection.ts';
import { memoryStore } from '../../stores/memory.ts';
import { OpenStreams } from '../responses/open-streams.ts';
import { HttpSessions } from './http-sessions.ts';

const SNAPSHOT = {
  protocolVersion: '2025-11-25',
  clientCapabilities: {},
  ready: true,
  logLevel: 'debug',
  subscriptions: [],
};
const ignore = () => {};
const LIMITS = {
  keepAliveMs: 1000,
  maxStreams: 10,
  maxStreamsPerClient: 10,
  maxTotalQueuedBytes: 1000,
  maxStallMs: 1000,
};
const open = new OpenStreams(LIMITS);
const LIMITS_OF_STREAMS = { maxQueuedBytes: 1000, maxBurstBytes: 1000, retryMs: 1000 };
const streamOptions = { responseFormat: 'json', ...LIMITS_OF_STREAMS, open, onError: ignore } as const;

function sessionsOf(store = memoryStore(), maxSessions = 10) {
  let opened = 0;
  let closings = 0;
  const connect = (connection: Connection) => {
    opened += 1;
    const closed = () => {
      closings += 1;
    };
    connection.start({ message: ignore, malformed: ignore, batch: ignore, refused: ignore, ended: ignore, closed });
  };
  const server = { connect, respond: () => ({ abort: ignore }), reportError: ignore };
  const sessions = new HttpSessions({
    server,
    store,
    idleMs: 3_600_000,
    abandonedMs: 3_600_000,
    cancelAfterMs: Number.POSITIVE_INFINITY,
    leaseMs: 30_000,
    maxSessions,
    streamOptions,
  });
  return { sessions, opened: () => opened, open: () => opened - closings };
}

describe('HttpSessions', () => {
  it('leaves the least recently used session to the store beyond its limit, and finds it again', async () => {
    const store = memoryStore();
    const { sessions, open } = sessionsOf(store, 100);
    for (let n = 0; n < 110; n += 1) store.create(String(n), { snapshot: SNAPSHOT }, { keepMs: 3_600_000 });
    const first = await sessions.find('0', undefined);
    for (let n = 1; n < 100; n += 1) await sessions.find(String(n), undefined);
    expect(open()).toBe(100);
    expect(await sessions.find('0', undefined)).toBe(first);
    for (let n = 100; n < 110; n += 1) await sessions.find(String(n), undefined);
    expect(open()).toBe(100);
    expect(await sessions.find('0', undefined)).toBe(first);
    expect(await sessions.find('1', undefined)).toBeDefined();
    sessions.close();
    expect(open()).toBe(0);
  });

  it('makes one of a session that two requests look for at once', async () => {
    const store = memoryStore();
    store.create('s', { snapshot: SNAPSHOT }, { keepMs: 3_600_000 });
    const { sessions, opened } = sessionsOf({ ...store, find: async (id: string) => store.find(id) });
    const found = await Promise.all(['s', 's', 's'].map((id) => sessions.find(id, undefined)));
    expect(new Set(found).size).toBe(1);
    expect(opened()).toBe(1);
    sessions.close();
  });

  it('ends a session in this process when the store in memory forgets it', async () => {
    const store = memoryStore({ maxSessions: 2 });
    const { sessions, open } = sessionsOf(store);
    for (const id of ['a', 'b']) store.create(id, { snapshot: SNAPSHOT }, { keepMs: 3_600_000 });
    for (const id of ['a', 'b']) await sessions.find(id, undefined);
    store.create('c', { snapshot: SNAPSHOT }, { keepMs: 3_600_000 });
    expect(open()).toBe(1);
    sessions.close();
  });
});

it('a session holds nothing of the HTTP request that opened it', async () => {
  const { http } = await serve();
  const before = queryObjects(ServerResponse, { format: 'count' });
  for (let n = 0; n < 50; n += 1) await RawSession.open(http);
  expect(queryObjects(ServerResponse, { format: 'count' }) - before).toBeLessThan(10);
});
