import { Prepared } from '@hawser/mcp';
import { describe, expect, it } from 'vitest';
import { Traffic, type TrafficEntry } from './traffic.ts';

const CLIENT = { id: 'claude-code-1', name: 'claude-code' };

describe('Traffic', () => {
  it('a watcher first gets the last 200 messages, without secrets', () => {
    const traffic = new Traffic();
    for (let id = 1; id <= 250; id += 1) traffic.received('a', CLIENT, { id, method: 'm', params: { token: 'abc' } });
    const entries: TrafficEntry[] = [];
    traffic.watch((entry) => entries.push(entry));
    traffic.sent('a', CLIENT, { id: 51, result: {} });
    expect(entries.map(({ number }) => number)).toEqual(Array.from({ length: 201 }, (_, index) => 51 + index));
    expect(entries[0]?.message).toEqual({ id: 51, method: 'm', params: { token: '[redacted]' } });
    expect(entries.at(-1)).toMatchObject({ kind: 'result', method: 'm' });
  });

  it('large messages leave room for fewer', () => {
    const traffic = new Traffic();
    const params = Array.from({ length: 8 }, () => 'x'.repeat(4000));
    for (let id = 1; id <= 200; id += 1) traffic.received('a', CLIENT, { id, method: 'm', params });
    let [count, characters] = [0, 0];
    traffic.watch((entry) => {
      count += 1;
      characters += entry.characters;
    });
    expect(count).toBe(32);
    expect(characters).toBeLessThanOrEqual(1024 * 1024);
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
