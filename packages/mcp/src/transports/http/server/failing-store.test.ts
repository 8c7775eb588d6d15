import { describe, expect, it, vi } from 'vitest';
import { failOnEscapes } from '../../../../testing/fail-on-escapes.ts';
import { Mailbox } from '../../../../testing/mailbox.ts';
import { initialize, RawSession } from '../../../../testing/raw-session.ts';
import { type Served, serve, textOf } from '../../../../testing/serve.ts';
import { slowStore } from '../../../../testing/slow-store.ts';
import { StoreUnavailable } from '../../../protocol/store-unavailable.ts';
import type { Authorize } from '../../authorization.ts';
import type { HttpStore, StoredState } from '../store.ts';
import { memoryStore } from '../stores/memory.ts';

failOnEscapes();

const TOKEN = { _meta: { progressToken: 1 } };

describe('a store that takes its time', () => {
  /** A store that can hold the next call of a kind. */
  function holding() {
    const inner = memoryStore();
    let next: { readonly call: 'save' | 'find'; readonly held: () => void } | undefined;
    let release = () => {};
    const take = (call: 'save' | 'find'): boolean => {
      if (next?.call !== call) return false;
      next.held();
      next = undefined;
      return true;
    };
    const later = <T>(work: () => T | Promise<T>): Promise<T> => {
      return new Promise((resolve) => {
        release = () => resolve(work());
      });
    };
    const store: HttpStore = {
      ...inner,
      create: (...args) => (take('save') ? later(() => inner.create(...args)) : inner.create(...args)),
      update: (...args) => (take('save') ? later(() => inner.update(...args)) : inner.update(...args)),
      find: (session) => {
        const { state, version } = (inner.find(session) ?? {}) as StoredState;
        return take('find') ? later(() => ({ state, version })) : inner.find(session);
      },
    };
    /** Settles when the call waits. */
    const hold = (call: 'save' | 'find') => {
      return new Promise<void>((held) => {
        next = { call, held };
      });
    };
    return { store, hold, release: () => release() };
  }

  it('keeps clients waiting until what they changed is on record', async () => {
    const { store, hold, release } = holding();
    const { http } = await serve({ store });
    const other = await RawSession.open(http);
    const held = async <T>(begin: () => Promise<T>): Promise<T> => {
      let settled = false;
      const isHeld = hold('save');
      const outcome = begin().finally(() => {
        settled = true;
      });
      await isHeld;
      for (let n = 0; n < 3; n += 1) await other.ask('ping');
      expect(settled).toBe(false);
      release();
      return outcome;
    };
    const opened = await held(() => http.post(initialize()));
    const session = new RawSession(http, { id: opened.sessionId ?? '', version: '2025-11-25' });
    expect((await held(() => session.notify('notifications/initialized'))).status).toBe(202);
    expect((await held(() => session.request('logging/setLevel', { level: 'error' }))).status).toBe(200);
    expect(await session.ask('ping')).toMatchObject({ result: {} });
  });

  it('does not bring back what was changed while it worked', async () => {
    const { store, hold, release } = holding();
    const { http, server } = await serve({ store });
    const session = await RawSession.open(http);
    const [serverSession] = server.sessions;
    const found = hold('find');
    const late = session.ask('ping');
    await found; // as it was before
    await session.ask('logging/setLevel', { level: 'error' });
    release();
    await late;
    expect(serverSession?.logLevel).toBe('error');
    const saving = hold('save');
    const changing = session.ask('logging/setLevel', { level: 'alert' });
    await saving;
    const pinging = session.ask('ping'); // finds it as it was before
    for (let n = 0; n < 3; n += 1) await RawSession.open(http);
    release();
    await Promise.all([changing, pinging]);
    expect(serverSession?.logLevel).toBe('alert');
  });
});

type FailingBy = 'rejecting' | 'throwing';

/** A store that can be made to fail, or to hang, call by call. */
function failing(inner = slowStore(), by: FailingBy = 'rejecting') {
  const broken = new Map<keyof HttpStore, Error | 'hangs'>();
  const guard = <A extends unknown[], R>(name: keyof HttpStore, call: (...args: A) => R) => {
    return (...args: A): R => {
      const failure = broken.get(name);
      if (failure === undefined) return call(...args);
      if (by === 'throwing') throw failure;
      return (failure === 'hangs' ? new Promise(() => {}) : Promise.reject(failure)) as R;
    };
  };
  const store: HttpStore = {
    create: guard('create', inner.create),
    find: guard('find', inner.find),
    update: guard('update', inner.update),
    delete: guard('delete', inner.delete),
    deleteUnused: guard('deleteUnused', inner.deleteUnused),
    append: guard('append', inner.append),
    locate: guard('locate', inner.locate),
    follow: guard('follow', inner.follow),
    renew: guard('renew', inner.renew),
  };
  const names = Object.keys(store) as (keyof HttpStore)[];
  return {
    store,
    break: (...calls: (keyof HttpStore)[]) => {
      for (const name of calls) broken.set(name, new Error('secret: hunter2'));
    },
    take: (...calls: (keyof HttpStore)[]) => {
      for (const name of calls) broken.set(name, new StoreUnavailable('the store does not respond'));
    },
    /** What a process that was killed asks of a store never gets a response. */
    kill: () => {
      for (const name of names) broken.set(name, 'hangs');
    },
    mend: () => broken.clear(),
  };
}

/** A call that has reported its progress once. */
async function begun({ calls }: Served, session: RawSession) {
  const running = session.call('held', {}, TOKEN);
  const { context, finish } = await calls.take();
  context.progress(1);
  const stream = await running;
  const first = await stream.event();
  expect(JSON.parse(first?.data ?? '')).toMatchObject({ params: { progress: 1 } });
  return { stream, context, finish, lastEventId: first?.id };
}

describe.each(['rejecting', 'throwing'] as const)('a store that fails by %s', (by) => {
  it('gives requests 500 without its reason, which goes to onError, and they are served when it is back', async () => {
    const { store, mend, ...faults } = failing(slowStore(), by);
    const errors: Error[] = [];
    const { http } = await serve({ store, onError: (error) => errors.push(error) });
    const session = await RawSession.open(http);
    faults.break('find');
    for (const response of [await session.request('ping'), await session.listen(), await session.delete()]) {
      expect(response.status).toBe(500);
      const message = 'Internal server error: the request was not carried out';
      expect(await response.json()).toMatchObject({ error: { code: -32603, message } });
    }
    expect(errors.map(({ message }) => message)).toEqual(Array(3).fill('secret: hunter2'));
    mend();
    faults.break('append', 'locate', 'follow');
    expect((await session.respond(1, {})).status).toBe(500);
    expect((await session.listen('standalone_1')).status).toBe(500);
    expect((await session.listen()).status).toBe(500);
    mend();
    expect(await session.ask('ping')).toMatchObject({ result: {} });
  });

  it('for a while gives requests 503, with what failed and when to try again', async () => {
    const { store, mend, ...faults } = failing(slowStore(), by);
    const { http } = await serve({ store, onError: () => {} });
    const session = await RawSession.open(http);
    faults.take('find');
    const response = await session.request('ping');
    expect([response.status, response.headers['retry-after']]).toEqual([503, '1']);
    expect((await response.json()).error.message).toBe(
      'Internal server error: the request was not carried out: the store does not respond',
    );
    mend();
    expect(await session.ask('ping')).toMatchObject({ result: {} });
  });

  it('while a session is opened or changed lets the client know', async () => {
    const { store, mend, ...faults } = failing(slowStore(), by);
    const { http, server } = await serve({ store, onError: () => {} });
    const session = await RawSession.open(http);
    faults.break('create', 'update');
    const opening = await http.post(initialize());
    expect(opening.status).toBe(500);
    expect(await opening.json()).toMatchObject({
      id: 'initialize',
      error: { message: 'Internal error: the session store failed' },
    });
    expect((await session.request('logging/setLevel', { level: 'error' })).status).toBe(500);
    expect(server.sessions.size).toBe(1);
    mend();
    expect(await session.ask('logging/setLevel', { level: 'error' })).toMatchObject({ result: {} });
  });

  it('while a session is restored refuses the request, and the next one is served', async () => {
    const inner = memoryStore();
    const { store, mend, ...faults } = failing(slowStore(inner), by);
    const [a, b] = [await serve({ store: slowStore(inner) }), await serve({ store, onError: () => {} })];
    const atB = (await RawSession.open(a.http)).through(b.http);
    faults.take('follow');
    expect((await atB.request('ping')).status).toBe(503);
    mend();
    expect(await atB.ask('ping')).toMatchObject({ result: {} });
  });

  it('to keep a notification ends the session, because its client must not miss one unknowingly', async () => {
    const { store, mend, ...faults } = failing(slowStore(), by);
    const reported = new Mailbox<string>();
    const served = await serve({ store, onError: ({ message }: Error) => reported.put(message) });
    const session = await RawSession.open(served.http);
    faults.break('append', 'delete');
    served.server.notifyAll('notifications/note', { n: 1 });
    expect(await reported.take()).toBe('secret: hunter2');
    await served.until((sessions) => sessions.size === 0);
    expect(await reported.take()).toBe('secret: hunter2'); // it could not be deleted
    mend();
    await expect.poll(async () => (await session.request('ping')).status).toBe(404);
  });

  it('while events are sent ends their call with an error, in this process and for those who resume it', async () => {
    const { store, mend, ...faults } = failing(slowStore(), by);
    const served = await serve({ store, onError: () => {} });
    const session = await RawSession.open(served.http);
    const { stream, context, finish, lastEventId } = await begun(served, session);
    faults.take('append');
    context.progress(2);
    expect(await stream.message()).toMatchObject({
      error: { code: -32603, message: expect.stringContaining('the session store failed: the store does not respond') },
    });
    expect(await stream.over()).toBe('ended');
    expect(context.signal.aborted).toBe(true);
    mend();
    context.progress(3);
    finish('not sent');
    const resumed = await session.listen(lastEventId);
    expect(await resumed.messages()).toMatchObject([{ error: { code: -32603 } }]);
    expect(await session.ask('ping')).toMatchObject({ result: {} });
  });

  it('while a call is open lets the client know, in whichever form it waits', async () => {
    const { store, ...faults } = failing(slowStore(), by);
    const served = await serve({ store, responseFormat: 'sse', onError: () => {} });
    const session = await RawSession.open(served.http);
    const { stream, finish } = await begun(served, session);
    const whole = session.call('held');
    const second = await served.calls.take();
    faults.break('append');
    finish('lost');
    const failure = { code: -32603, message: 'Internal error: the session store failed' };
    expect(await stream.messages()).toMatchObject([{ id: expect.any(Number), error: failure }]);
    second.finish('lost');
    const response = await whole;
    expect(response.status).toBe(500);
    expect(await response.json()).toMatchObject({ id: expect.any(Number), error: failure });
  });

  it('and an onError that fails, too, end neither the process nor other requests', async () => {
    const { store, mend, ...faults } = failing(slowStore(), by);
    const written = vi.spyOn(console, 'error').mockImplementation(() => {});
    const failure = () => {
      throw new Error('onError is broken');
    };
    const authorize: Authorize = ({ headers }) => (headers.authorization === 'broken' ? failure() : { id: 'a' });
    const { http } = await serve({ store, authorize, onError: failure });
    const session = await RawSession.open(http);
    expect((await http.post(initialize(), { Authorization: 'broken' })).status).toBe(500);
    faults.break('find');
    expect((await session.request('ping')).status).toBe(500);
    mend();
    expect(await session.ask('ping')).toMatchObject({ result: {} });
    expect(written.mock.calls.flat().join()).toContain('hunter2');
    written.mockRestore();
  });
});

describe('a session that the store has lost', () => {
  it('ends with its calls, which get an error', async () => {
    const inner = memoryStore();
    const served = await serve({ store: slowStore(inner) });
    const session = await RawSession.open(served.http);
    const { stream } = await begun(served, session);
    const plain = session.call('held');
    const { context } = await served.calls.take();
    await inner.delete(session.id);
    expect(await stream.messages()).toMatchObject([{ error: { message: expect.stringContaining('gone') } }]);
    const response = await plain;
    expect(response.status).toBe(503);
    expect(await response.json()).toMatchObject({ error: { message: expect.stringContaining('gone') } });
    expect(context.signal.aborted).toBe(true);
    expect((await session.request('ping')).status).toBe(404);
  });
});

describe('a process that dies', () => {
  const LEASE_MS = 600;

  async function nodes() {
    const inner = memoryStore();
    const { store, kill } = failing(slowStore(inner));
    const a = await serve({ store, leaseMs: LEASE_MS });
    // It lives: its lease is long, because a busy machine may not renew a short one in time.
    const b = await serve({ store: slowStore(inner) });
    const atA = await RawSession.open(a.http);
    return { a, b, atA, atB: atA.through(b.http), kill };
  }

  it('leaves calls that end with an error within their lease, for those who resume them', async () => {
    const { a, atA, atB, kill } = await nodes();
    const { stream, lastEventId } = await begun(a, atA);
    await stream.break();
    kill();
    const since = performance.now();
    const [response, ...rest] = await (await atB.listen(lastEventId)).messages();
    expect(response).toMatchObject({
      id: expect.any(Number),
      error: { code: -32603, message: expect.stringContaining('has died') },
    });
    expect(rest).toEqual([]);
    expect(performance.now() - since).toBeLessThan(20 * LEASE_MS);
    // Who resumes it again reads the same.
    expect(await (await atB.listen(lastEventId)).messages()).toEqual([response]);
  });

  it('does not affect calls of others, which take as long as they need', async () => {
    const { b, atB, kill } = await nodes();
    kill();
    const { stream, finish, lastEventId } = await begun(b, atB);
    await stream.break();
    const resumed = await atB.listen(lastEventId);
    // Long after the lease of the other has run out.
    await new Promise((resolve) => setTimeout(resolve, 3 * LEASE_MS));
    finish('at last');
    expect((await resumed.messages()).map(textOf)).toEqual(['at last']);
  });

  it('is not needed to hear of changes: a subscription that was made through it is known to the others', async () => {
    const { a, b, atA, atB, kill } = await nodes();
    for (const { server } of [a, b]) server.resource({ uri: 'test://other', name: 'other' }, () => 'text');
    await atB.ask('ping'); // the other process knows the session before it changes
    await atA.ask('resources/subscribe', { uri: 'test://watched' });
    await atA.ask('resources/subscribe', { uri: 'test://other' });
    await atA.ask('resources/unsubscribe', { uri: 'test://other' });
    kill();
    const [session] = b.server.sessions;
    await expect.poll(() => session?.isSubscribed('test://watched')).toBe(true);
    await expect.poll(() => session?.isSubscribed('test://other')).toBe(false);
    const stream = await atB.listen();
    b.server.resourceUpdated('test://other');
    b.server.resourceUpdated('test://watched');
    let message = await stream.message();
    while (message.method !== 'notifications/resources/updated') message = await stream.message();
    expect(message).toMatchObject({ params: { uri: 'test://watched' } });
  });
});

describe('two processes that change a session at the same time', () => {
  it('lose no change of either', async () => {
    const inner = memoryStore();
    const [a, b] = [await serve({ store: slowStore(inner) }), await serve({ store: slowStore(inner) })];
    const atA = await RawSession.open(a.http);
    const atB = atA.through(b.http);
    await atB.ask('ping');
    const uris = Array.from({ length: 10 }, (_, n) => `test://${n}`);
    for (const { server } of [a, b]) for (const uri of uris) server.resource({ uri, name: uri }, () => 'text');
    const subscribe = (uri: string, n: number) => (n % 2 === 0 ? atA : atB).ask('resources/subscribe', { uri });
    await Promise.all([...uris.map(subscribe), atB.ask('logging/setLevel', { level: 'error' })]);
    for (const { server } of [a, b]) {
      const [session] = server.sessions;
      await expect.poll(() => uris.filter((uri) => session?.isSubscribed(uri))).toEqual(uris);
      await expect.poll(() => session?.logLevel).toBe('error');
    }
  });
});

describe('a store whose function to stop following throws', () => {
  it('is reported, and the server serves on', async () => {
    const inner = memoryStore();
    const errors: string[] = [];
    const store: HttpStore = {
      ...inner,
      follow: () => () => {
        throw new Error('cannot stop');
      },
    };
    const { http } = await serve({ store, onError: ({ message }) => errors.push(message) });
    const session = await RawSession.open(http);
    const stream = await session.listen();
    await stream.break();
    while (errors.length === 0) await new Promise((resolve) => setImmediate(resolve));
    expect(errors).toEqual(['cannot stop']);
    expect(textOf(await (await session.call('echo')).json())).toBe('{}');
  });
});

describe('a store that responds to every change with a conflict', () => {
  it.each(['at once', 'later'])('%s makes the change fail, and the server serves on', async (when) => {
    const inner = memoryStore();
    const errors: string[] = [];
    const store: HttpStore = { ...inner, update: () => (when === 'at once' ? undefined : Promise.resolve(undefined)) };
    const { http } = await serve({ store, onError: ({ message }) => errors.push(message) });
    const opened = await http.post(initialize());
    const headers = { 'Mcp-Session-Id': opened.sessionId ?? '' };
    const changed = await http.post({ jsonrpc: '2.0', method: 'notifications/initialized' }, headers);
    expect(changed.status).toBe(500);
    expect(new Set(errors)).toEqual(new Set(['The store accepts no change of a session: each is a conflict']));
    expect((await http.post(initialize())).status).toBe(200);
  });
});

describe('a store that loses a new session at once', () => {
  it('has its client told so', async () => {
    const { http } = await serve({ store: { ...memoryStore(), create: () => 1 } });
    const response = await http.post(initialize());
    expect(response.status).toBe(503);
    expect((await response.json()).error.message).toBe(
      'Internal error: closed before the response: The session is gone',
    );
  });
});
