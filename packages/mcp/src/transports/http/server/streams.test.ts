import { describe, expect, it } from 'vitest';
import { initialize, RawSession } from '../../../../testing/raw-session.ts';
import { EVERYTHING, serve, textOf } from '../../../../testing/serve.ts';
import { STORES } from '../../../../testing/slow-store.ts';
import { memoryPair } from '../../memory/pair.ts';
import type { ServeHttpOptions } from './node/serve.ts';

const note = (n: number) => ({ method: 'notifications/note', params: { n } });

describe.each(STORES)('with a store that returns %s:', (_returns, makeStore) => {
  const serveHere = (options: ServeHttpOptions = {}) => serve({ store: makeStore(), ...options });
  const listening = async () => {
    const { http, server } = await serveHere();
    const session = await RawSession.open(http);
    return { http, server, session, stream: await session.listen() };
  };

  describe('what a server asks within a call', () => {
    it.each([
      ['ask', 'elicitation/create', { action: 'accept', content: { name: 'Ada' } }],
      ['sample', 'sampling/createMessage', { role: 'assistant', content: { type: 'text', text: 'hi' }, model: 'm' }],
      ['roots', 'roots/list', { roots: [{ uri: 'file:///a' }] }],
    ])('%s: comes on the stream of the call and its response comes by another POST', async (tool, method, result) => {
      const { http } = await serveHere();
      const session = await RawSession.open(http, { capabilities: EVERYTHING });
      const call = await session.call(tool);
      expect(call.headers['content-type']).toBe('text/event-stream');
      const question = await call.message();
      expect(question).toMatchObject({ method, id: expect.anything() });
      expect((await session.respond(question.id, result)).status).toBe(202);
      expect(textOf(await call.message())).toBe(JSON.stringify('roots' in result ? result.roots : result));
      expect(await call.over()).toBe('ended');
    });

    it('and is refused with an error makes the call fail with it; a response of the wrong shape is the tool’s failure', async () => {
      const { http } = await serveHere();
      const session = await RawSession.open(http, { capabilities: EVERYTHING });
      const refused = await session.call('ask');
      const { id } = await refused.message();
      await session.post({ jsonrpc: '2.0', id, error: { code: -1, message: 'The user is asleep' } });
      expect(await refused.message()).toMatchObject({ error: { code: -1, message: 'The user is asleep' } });
      const misread = await session.call('ask');
      const question = await misread.message();
      await session.respond(question.id, { action: 'accept', content: { name: 5 } });
      expect(await misread.message()).toMatchObject({ result: { isError: true } });
    });

    it('reaches the right call when many ask at once', async () => {
      const { http } = await serveHere();
      const session = await RawSession.open(http, { capabilities: EVERYTHING });
      const calls = await Promise.all(Array.from({ length: 20 }, () => session.call('ask')));
      const ids = await Promise.all(calls.map(async (call) => (await call.message()).id));
      expect(new Set(ids).size).toBe(20);
      const accept = (name: string) => ({ action: 'accept', content: { name } });
      await Promise.all(ids.map((id, n) => session.respond(id, accept(`user ${n}`))).reverse());
      const responses = await Promise.all(calls.map(async (call) => textOf(await call.message())));
      expect(responses).toEqual(ids.map((_, n) => JSON.stringify(accept(`user ${n}`))));
    });

    it('and gives up is taken back on the same stream', async () => {
      const { http, server } = await serveHere();
      server.tool({ name: 'impatient' }, async (_args, context) => {
        const controller = new AbortController();
        const asking = context.listRoots({ signal: controller.signal });
        controller.abort(new Error('never mind'));
        return asking.then(
          () => 'responded',
          () => 'gave up',
        );
      });
      const session = await RawSession.open(http, { capabilities: EVERYTHING });
      const [question, cancelled, response] = await (await session.call('impatient')).messages();
      expect(question).toMatchObject({ method: 'roots/list' });
      expect(cancelled).toMatchObject({
        method: 'notifications/cancelled',
        params: { requestId: question.id, reason: 'never mind' },
      });
      expect(textOf(response)).toBe('gave up');
    });

    it('has ids that never clash with those of the same session elsewhere', async () => {
      // The same client, as two servers of two processes would know it.
      const [one, two] = [await serveHere(), await serveHere()];
      const ids = [];
      for (const { http } of [one, two, one, two]) {
        const session = await RawSession.open(http, { capabilities: EVERYTHING });
        ids.push((await (await session.call('ask')).message()).id);
      }
      expect(new Set(ids).size).toBe(4);
      for (const id of ids) expect(Number.isSafeInteger(id)).toBe(true);
    });

    it('is still numbered from 1 where a connection is one process’s alone', async () => {
      const { server } = await serveHere();
      const [ours, theirs] = memoryPair({ copy: 'json' });
      server.connect(ours);
      const asked = new Promise((resolve) => {
        const ignore = () => {};
        theirs.start({
          message: (message) => message.method === 'roots/list' && resolve(message.id),
          malformed: ignore,
          batch: ignore,
          refused: () => {},
          ended: ignore,
          closed: ignore,
        });
      });
      theirs.send(initialize({ capabilities: EVERYTHING }) as never);
      theirs.send({ jsonrpc: '2.0', method: 'notifications/initialized' });
      theirs.send({ jsonrpc: '2.0', id: 1, method: 'tools/call', params: { name: 'roots' } });
      expect(await asked).toBe(1);
    });
  });

  describe('the stream of a session', () => {
    it('carries what belongs to no request, in order', async () => {
      const { server, stream } = await listening();
      expect(stream.status).toBe(200);
      expect(stream.headers).toMatchObject({
        'content-type': 'text/event-stream',
        'cache-control': 'no-cache, no-transform',
        'x-accel-buffering': 'no',
      });
      for (let n = 0; n < 100; n += 1) server.notifyAll('notifications/note', { n });
      for (let n = 0; n < 100; n += 1) expect(await stream.message()).toEqual({ jsonrpc: '2.0', ...note(n) });
    });

    it('carries changes of lists, updates of resources and log messages of the session', async () => {
      const { server, session, stream } = await listening();
      await session.ask('resources/subscribe', { uri: 'test://watched' });
      await session.ask('logging/setLevel', { level: 'warning' });
      const [serverSession] = server.sessions;
      server.resourceUpdated('test://watched');
      serverSession?.log('info', 'too quiet');
      serverSession?.log('error', 'loud');
      server.tool({ name: 'new' }, () => '');
      expect(await stream.message()).toMatchObject({ method: 'notifications/resources/updated' });
      expect(await stream.message()).toMatchObject({ method: 'notifications/message', params: { data: 'loud' } });
      expect(await stream.message()).toMatchObject({ method: 'notifications/tools/list_changed' });
    });

    it('has kept what was said before it was opened, and while it was closed', async () => {
      const { http, server } = await serveHere();
      const session = await RawSession.open(http);
      for (const n of [1, 2]) server.notifyAll('notifications/note', { n });
      const first = await session.listen();
      expect(await first.message()).toMatchObject(note(1));
      const last = await first.event();
      expect(JSON.parse(last?.data ?? '')).toMatchObject(note(2));
      const [serverSession] = server.sessions;
      await first.break();
      // The server has noticed once a later request gets a response.
      await session.ask('ping');
      for (const n of [3, 4]) serverSession?.notify('notifications/note', { n });
      const second = await session.listen(last?.id);
      expect(await second.message()).toMatchObject(note(3));
      serverSession?.notify('notifications/note', { n: 5 });
      expect(await second.message()).toMatchObject(note(4));
      expect(await second.message()).toMatchObject(note(5));
    });

    it('repeats what was sent on a connection that turned out to be broken, to a client that has got no event', async () => {
      const { server, session, stream } = await listening();
      server.notifyAll('notifications/note', { n: 1 });
      await stream.break();
      await session.ask('ping'); // as above
      const second = await session.listen();
      server.notifyAll('notifications/note', { n: 2 });
      expect(await second.message()).toMatchObject(note(1));
      expect(await second.message()).toMatchObject(note(2));
    });

    it('does not repeat a request to which the client has responded', async () => {
      const { http, server } = await serveHere();
      const session = await RawSession.open(http, { capabilities: EVERYTHING });
      const stream = await session.listen();
      const [asker] = server.sessions;
      const asking = asker?.listRoots();
      await session.respond((await stream.message()).id, { roots: [] });
      expect(await asking).toEqual([]);
      await stream.break();
      await session.ask('ping'); // as above
      const second = await session.listen();
      server.notifyAll('notifications/note', { n: 1 });
      expect(await second.message()).toMatchObject(note(1));
    });

    it('carries requests that belong to no call; their responses come by POST', async () => {
      const { http, server } = await serveHere();
      const session = await RawSession.open(http, { capabilities: EVERYTHING });
      const [serverSession] = server.sessions;
      const asking = serverSession?.listRoots();
      const stream = await session.listen();
      const question = await stream.message();
      expect(question).toMatchObject({ method: 'roots/list' });
      await session.respond(question.id, { roots: [{ uri: 'file:///b' }] });
      expect(await asking).toEqual([{ uri: 'file:///b' }]);
    });

    it('carries nothing of a call: progress, logs and questions go to the call’s own', async () => {
      const { http, server } = await serveHere();
      const session = await RawSession.open(http, { capabilities: EVERYTHING });
      const stream = await session.listen();
      await (await session.call('count', {}, { _meta: { progressToken: 1 } })).messages();
      const asking = await session.call('ask');
      const { id } = await asking.message();
      await session.respond(id, { action: 'cancel' });
      await asking.messages();
      server.notifyAll('notifications/note', { n: 1 });
      expect(await stream.message()).toMatchObject(note(1));
    });

    it('is one: a second one takes over, so that nothing is sent twice', async () => {
      const { server, session, stream: first } = await listening();
      server.notifyAll('notifications/note', { n: 1 });
      expect(await first.message()).toMatchObject(note(1));
      const second = await session.listen();
      expect(await first.over()).toBe('ended');
      server.notifyAll('notifications/note', { n: 2 });
      expect(await second.message()).toMatchObject(note(2));
      expect(await first.block()).toBeUndefined();
    });

    it('is for its own session alone', async () => {
      const { http, server } = await serveHere();
      const [one, two] = [await RawSession.open(http), await RawSession.open(http)];
      const [first, second] = [await one.listen(), await two.listen()];
      const [ofOne, ofTwo] = [...server.sessions];
      ofOne?.notify('notifications/note', { n: 1 });
      ofTwo?.notify('notifications/note', { n: 2 });
      expect(await first.message()).toMatchObject(note(1));
      expect(await second.message()).toMatchObject(note(2));
    });
  });

  describe('progress and logs', () => {
    it('go to the stream of their own call when several run at once', async () => {
      const { http, calls } = await serveHere();
      const session = await RawSession.open(http);
      const running = ['a', 'b'].map((who) => session.call('held', { who }, { _meta: { progressToken: who } }));
      const held = [await calls.take(), await calls.take()];
      for (const { args, context } of held) {
        context.progress(1);
        context.log('error', args.who);
      }
      for (const { args, finish } of held) finish(String(args.who));
      for (const [n, who] of ['a', 'b'].entries()) {
        expect(await (await running[n])?.messages()).toMatchObject([
          { method: 'notifications/progress', params: { progressToken: who } },
          { method: 'notifications/message', params: { data: who } },
          { result: { content: [{ text: who }] } },
        ]);
      }
    });

    it('after the response are not sent anywhere', async () => {
      const { http, server, calls } = await serveHere();
      const session = await RawSession.open(http);
      const stream = await session.listen();
      const running = session.call('held', {}, { _meta: { progressToken: 1 } });
      const { context, finish } = await calls.take();
      finish('done');
      await (await running).json();
      context.progress(2);
      context.log('error', 'too late');
      server.notifyAll('notifications/note', { n: 1 });
      expect(await stream.message()).toMatchObject(note(1));
    });

    it('of a call whose client disconnected do no harm, and the call goes on', async () => {
      const { http, calls } = await serveHere({ maxStreams: 1 });
      const session = await RawSession.open(http);
      const sending = http.begin('POST', {
        'Content-Type': 'application/json',
        Accept: '*/*',
        ...session.headers,
      });
      sending.end(
        JSON.stringify({
          jsonrpc: '2.0',
          id: 1,
          method: 'tools/call',
          params: { name: 'held', _meta: { progressToken: 1 } },
        }),
      );
      const { context, finish } = await calls.take();
      const closed = new Promise((resolve) => sending.once('close', resolve));
      sending.destroy();
      await closed;
      await session.ask('ping');
      context.progress(1);
      expect(context.signal.aborted).toBe(false);
      finish('without a reader');
      await session.ask('ping');
      // What is gone takes no room: the one stream allowed is still to be had.
      expect((await session.listen()).status).toBe(200);
    });
  });
});
