import { describe, expect, it } from 'vitest';
import type { Connection } from '../../../jsonrpc/connection.ts';
import { memoryStore } from '../stores/memory.ts';
import { HttpSessions } from './http-sessions.ts';

const SNAPSHOT = {
  protocolVersion: '2025-11-25',
  clientCapabilities: {},
  ready: true,
  logLevel: 'debug',
  subscriptions: [],
};
const STREAMS = { answers: 'json', maxQueuedBytes: 1000, retryMs: 1000 } as const;

describe('HttpSessions', () => {
  it('has only so many sessions at hand; the one unused the longest is left to the store, and found again', async () => {
    const store = memoryStore({ maxSessions: 20_000 });
    let open = 0;
    const ignore = () => {};
    const accept = (connection: Connection) => {
      open += 1;
      const closed = () => {
        open -= 1;
      };
      connection.start({ message: ignore, malformed: ignore, batch: ignore, ended: ignore, closed });
    };
    const sessions = new HttpSessions({ accept, store }, STREAMS);
    for (let n = 0; n < 10_100; n += 1) store.save(String(n), SNAPSHOT);
    const first = await sessions.find('0');
    for (let n = 1; n < 10_000; n += 1) await sessions.find(String(n));
    expect(open).toBe(10_000);
    expect(await sessions.find('0')).toBe(first);
    for (let n = 10_000; n < 10_100; n += 1) await sessions.find(String(n));
    expect(open).toBe(10_000);
    expect(await sessions.find('0')).toBe(first);
    expect(await sessions.find('1')).toBeDefined();
    await sessions.close();
    expect(open).toBe(0);
  });

  it('makes one of a session that two requests look for at once', async () => {
    const store = memoryStore();
    store.save('s', SNAPSHOT);
    const slow = { ...store, find: async (id: string) => store.find(id) };
    let accepted = 0;
    const accept = () => {
      accepted += 1;
    };
    const sessions = new HttpSessions({ accept, store: slow }, STREAMS);
    const found = await Promise.all([sessions.find('s'), sessions.find('s'), sessions.find('s')]);
    expect(new Set(found).size).toBe(1);
    expect(accepted).toBe(1);
    await sessions.close();
  });
});
