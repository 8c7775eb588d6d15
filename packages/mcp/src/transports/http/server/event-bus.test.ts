import { describe, expect, it, vi } from 'vitest';
import type { RawResponse } from '../../../../testing/raw-http.ts';
import { RawSession } from '../../../../testing/raw-session.ts';
import { type Served, serve } from '../../../../testing/serve.ts';
import { sharedStores } from '../../../../testing/shared-stores.ts';
import { memoryEventBus } from '../../../server/event-buses/memory.ts';
import { memoryStore } from '../stores/memory.ts';

const UPDATED = 'notifications/resources/updated';
const WATCHED = { uri: 'test://watched' };

describe.each(await sharedStores())('servers that share an event bus and a store in %s', (_name, share) => {
  const cluster = () => {
    const process = share();
    return async () => {
      const { store, openBus } = process();
      return serve({ store }, { bus: await openBus() });
    };
  };

  /** Three servers with one session that all of them know, and a stream of it at the first. */
  async function nodes(count = 3) {
    const start = cluster();
    const servers: Served[] = [];
    for (let n = 0; n < count; n += 1) servers.push(await start());
    const [first] = servers as [Served];
    const session = await RawSession.open(first.http);
    const through = servers.map(({ http }) => session.through(http));
    for (const each of through) await each.ask('ping');
    return { start, servers, through, session };
  }

  /** Ends with a message of each server, which comes after all others of the same server. Sorted. */
  const methodsUntilMarkers = async (stream: RawResponse, ...servers: Served[]): Promise<string[]> => {
    await new Promise((resolve) => setImmediate(resolve)); // lists are announced at the end of a turn
    for (const { server } of servers) server.notifyAll('notifications/marker');
    const methods: string[] = [];
    for (let markers = 0; markers < servers.length; ) {
      const { method } = await stream.message();
      if (method === 'notifications/marker') markers += 1;
      else methods.push(method);
    }
    return methods.sort();
  };

  it('notify each client once of a change, whichever of them made it', async () => {
    const { servers, through } = await nodes();
    const [one, two, three] = servers as [Served, Served, Served];
    await through[1]?.ask('resources/subscribe', WATCHED);
    const stream = (await through[2]?.listen()) as RawResponse;
    for (let n = 0; n < 9; n += 1) (servers[n % 3] as Served).server.resourceUpdated('test://watched');
    one.server.resourceUpdated('test://other');
    expect(await methodsUntilMarkers(stream, ...servers)).toEqual(Array(9).fill(UPDATED));
    two.server.tool({ name: 'new' }, () => 'x');
    three.server.log('error', 'broken');
    three.server.log('debug', 'fine');
    expect(await methodsUntilMarkers(stream, ...servers)).toEqual([
      'notifications/message',
      'notifications/message',
      'notifications/tools/list_changed',
    ]);
  });

  it('do not notify a client of what it has unsubscribed from, or of logs that it does not want', async () => {
    const { servers, through } = await nodes();
    const [one, two] = servers as [Served, Served];
    await through[0]?.ask('resources/subscribe', WATCHED);
    await through[1]?.ask('resources/unsubscribe', WATCHED);
    await through[2]?.ask('logging/setLevel', { level: 'error' });
    const stream = (await through[0]?.listen()) as RawResponse;
    for (const { server } of servers) {
      await expect.poll(() => [...server.sessions][0]?.isSubscribed('test://watched')).toBe(false);
      await expect.poll(() => [...server.sessions][0]?.logLevel).toBe('error');
    }
    one.server.resourceUpdated('test://watched');
    two.server.log('info', 'fine');
    two.server.log('error', 'broken');
    expect(await methodsUntilMarkers(stream, one, two)).toEqual(['notifications/message']);
  });

  it('notify the client of changes that were made while no server knew its session', async () => {
    const { start, servers, through, session } = await nodes(2);
    await through[0]?.ask('resources/subscribe', WATCHED);
    const other = await start();
    for (const { listener } of servers) await listener.close();
    for (let n = 0; n < 3; n += 1) other.server.resourceUpdated('test://watched');
    other.server.resourceUpdated('test://other');
    const atOther = session.through(other.http);
    const stream = await atOther.listen();
    expect(await methodsUntilMarkers(stream, other)).toEqual(Array(3).fill(UPDATED));
    // Another one that gets to know the session does not repeat them.
    const late = await start();
    await session.through(late.http).ask('ping');
    late.server.resourceUpdated('test://watched');
    expect(await methodsUntilMarkers(stream, late)).toEqual([UPDATED]);
  });

  it('notify the client of everything when there were too many changes to know', async () => {
    const { start, servers, through, session } = await nodes(1);
    await through[0]?.ask('resources/subscribe', WATCHED);
    const other = await start();
    for (const { listener } of servers) await listener.close();
    for (let n = 0; n < 3000; n += 1) other.server.resourceUpdated('test://other');
    const stream = await session.through(other.http).listen();
    const lists = ['notifications/resources/list_changed', UPDATED, 'notifications/tools/list_changed'];
    expect(await methodsUntilMarkers(stream, other)).toEqual(lists);
  });

  it('do not announce lists that are registered before there are clients', async () => {
    const { start, servers, session } = await nodes(1);
    const stream = await session.listen();
    await start();
    expect(await methodsUntilMarkers(stream, servers[0] as Served)).toEqual([]);
  });
});

describe('an event bus whose changes cannot be read', () => {
  it.each<[string, () => Promise<never>, string]>([
    ['that rejects', () => Promise.reject(new Error('the bus is away')), 'the bus is away'],
    ['that never settles', () => new Promise(() => {}), 'The event bus did not settle within 30000 ms'],
  ])('%s leaves a session notified of everything it may have missed', async (_, read, reported) => {
    const errors: string[] = [];
    const store = memoryStore();
    const bus = memoryEventBus();
    const first = await serve({ store }, { bus });
    const session = await RawSession.open(first.http);
    await session.ask('resources/subscribe', WATCHED);
    await first.listener.close();
    first.server.resourceUpdated('test://watched');
    const broken = { ...bus, position: bus.position, read };
    const other = await serve({ store }, { bus: broken, onError: ({ message }) => errors.push(message) });
    vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] });
    const stream = await session.through(other.http).listen();
    await vi.advanceTimersByTimeAsync(30_000);
    vi.useRealTimers();
    const methods = [await stream.message(), await stream.message(), await stream.message()].map(
      ({ method }) => method,
    );
    expect(methods.sort()).toEqual([
      'notifications/resources/list_changed',
      UPDATED,
      'notifications/tools/list_changed',
    ]);
    expect(errors).toEqual([reported]);
  });
});
