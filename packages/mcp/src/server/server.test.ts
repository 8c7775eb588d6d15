import { describe, expect, expectTypeOf, it } from 'vitest';
import { z } from 'zod';
import { join, makeServer, once } from '../../testing/server-session.ts';
import { Client } from '../client/client.ts';
import { defineNotification, defineRequest } from '../protocol/definition.ts';
import { memoryPair } from '../transports/memory/pair.ts';

describe('what a server does not offer', () => {
  it('is not declared and gets -32601', async () => {
    const [session] = await join(makeServer());
    expect(session.serverCapabilities).toEqual({});
    for (const method of ['tools/list', 'resources/list', 'prompts/list', 'completion/complete', 'logging/setLevel']) {
      await expect(session.request(method)).rejects.toMatchObject({
        code: -32601,
        message: `Method not found: ${method}`,
      });
    }
  });
});

describe('custom messages', () => {
  interface Selection {
    text: string;
    filePath: string;
  }
  const selectionChanged = defineNotification<Selection>('selection_changed');
  const ideConnected = defineNotification('ide_connected', z.object({ pid: z.number() }));
  const add = defineRequest<{ a: number; b: number }, { sum: number }>('custom/add', {
    type: 'object',
    properties: { a: { type: 'number' }, b: { type: 'number' } },
    required: ['a', 'b'],
  });

  it('notifications are typed, and reach the peer in both directions', async () => {
    const server = makeServer();
    const connected = once<number>((done) => {
      server.onNotification(ideConnected, (params) => {
        expectTypeOf(params).toEqualTypeOf<{ pid: number }>();
        done(params.pid);
      });
    });
    const [session] = await join(server);
    const selected = once<Selection>((done) => session.onNotification(selectionChanged, done));
    session.notify(ideConnected, { pid: 42 });
    expect(await connected).toBe(42);
    server.notifyAll(selectionChanged, { text: 'x', filePath: '/f' });
    expect(await selected).toEqual({ text: 'x', filePath: '/f' });
  });

  it.each([
    'selection_changed',
    'at_mentioned',
    'diagnostics_changed',
    'log_event',
    'ide_connected',
    'notifications/selection_changed',
    'notifications/ide_connected',
    'notifications/tools/list_changed',
  ])('%s travels from server to client and from client to server', async (method) => {
    const server = makeServer();
    const atServer = once((done) => server.onNotification(method, done));
    const [session, serverSession] = await join(server);
    const atClient = once((done) => session.onNotification(method, done));
    serverSession.notify(method, { n: 1 });
    session.notify(method, { n: 2 });
    expect(await atClient).toEqual({ n: 1 });
    expect(await atServer).toEqual({ n: 2 });
  });

  it('notifications travel both ways with a client of 2026-07-28 too', async () => {
    const server = makeServer();
    server.tool({ name: 'one' }, () => '');
    const atServer = once((done) => server.onNotification('ide_connected', done));
    const [session, serverSession] = await join(server, { negotiation: 'discover' });
    expect(serverSession.state).toBe('ready');
    expect(serverSession.clientInfo).toMatchObject({ name: 'tester' });
    const received: string[] = [];
    session.onNotification('selection_changed', () => received.push('selection_changed'));
    const atClient = once((done) => session.onNotification('at_mentioned', done));
    server.notifyAll('selection_changed', { n: 1 });
    server.notifyAll('at_mentioned', { n: 2 });
    session.notify('ide_connected', { pid: 3 });
    expect(await atClient).toEqual({ n: 2 });
    expect(await atServer).toMatchObject({ pid: 3 });
    expect(received).toEqual(['selection_changed']);
  });

  it('requests are typed and checked, in both directions', async () => {
    const server = makeServer();
    server.onRequest(add, ({ a, b }) => ({ sum: a + b }));
    const client = new Client({ name: 'c', version: '1' }, { negotiation: 'initialize' });
    client.onRequest(add, async ({ a, b }) => ({ sum: 10 * (a + b) }));
    const [ours, theirs] = memoryPair();
    const serverSession = server.connect(ours);
    const session = await client.connect(theirs);
    const { sum } = await session.request(add, { a: 1, b: 2 });
    expectTypeOf(sum).toEqualTypeOf<number>();
    expect(sum).toBe(3);
    expect(await serverSession.request(add, { a: 1, b: 2 })).toEqual({ sum: 30 });
    await expect(session.request('custom/add', { a: 1 })).rejects.toMatchObject({
      code: -32602,
      message: 'Invalid params for custom/add: params.b: required but missing',
    });
  });

  it('a notification whose params are wrong, or whose handler fails, is reported, and the session goes on', async () => {
    const errors: string[] = [];
    const server = makeServer({ onError: ({ message }) => errors.push(message) });
    server.onNotification(ideConnected, () => expect.unreachable());
    server.onNotification('broken', () => {
      throw new Error('handler broke');
    });
    server.onNotification('broken', async () => {
      throw new Error('handler broke later');
    });
    const [session] = await join(server);
    session.notify('ide_connected', { pid: 'none' });
    session.notify('broken');
    await session.ping();
    expect(errors.sort()).toEqual([
      'Invalid params for ide_connected: params.pid: Invalid input: expected number, received string',
      'handler broke',
      'handler broke later',
    ]);
  });
});
