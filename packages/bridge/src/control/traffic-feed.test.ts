import { describe, expect, it } from 'vitest';
import type { TrafficEntry } from '../traffic/traffic.ts';
import type { TrafficBatch } from './calls.ts';
import { TrafficFeed } from './traffic-feed.ts';

const entry = (number: number): TrafficEntry => ({
  number,
  time: 0,
  adapter: 'a',
  client: { id: 'a-1', name: 'a' },
  direction: 'sent',
  kind: 'notification',
  method: 'm',
  message: {},
  characters: 100,
});

describe('TrafficFeed', () => {
  it('a slow reader loses the oldest messages and learns how many', async () => {
    const batches: TrafficBatch[] = [];
    let read = () => {};
    let sent = () => {};
    const next = () =>
      new Promise<void>((resolve) => {
        sent = resolve;
      });
    const feed = new TrafficFeed({
      send: (batch) => {
        batches.push(batch);
        sent();
      },
      drained: () =>
        new Promise((resolve) => {
          read = resolve;
        }),
      maxWaiting: 300,
    });
    const first = next();
    feed.add(entry(1));
    await first;
    for (let number = 2; number <= 10; number += 1) feed.add(entry(number));
    const second = next();
    read();
    await second;
    expect(batches.map(({ entries, dropped }) => [entries.map(({ number }) => number), dropped])).toEqual([
      [[1], 0],
      [[8, 9, 10], 6],
    ]);
    feed.close();
    feed.add(entry(11));
    read();
    await new Promise(setImmediate);
    expect(batches).toHaveLength(2);
  });
});
