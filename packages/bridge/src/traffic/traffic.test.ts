import { Prepared } from '@hawser/mcp';
import { describe, expect, it } from 'vitest';
import { Traffic, type TrafficEntry } from './traffic.ts';

const CLIENT = { id: 'claude-code-1', name: 'claude-code' };

describe('Traffic', () => {
  it('does not look at a message while there is no watcher', () => {
    const traffic = new Traffic();
    const untouchable = new Proxy(
      {},
      {
        get: () => {
          throw new Error('it was looked at');
        },
        ownKeys: () => {
          throw new Error('it was looked at');
        },
      },
    );
    traffic.received('a', CLIENT, untouchable);
    const stop = traffic.watch(() => {});
    stop();
    traffic.sent('a', CLIENT, untouchable);
  });

  it('tells kind and direction, and of an answer the method it answers', () => {
    const traffic = new Traffic();
    const seen: TrafficEntry[] = [];
    traffic.watch((entry) => seen.push(entry));
    traffic.received('a', CLIENT, { jsonrpc: '2.0', id: 0, method: 'tools/list' });
    traffic.sent('a', CLIENT, { jsonrpc: '2.0', id: 0, method: 'roots/list' });
    traffic.sent('a', CLIENT, { jsonrpc: '2.0', id: 0, result: {} });
    traffic.received('a', CLIENT, { jsonrpc: '2.0', id: 0, error: { code: 1, message: 'no' } });
    traffic.sent('a', CLIENT, { jsonrpc: '2.0', method: 'selection_changed' });
    traffic.sent('a', CLIENT, { jsonrpc: '2.0', id: 9, result: {} });
    expect(seen.map(({ number, direction, kind, method }) => [number, direction, kind, method])).toEqual([
      [1, 'received', 'request', 'tools/list'],
      [2, 'sent', 'request', 'roots/list'],
      [3, 'sent', 'result', 'tools/list'],
      [4, 'received', 'error', 'roots/list'],
      [5, 'sent', 'notification', 'selection_changed'],
      [6, 'sent', 'result', undefined],
    ]);
  });

  it('records what is sent, without secrets, also of results that are kept as JSON', () => {
    const traffic = new Traffic();
    const seen: TrafficEntry[] = [];
    traffic.watch((entry) => seen.push(entry));
    traffic.sent('a', CLIENT, { jsonrpc: '2.0', id: 1, result: new Prepared({ tools: [{ name: 't', token: 'x' }] }) });
    expect(seen[0]?.message).toEqual({
      jsonrpc: '2.0',
      id: 1,
      result: { tools: [{ name: 't', token: '[redacted]' }] },
    });
    expect(seen[0]?.characters).toBe(JSON.stringify(seen[0]?.message).length);
  });
});
