import { describe, expect, it } from 'vitest';
import { Client } from '../client.ts';
import { connectHttp, serveHttp } from '../http.ts';
import { Prepared } from '../jsonrpc/codec.ts';
import { describeConnection } from '../jsonrpc/connection.contract.ts';
import type { Outgoing } from '../jsonrpc/connection.ts';
import type { Message } from '../jsonrpc/message.ts';
import { ObservedConnection } from '../jsonrpc/observed-connection.ts';
import { memoryPair } from '../transports/memory/pair.ts';
import { Server } from './server.ts';
import type { ServerSession } from './session.ts';

describeConnection('an observed connection', async () => {
  const [left, right] = memoryPair({ copy: 'json' });
  const observed = new ObservedConnection(left, () => {});
  observed.observe({ received: () => {}, sent: () => {} });
  return { left: observed, right, dispose: () => left.close() };
});

describe('the observe option of a server', () => {
  const identity = { name: 'test', version: '1' };
  type Seen = readonly ['received' | 'sent', string, string];
  const wordOf = (message: Message) => message.method ?? `response ${message.id}`;

  const observedServer = (seen: Seen[]) => {
    const server = new Server(identity, {
      observe: (session) => {
        const who = () => (session === undefined ? 'no session' : (session.clientInfo?.name ?? 'unknown'));
        const sent = (message: Outgoing) => seen.push(['sent', who(), wordOf(message as Message)]);
        return { received: (message) => seen.push(['received', who(), wordOf(message)]), sent };
      },
    });
    server.tool({ name: 'hello', inputSchema: { type: 'object' } }, () => 'hello');
    return server;
  };

  it('shows every message of a session in both directions, in order', async () => {
    const seen: Seen[] = [];
    const server = observedServer(seen);
    const [ours, theirs] = memoryPair({ copy: 'json' });
    server.connect(ours);
    const session = await new Client({ name: 'c', version: '1' }, { negotiation: 'initialize' }).connect(theirs);
    await session.callTool('hello', {});
    expect(seen).toEqual([
      ['received', 'unknown', 'initialize'],
      ['sent', 'c', 'response 1'],
      ['received', 'c', 'notifications/initialized'],
      ['received', 'c', 'tools/call'],
      ['sent', 'c', 'response 2'],
    ]);
    await server.close();
  });

  it('shows stateless requests over HTTP', async () => {
    const seen: Seen[] = [];
    const listener = await serveHttp(observedServer(seen), { port: 0 });
    const session = await new Client({ name: 'c', version: '1' }, { negotiation: 'discover' }).connect(
      connectHttp(listener.url),
    );
    await session.callTool('hello', {});
    expect(seen.map(([direction, who, word]) => `${direction} ${who} ${word.replace(/\d+/, 'n')}`)).toEqual(
      expect.arrayContaining(['received no session tools/call', 'sent no session response n']),
    );
    await session.close();
    await listener.close();
  });

  it('an observer that throws is reported, and the message is handled', async () => {
    const reported: string[] = [];
    const fail = () => {
      throw new Error('observer failed');
    };
    const server = new Server(identity, {
      observe: () => ({ received: fail, sent: fail }),
      onError: (error, { what }) => reported.push(`${what}: ${error.message}`),
    });
    const [ours, theirs] = memoryPair();
    server.connect(ours);
    const session = await new Client({ name: 'c', version: '1' }).connect(theirs);
    await session.ping();
    expect(new Set(reported)).toEqual(new Set(['observe: observer failed']));
    await server.close();
  });

  it('an observer that cannot be made is reported, and the session works', async () => {
    const reported: (ServerSession | undefined)[] = [];
    const server = new Server(identity, {
      observe: () => {
        throw new Error('none');
      },
      onError: (_error, { session }) => reported.push(session),
    });
    const [ours, theirs] = memoryPair();
    const session = server.connect(ours);
    const client = await new Client({ name: 'c', version: '1' }).connect(theirs);
    await client.ping();
    expect(reported).toEqual([session]);
    await server.close();
  });

  it('a list that is kept as JSON is shown as Prepared', async () => {
    const results: unknown[] = [];
    const server = new Server(identity, {
      observe: () => ({
        received: () => {},
        sent: (message) => results.push((message as { result?: unknown }).result),
      }),
    });
    server.tool({ name: 'hello', inputSchema: { type: 'object' } }, () => 'hello');
    const [ours, theirs] = memoryPair({ copy: 'json' });
    server.connect(ours);
    const client = await new Client({ name: 'c', version: '1' }).connect(theirs);
    await client.listTools();
    expect(results.at(-1)).toBeInstanceOf(Prepared);
    await server.close();
  });
});
