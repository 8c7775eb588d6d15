import { describe, expect, it } from 'vitest';
import { failOnEscapes } from '../../testing/fail-on-escapes.ts';
import { join, makeServer } from '../../testing/server-session.ts';
import { RpcError } from '../jsonrpc/errors.ts';
import type { ErrorSource } from './error-report.ts';

failOnEscapes();

const fail = (what: string): never => {
  throw new Error(what);
};

/** Collects what is reported, as `what: message`. */
function collect(): { reports: string[]; onError: (error: Error, source: ErrorSource) => void } {
  const reports: string[] = [];
  return { reports, onError: (error, { what }) => void reports.push(`${what}: ${error.message}`) };
}

describe('a callback of the user that rejects is reported, and nothing else happens', () => {
  it('onState and onStateChange', async () => {
    const { reports, onError } = collect();
    const server = makeServer({ onError, onState: async (_, state) => fail(`entered ${state}`) });
    const [session, serverSession] = await join(server);
    serverSession.onStateChange(async (state) => fail(`changed to ${state}`));
    await session.ping();
    await session.close();
    await serverSession.closed;
    expect(reports).toEqual([
      'onState: entered waiting',
      'onState: entered initializing',
      'onState: entered ready',
      'onState: entered closed',
      'a listener of onStateChange: changed to closed',
    ]);
  });

  it('the observer of messages', async () => {
    const { reports, onError } = collect();
    const observer = { received: async () => fail('no received'), sent: async () => fail('no sent') };
    const [session] = await join(makeServer({ onError, observe: () => observer }));
    await session.ping();
    expect(new Set(reports)).toEqual(new Set(['observe: no received', 'observe: no sent']));
  });
});

describe('an error whose members throw', () => {
  const unreadable = () => new Proxy(new RpcError(1, 'secret'), { get: () => fail('unreadable') });

  it.each([
    ['thrown', () => Promise.reject(unreadable())],
    [
      'thrown at once',
      () => {
        throw unreadable();
      },
    ],
  ])('and that is %s by a handler gets a response', async (_, handler) => {
    const server = makeServer({ onError: () => {} });
    server.onRequest('custom', handler);
    server.tool({ name: 'tool' }, handler);
    const [session] = await join(server);
    const responses = await Promise.allSettled([session.request('custom'), session.callTool('tool')]);
    for (const response of responses) expect(JSON.stringify(response)).not.toContain('secret');
    expect(responses[0]).toMatchObject({
      reason: { code: -32603, message: expect.stringMatching(/^Internal error: /) },
    });
    await session.ping();
  });
});

describe('middleware', () => {
  it('whose abort listener throws is reported', async () => {
    const { reports, onError } = collect();
    const server = makeServer({ onError });
    let arrived = () => {};
    const waiting = new Promise<void>((resolve) => {
      arrived = resolve;
    });
    server.tool({ name: 'wait' }, () => new Promise(() => arrived()));
    server.use((request, next) => {
      request.signal.addEventListener('abort', () => fail('not now'));
      return next();
    });
    const [session] = await join(server);
    const controller = new AbortController();
    const call = session.callTool('wait', {}, { signal: controller.signal });
    await waiting;
    controller.abort(new Error('enough'));
    await expect(call).rejects.toThrow('enough');
    await session.ping();
    expect(reports).toEqual(['abort listener of a middleware: not now']);
  });

  it('that does not await next() ends no process when the handler fails', async () => {
    const server = makeServer();
    server.tool({ name: 'fail' }, () => {
      throw new RpcError(-1, 'no');
    });
    server.use((request, next) => {
      const result = next();
      return request.method === 'tools/call' ? { content: [] } : result;
    });
    const [session] = await join(server);
    expect(await session.callTool('fail')).toEqual({ content: [] });
  });
});

describe('a handler may return any object with a then method', () => {
  type Callback = (value: unknown) => void;
  // What it is, and what `then` does with the callbacks of the caller.
  const kinds: readonly [string, (resolve: Callback, reject: Callback, value: unknown) => void][] = [
    ['calls back at once', (resolve, _, value) => resolve(value)],
    ['calls back later', (resolve, _, value) => setImmediate(resolve, value)],
    [
      'calls back twice',
      (resolve, reject, value) => {
        resolve(value);
        reject(new Error('too late'));
        resolve('too late');
      },
    ],
  ];

  it.each(kinds)('that returns nothing and %s', async (_, settle) => {
    const thenable = (value: unknown) => ({
      // biome-ignore lint/suspicious/noThenProperty: some libraries return such objects
      then: (...callbacks: [Callback, Callback]) => settle(...callbacks, value),
    });
    const server = makeServer();
    server.tool({ name: 't' }, () => thenable('text') as never);
    server.resource({ uri: 'a:b', name: 'r' }, () => thenable('text') as never);
    server.prompt({ name: 'p' }, () => thenable('text') as never);
    server.onRequest('custom', () => thenable({ value: 1 }));
    const [session, serverSession] = await join(server, { createMessage: () => thenable({ model: 'm' }) as never });
    expect((await session.callTool('t')).content).toEqual([{ type: 'text', text: 'text' }]);
    expect(await session.readResource('a:b')).toEqual([{ uri: 'a:b', text: 'text' }]);
    expect((await session.getPrompt('p')).messages[0]?.content).toEqual({ type: 'text', text: 'text' });
    expect(await session.request('custom')).toEqual({ value: 1 });
    const response = await serverSession.request('sampling/createMessage', { messages: [], maxTokens: 1 });
    expect(response).toEqual({ model: 'm' });
  });
});
