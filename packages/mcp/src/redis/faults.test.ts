import { describe, expect, it } from 'vitest';
import { failOnEscapes } from '../../testing/fail-on-escapes.ts';
import { Mailbox } from '../../testing/mailbox.ts';
import { LIBRARIES, RedisServer } from '../../testing/redis-server.ts';
import { unreliableClient } from '../../testing/unreliable-client.ts';
import { StoreUnavailable } from '../protocol/store-unavailable.ts';
import type { RedisStores } from '../redis-stores.ts';
import type { PublishedChange } from '../server/event-bus.ts';
import { record } from '../server/tasks/task-store.contract.ts';
import type { StoredEvent, StoredState } from '../transports/http/store.ts';
import { redisHttpStore } from '../transports/http/stores/redis/store.ts';
import type { RedisClient } from './client.ts';

const KEEP = { keepMs: 3_600_000 };
const event = (n: number, last = false) => ({ text: `{"n":${n}}`, last });

failOnEscapes();

async function follow({ store }: RedisStores, session = 's') {
  const [events, losses, states] = [new Mailbox<StoredEvent>(), new Mailbox<Error>(), new Mailbox<StoredState>()];
  const stop = await store.follow(
    session,
    'a',
    { after: '0-0' },
    { event: events.put, changed: states.put, lost: losses.put },
  );
  return { stop, event: events.take, lost: losses.take, state: states.take, rest: () => events.rest };
}

function listen({ bus }: RedisStores) {
  const [changes, missed] = [new Mailbox<PublishedChange>(), new Mailbox<string>()];
  bus.listen({ changed: changes.put, missed: missed.put });
  return { change: changes.take, missed: missed.take };
}

/** A client whose first subscriber reconnects when `reconnect` is called, and is of no use from then on. */
function stuckClient(client: RedisClient, control: { subscribers: number; reconnect: () => void }): RedisClient {
  return {
    send: client.send,
    openSubscriber: async (events) => {
      control.subscribers += 1;
      if (control.subscribers > 1) return client.openSubscriber(events);
      let isStuck = false;
      const subscriber = await client.openSubscriber({
        ...events,
        message: (channel, text) => {
          if (!isStuck) events.message(channel, text);
        },
      });
      control.reconnect = () => {
        isStuck = true;
        events.connected();
      };
      const subscribe = async (channel: string) => {
        if (isStuck) throw new Error('No sharded subscriber for slot: 1');
        return subscriber.subscribe(channel);
      };
      return { ...subscriber, subscribe };
    },
  };
}

describe.each(LIBRARIES)('with %s', (library) => {
  /** Two processes on a server of their own, and a session with one event. */
  async function open(options: { timeoutMs?: number; checkMs?: number } = {}) {
    const server = await RedisServer.start();
    const [one, two] = [await server.stores(library, options), await server.stores(library, options)];
    await one.store.create('s', { n: 0 }, KEEP);
    await one.store.append('s', 'a', event(0));
    return { server, one, two };
  }

  it('when Redis restarts with its data, calls wait, and followers get every event once', async () => {
    const { server, one, two } = await open();
    const readers = [await follow(one), await follow(two)];
    const changes = listen(two);
    await one.bus.publish({ kind: 'list', list: 'tools' });
    for (const reader of readers) expect(await reader.event()).toMatchObject(event(0));
    await server.command('SAVE');
    await server.kill();
    const appending = [1, 2, 3].map((n) => one.store.append('s', 'a', event(n)));
    const updating = two.store.update('s', { n: 1 }, 1);
    const publishing = one.bus.publish({ kind: 'list', list: 'prompts' });
    await server.restart();
    expect(await updating).toBe(2);
    await publishing;
    const ids = await Promise.all(appending);
    await two.store.append('s', 'a', event(4, true));
    for (const reader of readers) {
      const got = [await reader.event(), await reader.event(), await reader.event(), await reader.event()];
      expect(got).toMatchObject([event(1), event(2), event(3), event(4, true)]);
      expect(got.slice(0, 3).map(({ id }) => id)).toEqual(ids);
      let state = await reader.state();
      while (state.version === 1) state = await reader.state();
      expect(state).toMatchObject({ state: { n: 1 }, version: 2 });
      expect(reader.rest()).toEqual([]);
    }
    expect([(await changes.change()).change, (await changes.change()).change]).toEqual([
      { kind: 'list', list: 'tools' },
      { kind: 'list', list: 'prompts' },
    ]);
  });

  it('when Redis restarts with older data, what follows is delivered', async () => {
    const { server, one, two } = await open();
    const reader = await follow(two);
    await server.command('SAVE');
    await one.store.append('s', 'a', event(1));
    for (const n of [0, 1]) expect(await reader.event()).toMatchObject(event(n));
    await server.kill();
    await server.restart();
    await one.store.append('s', 'a', event(2));
    expect(await reader.event()).toMatchObject(event(2));
  });

  it('when Redis restarts without its data, followers, watchers and listeners learn it, and nothing is added', async () => {
    const { server, one, two } = await open();
    const [reader, changes] = [await follow(two), listen(two)];
    await one.tasks.create('t', record('t'));
    const ends = new Mailbox<unknown>();
    await two.tasks.watch('t', { changed: () => {}, expired: ends.put, lost: ends.put });
    await server.kill();
    const appending = one.store.append('s', 'a', event(1));
    await server.restart();
    expect(await appending).toBeUndefined();
    expect((await reader.lost()).message).toBe('The session is gone');
    expect(await ends.take()).toMatchObject({ message: 'The task t is gone' });
    expect(await changes.missed()).toBe('0-0');
    expect(await one.store.find('s')).toBeUndefined();
    expect(await one.tasks.save('t', record('t', 'completed'), record('t').process)).toBe(false);
    expect(await server.command('KEYS', '*session*')).toEqual([]);
    await one.bus.publish({ kind: 'list', list: 'tools' });
    expect((await changes.change()).change).toEqual({ kind: 'list', list: 'tools' });
  });

  it('while Redis loads its data, calls wait', async () => {
    const { server, one, two } = await open();
    for (let n = 0; n < 20; n += 1) await one.store.create(`s${n}`, {}, KEEP);
    await server.command('SAVE');
    await server.kill();
    await server.restart({ loadDelayMs: 40 });
    await expect(server.command('GET', 'x')).rejects.toThrow('LOADING');
    expect(await Promise.all([one.store.find('s'), two.store.append('s', 'a', event(1))])).toEqual([
      { state: { n: 0 }, version: 1, position: undefined },
      expect.any(String),
    ]);
  });

  it('calls that Redis does not respond to in time fail with a reason, and followers go on afterwards', async () => {
    const { server, one, two } = await open({ timeoutMs: 500 });
    const reader = await follow(two);
    expect(await reader.event()).toMatchObject(event(0));
    await server.command('SAVE');
    await server.kill();
    const failing = [one.store.append('s', 'a', event(1)), one.store.find('s'), one.tasks.find('t')];
    for (const failed of failing) await expect(failed).rejects.toThrow(StoreUnavailable);
    await expect(one.store.follow('s', 'b', 'next', { event: () => {}, lost: () => {} })).rejects.toThrow(
      StoreUnavailable,
    );
    await server.restart();
    const append = async () => one.store.append('s', 'a', event(2));
    await expect.poll(() => append().then(Boolean, () => false)).toBe(true);
    // The first may have waited in the client. If so, it comes first.
    const next = await reader.event();
    if (next.text === event(1).text) expect(await reader.event()).toMatchObject(event(2));
    else expect(next).toMatchObject(event(2));
  });

  it('when connections are cut again and again, followers get every event once and in order', async () => {
    const { server, one, two } = await open();
    const [readers, changes] = [[await follow(one), await follow(two)], listen(two)];
    for (const reader of readers) await reader.event();
    const COUNT = 60;
    const write = async ({ store, bus }: RedisStores, name: string) => {
      for (let n = 0; n < COUNT; n += 1) {
        await Promise.all([
          store.append('s', 'a', { text: `{"${name}":${n}}`, last: false }),
          bus.publish({ kind: 'resource', uri: `${name}:${n}` }),
        ]);
      }
    };
    let isWriting = true;
    const cut = async () => {
      for (let n = 0; isWriting; n += 1) {
        await server.command('CLIENT', 'KILL', 'TYPE', n % 2 === 0 ? 'pubsub' : 'normal');
        // The clients connect again meanwhile.
        await new Promise((resolve) => setTimeout(resolve, 30));
      }
    };
    const cutting = cut();
    await Promise.all([write(one, 'one'), write(two, 'two')]);
    isWriting = false;
    await cutting;
    const wanted = (name: string) => Array.from({ length: COUNT }, (_, n) => `{"${name}":${n}}`);
    for (const reader of readers) {
      const texts: string[] = [];
      while (texts.length < 2 * COUNT) texts.push((await reader.event()).text);
      for (const name of ['one', 'two']) expect(texts.filter((text) => text.includes(name))).toEqual(wanted(name));
      expect(reader.rest()).toEqual([]);
    }
    const uris = new Set<string>();
    for (let n = 0; n < 2 * COUNT; n += 1) {
      const { change } = await changes.change();
      if (change.kind === 'resource') uris.add(change.uri);
    }
    expect(uris.size).toBe(2 * COUNT);
  });

  it('events that are added at once keep their order when some commands fail', async () => {
    const [redis] = (await (await RedisServer.start()).pair(library, unreliableClient))('test');
    const store = redisHttpStore(redis, { maxEventBytes: 1_000_000, maxEndedStreams: 100 });
    await store.create('s', {}, KEEP);
    const ids = await Promise.all(Array.from({ length: 60 }, (_, n) => store.append('s', 'a', event(n))));
    const events = new Mailbox<StoredEvent>();
    await store.follow('s', 'a', 'undelivered', { event: events.put, lost: () => {} });
    expect(events.rest).toEqual(ids.map((id, n) => ({ id, ...event(n) })));
  });

  it('a connection for subscriptions that does not recover from an outage is replaced', async () => {
    const { server, one } = await open();
    const stuck = { subscribers: 0, reconnect: () => {} };
    const two = await server.stores(library, { timeoutMs: 2000 }, (client) => stuckClient(client, stuck));
    const reader = await follow(two);
    expect(await reader.event()).toMatchObject(event(0));
    expect(stuck.subscribers).toBe(1);
    stuck.reconnect();
    await one.store.append('s', 'a', event(1));
    expect(await reader.event()).toMatchObject(event(1));
    expect(stuck.subscribers).toBe(2);
    await follow(two, 's');
    expect(reader.rest()).toEqual([]);
  });

  it('a lost message is noticed without a reconnection', async () => {
    const { server, one, two } = await open({ checkMs: 300 });
    const reader = await follow(two);
    expect(await reader.event()).toMatchObject(event(0));
    // As if it had been published to a subscriber that never got it.
    const key = 'hawser:session:{s}';
    const id = (await server.command(
      'XADD',
      `${key}:events`,
      '*',
      's',
      'a',
      't',
      '{"n":1}',
      'l',
      '0',
      'w',
      '',
    )) as string;
    await server.command('HSET', `${key}:streams`, 'a', `0-1 ${id} - - 0`);
    expect(await reader.event()).toEqual({ id, ...event(1) });
    await one.store.append('s', 'a', event(2));
    expect(await reader.event()).toMatchObject(event(2));
  });

  it('a process that lives is not taken for dead after an outage that was longer than its lease', async () => {
    const { server, one, two } = await open();
    const call = { process: 'living', failureText: () => '{"lost":true}' };
    await one.store.renew('living', 300);
    await one.store.append('s', 'b', { ...event(1), call });
    await one.tasks.create('t', { ...record('t'), process: 'living' });
    const events = new Mailbox<StoredEvent>();
    await two.store.follow('s', 'b', 'undelivered', { event: events.put, lost: () => {} });
    await server.command('SAVE');
    await server.kill();
    // Longer than the lease.
    await new Promise((resolve) => setTimeout(resolve, 400));
    await server.restart();
    expect(await two.tasks.abandoned()).toEqual([]);
    await one.store.renew('living', 60_000);
    await one.store.append('s', 'b', event(2, true));
    expect([await events.take(), await events.take()]).toMatchObject([event(1), event(2, true)]);
    expect(await two.tasks.abandoned()).toEqual([]);
  });

  it('a message to a task whose process has gone is not taken', async () => {
    const { one, two } = await open();
    await one.tasks.create('t', record('t'));
    await one.tasks.receive('t', { message: () => {}, lost: () => {} });
    expect(await two.tasks.send('t', { kind: 'cancel' })).toBe(true);
    one.close();
    await expect.poll(() => two.tasks.send('t', { kind: 'cancel' })).toBe(false);
  });

  it('calls after the stores were closed fail at once, and say so', async () => {
    const { one } = await open();
    one.close();
    const calls = [
      one.store.find('s'),
      one.store.follow('s', 'a', 'next', { event: () => {}, lost: () => {} }),
      one.bus.publish({ kind: 'list', list: 'tools' }),
    ];
    for (const call of calls) await expect(call).rejects.toThrow('The connection to Redis is closed');
  });

  it('a subscription that Redis refuses is reported', async () => {
    const { server, one, two } = await open({ timeoutMs: 500 });
    const reader = await follow(two);
    await server.command('ACL', 'SETUSER', 'default', 'resetchannels', '&hawser:{changes}*');
    // Those who lose the permission are disconnected, and cannot subscribe again.
    expect(await reader.lost()).toBeInstanceOf(StoreUnavailable);
    await expect(one.store.follow('s', 'a', 'next', { event: () => {}, lost: () => {} })).rejects.toThrow(
      StoreUnavailable,
    );
    await server.command('ACL', 'SETUSER', 'default', 'resetchannels');
    await expect(server.stores(library, { timeoutMs: 500 })).rejects.toThrow(StoreUnavailable);
  });
});
