import { describe, expect, it } from 'vitest';
import { Mailbox } from '../../../../../testing/mailbox.ts';
import { RedisServer } from '../../../../../testing/redis-server.ts';
import { record } from '../../../../server/tasks/task-store.contract.ts';
import type { StoredEvent } from '../../store.ts';
import { type RedisStoreLimits, redisHttpStore } from './store.ts';

const KEEP = { keepMs: 3_600_000 };
const DEFAULTS = { maxEventBytes: 8_000_000, maxEndedStreams: 100 };

describe('what Redis keeps', async () => {
  const server = await RedisServer.start();
  const pair = await server.pair('node-redis');
  let count = 0;

  /** A store with the session `s`. */
  async function open(limits: Partial<RedisStoreLimits> = {}) {
    count += 1;
    const prefix = `test${count}`;
    const [redis] = pair(prefix);
    const store = redisHttpStore(redis, { ...DEFAULTS, ...limits });
    await store.create('s', {}, KEEP);
    const append = async (stream: string, chars: number, last = false) =>
      (await store.append('s', stream, { text: 'x'.repeat(chars), last })) ?? '';
    const appendAll = (events: [stream: string, chars: number, last?: boolean][]) =>
      Promise.all(events.map((event) => append(...event)));
    const known = async (ids: readonly string[]) => {
      const places = await Promise.all(ids.map((id) => store.locate('s', id)));
      return ids.filter((_, index) => places[index] !== undefined);
    };
    const keys = async () => ((await server.command('KEYS', `${prefix}:*`)) as string[]).sort();
    return { store, append, appendAll, known, keys, prefix };
  }

  it('of a session are its newest events, when they take up too much', async () => {
    const { store, appendAll, known } = await open({ maxEventBytes: 100_000 });
    const ids = await appendAll(Array.from({ length: 300 }, () => ['a', 1000]));
    const left = await known(ids);
    expect(left).toEqual(ids.slice(-left.length));
    expect(left.length).toBeGreaterThan(30);
    expect(left.length).toBeLessThan(100);
    const events = new Mailbox<StoredEvent>();
    await store.follow('s', 'a', 'undelivered', { event: events.put, lost: () => {} });
    expect(events.rest.map(({ id }) => id)).toEqual(left);
    const lost = new Mailbox<Error>();
    await store.follow('s', 'a', { after: ids[10] ?? '' }, { event: () => {}, lost: lost.put });
    expect((await lost.take()).message).toBe('Events were dropped before they could be read');
  });

  it('are the newest of the streams that have ended, and those that have not', async () => {
    const { append, appendAll, known } = await open({ maxEndedStreams: 10 });
    const waiting = await appendAll(Array.from({ length: 30 }, () => ['open', 1]));
    const responses: string[][] = [];
    for (let n = 0; n < 25; n += 1) responses.push([await append(`${n}`, 0), await append(`${n}`, 1, true)]);
    expect(await known(waiting)).toEqual(waiting);
    const left = await known(responses.flat());
    expect(left).toEqual(responses.flat().slice(-left.length));
    expect(left.length).toBeGreaterThanOrEqual(10);
    expect(left.length).toBeLessThanOrEqual(20);
  });

  it('are events that no follower got, rather than those of streams that have ended', async () => {
    const { append, appendAll, known } = await open({ maxEventBytes: 100_000, maxEndedStreams: 1000 });
    const waiting = await append('standalone', 1000);
    const finished = await appendAll(Array.from({ length: 300 }, (_, n) => [`call ${n}`, 1000, true]));
    expect(await known([waiting, finished[0] ?? '', finished.at(-1) ?? ''])).toEqual([waiting, finished.at(-1)]);
  });

  it('a follower misses nothing while events before it are dropped', async () => {
    const { store, appendAll } = await open({ maxEventBytes: 20_000 });
    const events = new Mailbox<StoredEvent>();
    await store.follow('s', 'a', 'undelivered', { event: events.put, lost: () => {} });
    const ids = await appendAll(Array.from({ length: 200 }, () => ['a', 1000]));
    for (const id of ids) expect((await events.take()).id).toBe(id);
  });

  it('does not grow with the number of things that have changed', async () => {
    const { store, prefix } = await open();
    const report = (n: number) =>
      store.append('s', 'a', { text: '{}', last: false, change: { key: `resource ${n}`, position: `${n + 1}-0` } });
    await Promise.all(Array.from({ length: 2500 }, (_, n) => report(n)));
    expect(Number(await server.command('HLEN', `${prefix}:session:{s}`))).toBeLessThan(1100);
    expect(await store.find('s')).toMatchObject({ position: '2500-0' });
  });

  it('expires, whatever was done with it', async () => {
    const { store, append, keys, prefix } = await open();
    const stores = await server.stores('node-redis', { prefix });
    const call = { process: 'p', failureText: () => '{}' };
    await store.append('s', 'a', { text: '{}', last: false, call, change: { key: 'k', position: '1-1' } });
    await append('b', 1, true);
    await store.update('s', {}, 1);
    await store.renew('p', 60_000);
    await stores.tasks.create('t', record('t'));
    await stores.tasks.create('u', record('u'));
    await stores.tasks.save('u', record('u', 'completed'), record('u').process);
    await stores.bus.publish({ kind: 'list', list: 'tools' });
    const all = await keys();
    const lasting = [];
    for (const key of all) if (Number(await server.command('PTTL', key)) < 0) lasting.push(key);
    expect(all.length).toBeGreaterThan(7);
    // Only the newest changes are kept, and one secret for all processes.
    expect(lasting).toEqual([`${prefix}:{changes}`, `${prefix}:{changes}:facts`, `${prefix}:{state-secret}`]);
  });

  it('is nothing of a session that was deleted, also if followers were about to acknowledge events', async () => {
    const { store, append, keys } = await open();
    const events = new Mailbox<StoredEvent>();
    const stop = await store.follow('s', 'a', 'undelivered', { event: events.put, lost: () => {} });
    await append('a', 1);
    await events.take();
    await Promise.all([append('a', 1), store.delete('s')]);
    stop();
    expect(await store.find('s')).toBeUndefined();
    expect(await keys()).toEqual([]);
  });
});
