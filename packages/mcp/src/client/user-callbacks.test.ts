import { describe, expect, it, vi } from 'vitest';
import { failOnEscapes } from '../../testing/fail-on-escapes.ts';
import { type Asked, INITIALIZED, scriptedServer } from '../../testing/scripted-server.ts';
import type { Message } from '../jsonrpc/message.ts';
import { Client, type ClientOptions } from './client.ts';

failOnEscapes();

async function connect(
  options: ClientOptions,
  respond: (request: Asked) => { result: unknown } | undefined = () => undefined,
) {
  const server = scriptedServer((request) =>
    request.method === 'initialize' ? { result: INITIALIZED } : respond(request),
  );
  const client = new Client({ name: 'c', version: '1' }, { protocolVersion: '2025-11-25', ...options });
  const session = await client.connect(server.connection);
  const send = (message: object) => server.theirs.send({ jsonrpc: '2.0', ...message } as Message);
  /** The response of the client to a request of the server. */
  const responseTo = async (id: string) => {
    await server.received.until(({ messages }) => messages.some((message) => message.id === id));
    return server.received.messages.find((message) => message.id === id);
  };
  return { ...server, client, session, send, responseTo };
}

/** What is written to stderr when the handler of a notification fails. */
async function writtenByFailure(options: ClientOptions): Promise<string> {
  const written = vi.spyOn(console, 'error').mockImplementation(() => {});
  try {
    const { session, send, responseTo } = await connect(options);
    session.onNotification('note', fail('bad'));
    send({ method: 'note' });
    send({ id: 'p', method: 'ping' });
    await responseTo('p');
    return written.mock.calls.flat().join('\n');
  } finally {
    written.mockRestore();
  }
}

const fail = (what: string) => () => {
  throw new Error(what);
};

describe('a callback of the user that throws', () => {
  it('for progress is reported, and the call goes on', async () => {
    const errors: string[] = [];
    const { session, theirs } = await connect({ onError: ({ message }) => errors.push(message) }, ({ id, params }) => {
      const { progressToken } = params._meta as { progressToken?: number };
      theirs.send({ jsonrpc: '2.0', method: 'notifications/progress', params: { progressToken, progress: 1 } });
      theirs.send({ jsonrpc: '2.0', id, result: { content: [] } });
      return undefined;
    });
    expect(await session.callTool('t', {}, { onProgress: fail('no progress') })).toEqual({ content: [] });
    expect(errors).toEqual(['no progress']);
  });

  it('for a notification is reported, also when it rejects, and the other handlers get it', async () => {
    const errors: string[] = [];
    const received: unknown[] = [];
    const { client, session, send, responseTo } = await connect({ onError: ({ message }) => errors.push(message) });
    session.onNotification('note', fail('sync'));
    session.onNotification('note', async () => fail('async')());
    client.onNotification('note', (params) => received.push(params));
    send({ method: 'note', params: { n: 1 } });
    send({ id: 'p', method: 'ping' });
    await responseTo('p');
    expect(errors).toEqual(['sync', 'async']);
    expect(received).toEqual([{ n: 1 }]);
  });

  it.each([
    ['elicitation/create', { elicit: fail('broken') }, { message: 'm', requestedSchema: { type: 'object' } }],
    ['sampling/createMessage', { createMessage: fail('broken') }, { messages: [], maxTokens: 1 }],
    ['roots/list', { roots: fail('broken') }, {}],
  ] as const)('for %s gets an error and reported with its stack', async (method, options, params) => {
    const errors: Error[] = [];
    const { send, responseTo } = await connect({ ...options, onError: (error) => errors.push(error) });
    send({ id: 'q', method, params });
    expect(await responseTo('q')).toMatchObject({ error: { code: -32603, message: 'Internal error: broken' } });
    expect(errors.map(({ message }) => message)).toEqual(['broken']);
    expect(errors[0]?.stack).toContain('user-callbacks.test.ts');
  });

  it('for an aborted signal is reported', async () => {
    const errors: string[] = [];
    let asked = () => {};
    const waiting = new Promise<void>((resolve) => {
      asked = resolve;
    });
    const { send, responseTo } = await connect({
      onError: ({ message }) => errors.push(message),
      elicit: (_params, { signal }) => {
        signal.addEventListener('abort', fail('not now'));
        asked();
        return new Promise(() => {});
      },
    });
    send({ id: 'q', method: 'elicitation/create', params: { message: 'm', requestedSchema: { type: 'object' } } });
    await waiting;
    send({ method: 'notifications/cancelled', params: { requestId: 'q' } });
    send({ id: 'p', method: 'ping' });
    await responseTo('p');
    await new Promise((resolve) => setImmediate(resolve)); // an exception of a listener is thrown on the next tick
    expect(errors).toEqual(['not now']);
  });

  it('for errors is written to stderr together with the error', async () => {
    const text = await writtenByFailure({ onError: fail('worse') });
    expect(text).toContain('Error: bad');
    expect(text).toContain('Error: worse');
  });

  it('for errors and rejects is written to stderr', async () => {
    expect(await writtenByFailure({ onError: async () => fail('worse')() })).toContain('Error: worse');
  });
});

it('an error is written to stderr with its stack when there is no onError', async () => {
  const text = await writtenByFailure({});
  expect(text).toContain('Error: bad');
  expect(text).toContain('user-callbacks.test.ts');
});
