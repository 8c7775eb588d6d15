import { once } from 'node:events';
import { describe, expect, it } from 'vitest';
import type { Block, RawResponse } from '../../../../testing/raw-http.ts';
import { initialize, RawSession } from '../../../../testing/raw-session.ts';
import { EVERYTHING, type Served, serve, textOf } from '../../../../testing/serve.ts';
import { STORES } from '../../../../testing/slow-store.ts';
import { memoryStore } from '../stores/memory.ts';
import type { ServeHttpOptions } from './node/serve.ts';

const note = (n: number) => ({ method: 'notifications/note', params: { n } });
const TOKEN = { _meta: { progressToken: 1 } };
const idOf = (block: Block | undefined) => block?.id ?? '';

/** A call that has reported once, and the id of that report. */
async function begun(session: RawSession, calls: Served['calls']) {
  const pending = session.call('held', {}, TOKEN);
  const { context, finish } = await calls.take();
  context.progress(1);
  const response = await pending;
  const reported = await response.event();
  expect(JSON.parse(reported?.data ?? '')).toMatchObject({ params: { progress: 1 } });
  return { response, context, finish, lastEventId: idOf(reported) };
}

describe.each(STORES)('with a store that returns %s:', (_returns, makeStore) => {
  const serveHere = (options: Partial<ServeHttpOptions> = {}) => serve({ store: makeStore(), ...options });
  const listening = async () => {
    const { http, server } = await serveHere();
    const session = await RawSession.open(http);
    return { http, server, session, stream: await session.listen() };
  };

  describe('the first event of a stream', () => {
    it('is empty and names an id and when to come back, from 2025-11-25 on', async () => {
      const { http } = await serveHere({ responseFormat: 'sse', retryMs: 1234 });
      const session = await RawSession.open(http);
      for (const stream of [await session.call('echo'), await session.listen()]) {
        const first = await stream.block();
        expect(first).toEqual({ id: expect.stringMatching(/^[\x21-\x7e]+$/), retry: '1234', data: '' });
      }
    });

    it.each(['2024-11-05', '2025-03-26', '2025-06-18'])(
      'is a message at %s, whose clients choke on empty ones',
      async (version) => {
        const { http, server } = await serveHere({ responseFormat: 'sse' });
        const opening = await http.post(initialize({ version }), { 'MCP-Protocol-Version': '2025-11-25' });
        expect(await opening.block()).toMatchObject({ event: 'message', data: expect.stringContaining('"result"') });
        const session = await RawSession.open(http, { version });
        const response = await session.call('echo');
        expect(await response.block()).toMatchObject({ event: 'message', id: expect.any(String) });
        const stream = await session.listen();
        server.notifyAll('notifications/note', { n: 1 });
        expect(await stream.block()).toMatchObject({ event: 'message', data: expect.stringContaining('note') });
        const blocks = [await response.block()];
        expect(blocks.every((block) => block?.retry === undefined)).toBe(true);
      },
    );

    it('goes by what was agreed on, not by the header', async () => {
      const { http } = await serveHere({ responseFormat: 'sse' });
      const session = await RawSession.open(http);
      const ping = { jsonrpc: '2.0', id: 1, method: 'ping' };
      const response = await session.post(ping, { 'MCP-Protocol-Version': undefined });
      expect(await response.block()).toMatchObject({ data: '' });
    });
  });

  describe('a broken stream of a call', () => {
    it('is resumed by GET: what was missed comes in order, nothing twice, then the rest as it happens', async () => {
      const { http, calls } = await serveHere();
      const session = await RawSession.open(http);
      const { response, context, finish, lastEventId } = await begun(session, calls);
      await response.break();
      for (const n of [2, 3, 4]) context.progress(n);
      const resumed = await session.listen(lastEventId);
      expect(resumed.status).toBe(200);
      for (const progress of [2, 3, 4]) expect(await resumed.message()).toMatchObject({ params: { progress } });
      context.progress(5);
      finish('after all');
      expect(await resumed.message()).toMatchObject({ params: { progress: 5 } });
      expect(textOf(await resumed.message())).toBe('after all');
      expect(await resumed.over()).toBe('ended');
    });

    it('may break again and again, at every event', async () => {
      const { http, calls } = await serveHere();
      const session = await RawSession.open(http);
      const { response, context, finish, lastEventId } = await begun(session, calls);
      let stream: RawResponse = response;
      let last = lastEventId;
      for (let progress = 2; progress < 10; progress += 1) {
        await stream.break();
        context.progress(progress);
        stream = await session.listen(last);
        const event = await stream.event();
        expect(JSON.parse(event?.data ?? '')).toMatchObject({ params: { progress } });
        last = idOf(event);
      }
      await stream.break();
      finish('after all');
      expect(await (await session.listen(last)).messages()).toMatchObject([{ result: expect.anything() }]);
    });

    it('that is over is replayed and ends; after its last event there is nothing', async () => {
      const { http, calls } = await serveHere();
      const session = await RawSession.open(http);
      const { response, context, finish, lastEventId } = await begun(session, calls);
      await response.break();
      context.progress(2);
      finish('done');
      const replayed = await session.listen(lastEventId);
      const [second, last] = [await replayed.event(), await replayed.event()];
      expect(await replayed.over()).toBe('ended');
      expect(await (await session.listen(idOf(second))).messages()).toMatchObject([{ result: expect.anything() }]);
      expect(await (await session.listen(idOf(last))).messages()).toEqual([]);
    });

    it('takes over from the response that the server still holds for open', async () => {
      const { http, calls } = await serveHere();
      const session = await RawSession.open(http);
      const { response, context, finish, lastEventId } = await begun(session, calls);
      const resumed = await session.listen(lastEventId);
      expect(await response.messages()).toEqual([]);
      context.progress(2);
      finish('here');
      expect(await resumed.messages()).toMatchObject([{ params: { progress: 2 } }, { result: expect.anything() }]);
    });

    it('is replayed without the events of others', async () => {
      const { http, calls, server } = await serveHere();
      const session = await RawSession.open(http);
      const one = await begun(session, calls);
      const two = await begun(session, calls);
      await one.response.break();
      await two.response.break();
      server.notifyAll('notifications/note', { n: 1 });
      one.finish('one');
      two.finish('two');
      expect((await (await session.listen(one.lastEventId)).messages()).map(textOf)).toEqual(['one']);
      expect((await (await session.listen(two.lastEventId)).messages()).map(textOf)).toEqual(['two']);
      expect(await (await session.listen()).message()).toMatchObject(note(1));
    });

    it('carries questions too: asked while the client was away, the response sent when it is back', async () => {
      const { http, calls } = await serveHere();
      const session = await RawSession.open(http, { capabilities: EVERYTHING });
      const { response, context, finish, lastEventId } = await begun(session, calls);
      await response.break();
      const asking = context.listRoots();
      const resumed = await session.listen(lastEventId);
      const question = await resumed.message();
      expect(question).toMatchObject({ method: 'roots/list' });
      await session.respond(question.id, { roots: [] });
      expect(await asking).toEqual([]);
      finish('asked');
      expect(textOf(await resumed.message())).toBe('asked');
    });

    it('is no cancellation: the handler goes on, until the client says so', async () => {
      const { http, calls } = await serveHere();
      const session = await RawSession.open(http);
      const pending = session.request('tools/call', { name: 'held', ...TOKEN }, 'c');
      const { context } = await calls.take();
      context.progress(1);
      const response = await pending;
      const last = idOf(await response.event());
      await response.break();
      await session.ask('ping');
      expect(context.signal.aborted).toBe(false);
      const resumed = await session.listen(last);
      const aborted = once(context.signal, 'abort');
      await session.notify('notifications/cancelled', { requestId: 'c' });
      await aborted;
      expect(await resumed.messages()).toEqual([]);
      expect(await (await session.listen(last)).messages()).toEqual([]);
    });
  });

  describe('a broken stream of a session', () => {
    it('is resumed by GET: what was missed comes in order, nothing twice, then the rest as it happens', async () => {
      const { server, session, stream } = await listening();
      for (const n of [1, 2, 3]) server.notifyAll('notifications/note', { n });
      const first = await stream.event();
      await stream.break();
      server.notifyAll('notifications/note', { n: 4 });
      const resumed = await session.listen(idOf(first));
      for (const n of [2, 3, 4]) expect(await resumed.message()).toMatchObject(note(n));
      server.notifyAll('notifications/note', { n: 5 });
      expect(await resumed.message()).toMatchObject(note(5));
    });

    it('is resumed from its empty first event too, so that nothing is lost to a silent break', async () => {
      const { server, session, stream } = await listening();
      const primed = await stream.block();
      stream.pause();
      // As far as the server knows the client is there and gets these.
      for (const n of [1, 2]) server.notifyAll('notifications/note', { n });
      const resumed = await session.listen(idOf(primed));
      for (const n of [1, 2]) expect(await resumed.message()).toMatchObject(note(n));
      await stream.break();
      server.notifyAll('notifications/note', { n: 3 });
      expect(await resumed.message()).toMatchObject(note(3));
    });

    it('takes over from the one that the server still holds for open', async () => {
      const { server, session, stream: old } = await listening();
      server.notifyAll('notifications/note', { n: 1 });
      const last = idOf(await old.event());
      const resumed = await session.listen(last);
      expect(await old.messages()).toEqual([]);
      server.notifyAll('notifications/note', { n: 2 });
      expect(await resumed.message()).toMatchObject(note(2));
    });
  });

  describe('Last-Event-ID', () => {
    it('that is unknown, of another session, or of what clients do not see gets 404', async () => {
      const { http, server } = await serveHere();
      const [one, two] = [await RawSession.open(http), await RawSession.open(http)];
      const stream = await one.listen();
      server.notifyAll('notifications/note', { n: 1 });
      const known = idOf(await stream.event());
      await one.respond(1, {});
      for (const id of ['nonsense', 'standalone_99999', '_', '__proto__', 'inbox_1', 'inbox_2', 'inbox_3', 'inbox_4']) {
        const refused = await one.listen(id);
        expect([id, refused.status]).toEqual([id, 404]);
        expect(await refused.json()).toMatchObject({ error: { message: `Event not found: ${id}` } });
      }
      expect((await two.listen(`x${known}`)).status).toBe(404);
    });

    it('that was forgotten for want of room gets 404, and the session goes on', async () => {
      const { http, server } = await serveHere({ store: memoryStore({ maxEventBytes: 10_000 }) });
      const session = await RawSession.open(http);
      const stream = await session.listen();
      server.notifyAll('notifications/note', { n: 0 });
      const first = idOf(await stream.event());
      for (let n = 1; n < 100; n += 1) server.notifyAll('notifications/note', { n, text: 'x'.repeat(1000) });
      for (let n = 1; n < 100; n += 1) expect(await stream.message()).toMatchObject(note(n));
      expect((await session.listen(first)).status).toBe(404);
      expect(await session.ask('ping')).toMatchObject({ result: {} });
    });
  });

  describe('context.releaseStream', () => {
    it('lets the client go with a word on when to come back; the response waits for it', async () => {
      const { http, calls } = await serveHere({ retryMs: 77 });
      const session = await RawSession.open(http);
      const pending = session.call('held');
      const { context, finish } = await calls.take();
      context.releaseStream();
      const released = await pending;
      const primed = await released.block();
      expect(primed).toMatchObject({ data: '', retry: '77' });
      expect(await released.block()).toEqual({ retry: '77' });
      expect(await released.over()).toBe('ended');
      const resumed = await session.listen(idOf(primed));
      finish('worth the wait');
      expect((await resumed.messages()).map(textOf)).toEqual(['worth the wait']);
    });

    it('may be called again when the client is back, or is still away', async () => {
      const { http, calls } = await serveHere();
      const session = await RawSession.open(http);
      const pending = session.call('held', {}, TOKEN);
      const { context, finish } = await calls.take();
      context.releaseStream();
      context.releaseStream();
      context.progress(1);
      const last = idOf(await (await pending).block());
      const second = await session.listen(last);
      expect(await second.message()).toMatchObject({ params: { progress: 1 } });
      finish('done');
      expect(textOf(await second.message())).toBe('done');
    });

    it('does nothing for clients that would not come back', async () => {
      const { http, calls } = await serveHere();
      const session = await RawSession.open(http, { version: '2025-06-18' });
      const pending = session.call('held');
      const { context, finish } = await calls.take();
      context.releaseStream();
      finish('at once');
      expect(textOf(await (await pending).outcome())).toBe('at once');
    });
  });
});
