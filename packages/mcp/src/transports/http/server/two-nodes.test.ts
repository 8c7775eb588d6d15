import { once } from 'node:events';
import { describe, expect, it, vi } from 'vitest';
import { initialize, RawSession } from '../../../../testing/raw-session.ts';
import { EVERYTHING, serve, textOf } from '../../../../testing/serve.ts';
import { sharedStores } from '../../../../testing/shared-stores.ts';

const TOKEN = { _meta: { progressToken: 1 } };
const ROOTS = { roots: [{ uri: 'file:///a' }] };

describe.each(await sharedStores())('two servers that share %s', (_name, share) => {
  /** Two servers, and a session opened at the first. */
  async function nodes(options: { version?: string; idleMs?: number } = {}) {
    const { version = '2025-11-25', idleMs = 3_600_000 } = options;
    const process = share();
    const [a, b] = [await serve({ store: process().store, idleMs }), await serve({ store: process().store, idleMs })];
    const atA = await RawSession.open(a.http, { version, capabilities: EVERYTHING });
    return { a, b, atA, atB: atA.through(b.http) };
  }

  it('serve the same session, in turn and at once', async () => {
    const { a, b, atA, atB } = await nodes();
    for (const session of [atB, atA, atB]) {
      expect(textOf(await session.ask('tools/call', { name: 'echo', arguments: { n: 1 } }))).toBe('{"n":1}');
    }
    const responses = await Promise.all([atA, atB, atA, atB].map((session) => session.ask('ping')));
    for (const response of responses) expect(response).toMatchObject({ result: {} });
    const [[first], [second]] = [[...a.server.sessions], [...b.server.sessions]];
    expect(second?.clientInfo).toEqual(first?.clientInfo);
    expect(second?.clientCapabilities).toEqual(EVERYTHING);
    expect([a.server.sessions.size, b.server.sessions.size]).toEqual([1, 1]);
  });

  it('may each receive a part of the handshake', async () => {
    const { a, b } = await nodes();
    const { sessionId = '' } = await a.http.post(initialize());
    const atB = new RawSession(b.http, { id: sessionId, version: '2025-11-25' });
    expect((await atB.notify('notifications/initialized')).status).toBe(202);
    expect((await atB.through(a.http).request('tools/list')).status).toBe(200);
    expect((await atB.request('tools/list')).status).toBe(200);
  });

  it('know of each other’s changes: log level and subscriptions', async () => {
    const { a, b, atA, atB } = await nodes();
    await atB.ask('logging/setLevel', { level: 'error' });
    await atA.ask('resources/subscribe', { uri: 'test://watched' });
    await atB.ask('ping');
    const [[first], [second]] = [[...a.server.sessions], [...b.server.sessions]];
    expect([first?.logLevel, second?.logLevel]).toEqual(['error', 'error']);
    expect(second?.isSubscribed('test://watched')).toBe(true);
    const stream = await atA.listen();
    b.server.resourceUpdated('test://watched');
    expect(await stream.message()).toMatchObject({ method: 'notifications/resources/updated' });
    await atB.ask('resources/unsubscribe', { uri: 'test://watched' });
    await atA.ask('ping');
    expect(first?.isSubscribed('test://watched')).toBe(false);
  });

  it('do not disturb each other’s calls when the session changes', async () => {
    const { a, atA, atB } = await nodes();
    const running = atA.call('held', {}, TOKEN);
    const { context, finish } = await a.calls.take();
    await atB.ask('logging/setLevel', { level: 'error' });
    await atB.ask('resources/subscribe', { uri: 'test://watched' });
    expect(await atA.ask('ping')).toMatchObject({ result: {} });
    expect(context.signal.aborted).toBe(false);
    context.log('info', 'too quiet by now');
    context.progress(1);
    finish('undisturbed');
    expect((await (await running).messages()).map(({ method }) => method)).toEqual([
      'notifications/progress',
      undefined,
    ]);
  });

  it('get the response to a question of one of them, whichever receives it', async () => {
    const { atA, atB } = await nodes();
    const call = await atA.call('roots');
    const { id } = await call.message();
    expect((await atB.respond(id, ROOTS)).status).toBe(202);
    expect(textOf(await call.message())).toBe(JSON.stringify(ROOTS.roots));
  });

  it('never mistake the response to one for the response to the other', async () => {
    const { atA, atB } = await nodes();
    await atB.ask('ping');
    const calls = await Promise.all([atA.call('ask'), atB.call('ask'), atB.call('ask'), atA.call('ask')]);
    const ids = await Promise.all(calls.map(async (call) => (await call.message()).id));
    expect(new Set(ids).size).toBe(4);
    const accept = (name: string) => ({ action: 'accept', content: { name } });
    for (const [n, id] of ids.entries()) await (n % 2 === 0 ? atB : atA).respond(id, accept(`user ${n}`));
    const received = await Promise.all(calls.map(async (call) => textOf(await call.message())));
    expect(received).toEqual(ids.map((_, n) => JSON.stringify(accept(`user ${n}`))));
  });

  it('take responses in batches too, at 2025-03-26', async () => {
    const { atA, atB } = await nodes({ version: '2025-03-26' });
    const calls = [await atA.call('roots'), await atA.call('roots')];
    const ids = await Promise.all(calls.map(async (call) => (await call.message()).id));
    const response = await atB.post([
      ...ids.map((id) => ({ jsonrpc: '2.0', id, result: ROOTS })),
      { jsonrpc: '2.0', id: 'p', method: 'ping' },
    ]);
    expect(await response.json()).toEqual([{ jsonrpc: '2.0', id: 'p', result: {} }]);
    for (const call of calls) expect(textOf(await call.message())).toBe(JSON.stringify(ROOTS.roots));
  });

  it('act on a cancellation, whichever receives it', async () => {
    const { a, atA, atB } = await nodes();
    const running = atA.request('tools/call', { name: 'held' }, 'c');
    const { context } = await a.calls.take();
    const aborted = once(context.signal, 'abort');
    await atB.notify('notifications/cancelled', { requestId: 'c' });
    await aborted;
    expect(await (await running).messages()).toEqual([]);
  });

  it('resume each other’s streams of calls: what was missed, then what happens, then the response', async () => {
    const { a, atA, atB } = await nodes();
    const pending = atA.call('held', {}, TOKEN);
    const { context, finish } = await a.calls.take();
    context.progress(1);
    const broken = await pending;
    const last = (await broken.event())?.id;
    await broken.break();
    for (const n of [2, 3]) context.progress(n);
    const resumed = await atB.listen(last);
    for (const progress of [2, 3]) expect(await resumed.message()).toMatchObject({ params: { progress } });
    context.progress(4);
    finish('from the other side');
    expect(await resumed.message()).toMatchObject({ params: { progress: 4 } });
    expect(textOf(await resumed.message())).toBe('from the other side');
    expect(await resumed.over()).toBe('ended');
  });

  it('let a client go and come back to the other', async () => {
    const { a, atA, atB } = await nodes();
    const pending = atA.call('held');
    const { context, finish } = await a.calls.take();
    context.releaseStream();
    const primed = await (await pending).block();
    const resumed = await atB.listen(primed?.id);
    finish('here');
    expect((await resumed.messages()).map(textOf)).toEqual(['here']);
  });

  it('say what belongs to no request on the one stream there is, and the newest is that', async () => {
    const { a, b, atA, atB } = await nodes();
    await atB.ask('ping');
    const [[first], [second]] = [[...a.server.sessions], [...b.server.sessions]];
    first?.notify('notifications/note', { n: 1 });
    const atFirst = await atB.listen();
    expect(await atFirst.message()).toMatchObject({ params: { n: 1 } });
    second?.notify('notifications/note', { n: 2 });
    expect(await atFirst.message()).toMatchObject({ params: { n: 2 } });
    const newer = await atA.listen();
    await atFirst.over();
    for (const n of [3, 4]) (n === 3 ? first : second)?.notify('notifications/note', { n });
    const received = [(await newer.message()).params.n, (await newer.message()).params.n];
    expect(received.sort()).toEqual([3, 4]);
    expect(await atFirst.messages()).toEqual([]);
  });

  it('end the session together when one gets DELETE', async () => {
    const { a, b, atA, atB } = await nodes();
    const stream = await atA.listen();
    const running = atA.call('held', {}, TOKEN);
    const { context } = await a.calls.take();
    const aborted = once(context.signal, 'abort');
    context.progress(1);
    expect((await atB.delete()).status).toBe(204);
    await aborted;
    await stream.over();
    await (await running).over();
    await a.until((sessions) => sessions.size === 0);
    await b.until((sessions) => sessions.size === 0);
    for (const session of [atA, atB]) {
      expect((await session.request('ping')).status).toBe(404);
      expect((await session.listen()).status).toBe(404);
      expect((await session.delete()).status).toBe(404);
    }
  });

  it('end it together when the server at one of them closes it', async () => {
    const { a, b, atB } = await nodes();
    const stream = await atB.listen();
    const [first] = a.server.sessions;
    await first?.close('You have to go');
    await stream.over();
    await b.until((sessions) => sessions.size === 0);
    expect((await atB.request('ping')).status).toBe(404);
  });

  it('outlive each other: one goes on when the other has closed', async () => {
    const { a, atB } = await nodes();
    await a.listener.close();
    expect(await atB.ask('ping')).toMatchObject({ result: {} });
    const call = await atB.call('roots');
    const { id } = await call.message();
    await atB.respond(id, ROOTS);
    expect(textOf(await call.message())).toBe(JSON.stringify(ROOTS.roots));
  });

  it('do not end a session as unused that the other uses', async () => {
    vi.useFakeTimers({ toFake: ['setInterval', 'clearInterval', 'Date'] });
    try {
      const { a, b, atA, atB } = await nodes({ idleMs: 10_000 });
      for (let n = 0; n < 5; n += 1) {
        vi.advanceTimersByTime(4000);
        expect(await atB.ask('ping')).toMatchObject({ result: {} });
      }
      expect([a.server.sessions.size, b.server.sessions.size]).toEqual([0, 1]);
      expect(await atA.ask('ping')).toMatchObject({ result: {} });
      // An open stream is use as well.
      const stream = await atB.listen();
      for (let n = 0; n < 5; n += 1) {
        vi.advanceTimersByTime(4000);
        await b.http.post(initialize()); // lets what waits for the store happen
      }
      expect(a.server.sessions.size).toBe(0);
      expect(await atA.ask('ping')).toMatchObject({ result: {} });
      await stream.break();
    } finally {
      vi.useRealTimers();
    }
  });
});
