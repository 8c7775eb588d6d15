import { describe, expect, it, vi } from 'vitest';
import { failOnEscapes } from '../../../../testing/fail-on-escapes.ts';
import { Mailbox } from '../../../../testing/mailbox.ts';
import { initialize, RawSession } from '../../../../testing/raw-session.ts';
import { serve } from '../../../../testing/serve.ts';
import { slowStore } from '../../../../testing/slow-store.ts';
import type { Authorize } from '../../authorization.ts';
import type { HttpStore } from '../store.ts';

failOnEscapes();

const TOKEN = { _meta: { progressToken: 1 } };

const fail = (): never => {
  throw new Error('The store is down');
};

describe.each([
  ['rejects', async () => fail()],
  ['throws', fail],
])('a store that %s', (_, failure) => {
  /** A store that can be made to fail, call by call. */
  function failing() {
    const kept = slowStore();
    const broken = new Set<keyof HttpStore>();
    const guard = <A extends unknown[], R>(name: keyof HttpStore, call: (...args: A) => R) => {
      return (...args: A) => (broken.has(name) ? (failure() as R) : call(...args));
    };
    const store: HttpStore = {
      save: guard('save', kept.save),
      find: guard('find', kept.find),
      delete: guard('delete', kept.delete),
      deleteUnused: guard('deleteUnused', kept.deleteUnused),
      append: guard('append', kept.append),
      locate: guard('locate', kept.locate),
      follow: guard('follow', kept.follow),
    };
    return { store, broken };
  }

  it('gives requests 500 and its reason to onError, and they are served when it is back', async () => {
    const { store, broken } = failing();
    const errors: Error[] = [];
    const { http } = await serve({ store, onError: (error) => errors.push(error) });
    const session = await RawSession.open(http);
    broken.add('find');
    for (const answer of [await session.request('ping'), await session.listen(), await session.delete()]) {
      expect(answer.status).toBe(500);
      expect(await answer.json()).toMatchObject({ error: { code: -32603, message: 'Internal server error' } });
    }
    expect(errors.map(({ message }) => message)).toEqual(Array(3).fill('The store is down'));
    broken.delete('find');
    broken.add('append').add('locate');
    expect((await session.answer(1, {})).status).toBe(500);
    expect((await session.listen('standalone_1')).status).toBe(500);
    broken.clear();
    expect(await session.ask('ping')).toMatchObject({ result: {} });
  });

  it('while a session is opened or changed lets the client know', async () => {
    const { store, broken } = failing();
    const { http } = await serve({ store, onError: () => {} });
    const session = await RawSession.open(http);
    broken.add('save');
    expect((await http.post(initialize())).status).toBe(500);
    expect((await session.request('logging/setLevel', { level: 'error' })).status).toBe(500);
    broken.clear();
    expect(await session.ask('logging/setLevel', { level: 'error' })).toMatchObject({ result: {} });
  });

  it('in the background is reported to onError: notifications, and the end of a session', async () => {
    const { store, broken } = failing();
    const reported = new Mailbox<string>();
    const onError = ({ message }: Error) => reported.put(message);
    const { http, server } = await serve({ store, onError });
    await RawSession.open(http);
    broken.add('append').add('delete');
    server.notifyAll('notifications/note', { n: 1 });
    expect(await reported.take()).toBe('The store is down');
    const [session] = server.sessions;
    await session?.close();
    expect(await reported.take()).toBe('The store is down');
  });

  it('while events are sent breaks their stream, and nothing else', async () => {
    const { store, broken } = failing();
    const { http, server, calls } = await serve({ store, onError: () => {} });
    const session = await RawSession.open(http);
    const running = session.call('held', {}, TOKEN);
    const { context, finish } = await calls.take();
    context.progress(1);
    const stream = await running;
    expect(await stream.message()).toMatchObject({ params: { progress: 1 } });
    broken.add('append');
    server.notifyAll('notifications/note', { n: 1 }); // lost, for want of a place to keep it
    context.progress(2);
    expect(await stream.over()).toBe('broken');
    finish('too late');
    broken.clear();
    expect(await session.ask('ping')).toMatchObject({ result: {} });
  });

  it('while a call is answered breaks its stream, so that the client does not wait for ever', async () => {
    const { store, broken } = failing();
    const { http, calls } = await serve({ store, answers: 'sse', onError: () => {} });
    const session = await RawSession.open(http);
    const streaming = session.call('held', {}, TOKEN);
    const first = await calls.take();
    first.context.progress(1);
    const stream = await streaming;
    const whole = session.call('held');
    const second = await calls.take();
    broken.add('append');
    first.finish('lost');
    expect(await stream.over()).toBe('broken');
    second.finish('lost');
    expect((await whole).status).toBe(500);
  });

  it('when a stream is followed gives 500, and its reason to onError', async () => {
    const { store, broken } = failing();
    const errors: string[] = [];
    const { http } = await serve({ store, onError: ({ message }) => errors.push(message) });
    const session = await RawSession.open(http);
    broken.add('follow');
    const stream = await session.listen();
    expect(stream.status === 500 || (await stream.over()) === 'broken').toBe(true);
    expect(errors).toHaveLength(1);
    broken.clear();
    expect(await session.ask('ping')).toMatchObject({ result: {} });
  });

  it('and an onError that fails, too, end neither the process nor other requests', async () => {
    const { store, broken } = failing();
    const written = vi.spyOn(console, 'error').mockImplementation(() => {});
    const authorize: Authorize = ({ headers }) => (headers.authorization === 'broken' ? failure() : { id: 'a' });
    const { http, server } = await serve({ store, authorize, onError: failure });
    const session = await RawSession.open(http);
    expect((await http.post(initialize(), { Authorization: 'broken' })).status).toBe(500);
    broken.add('find').add('append');
    expect((await session.request('ping')).status).toBe(500);
    server.notifyAll('notifications/note', { n: 1 });
    broken.clear();
    expect(await session.ask('ping')).toMatchObject({ result: {} });
    expect(written.mock.calls.flat().join()).toContain('The store is down');
    written.mockRestore();
  });
});
