import { describe, expect, it } from 'vitest';
import { join, makeServer, once } from '../../testing/server-session.ts';
import { Client } from '../client/client.ts';
import type { SessionState } from '../protocol/types.ts';
import { memoryPair } from '../transports/memory/pair.ts';
import type { ServerSession } from './session.ts';

describe('what a server asks of its client', () => {
  it('sampling, elicitation and roots are handled by the client, which declares them', async () => {
    const asked: unknown[] = [];
    const [session, server] = await join(makeServer(), {
      createMessage: (params) => {
        asked.push(params);
        return { role: 'assistant', content: { type: 'text', text: 'Hi' }, model: 'm' };
      },
      elicit: async () => ({ action: 'accept', content: { name: 'Ada' } }),
      roots: () => [{ uri: 'file:///project' }],
    });
    expect(server.clientCapabilities).toEqual({ sampling: {}, elicitation: {}, roots: { listChanged: true } });
    const messages = [{ role: 'user' as const, content: { type: 'text' as const, text: 'Hello' } }];
    expect(await server.createMessage({ messages, maxTokens: 5 })).toMatchObject({ model: 'm' });
    expect(asked).toEqual([{ messages, maxTokens: 5 }]);
    const requestedSchema = { type: 'object', properties: { name: { type: 'string' } }, required: ['name'] };
    expect(await server.elicit({ message: 'Who?', requestedSchema })).toEqual({
      action: 'accept',
      content: { name: 'Ada' },
    });
    expect(await server.listRoots()).toEqual([{ uri: 'file:///project' }]);
    await server.ping();
    const numeric = { type: 'object', properties: { name: { type: 'number' } } };
    await expect(server.elicit({ message: 'Who?', requestedSchema: numeric })).rejects.toThrow(
      "The client's response does not fit: content.name: expected number, got string",
    );
    await session.close();
  });

  it('a client without them is not asked', async () => {
    const [, server] = await join(makeServer());
    await expect(server.listRoots()).rejects.toThrow('tester does not offer roots');
    await expect(server.createMessage({ messages: [], maxTokens: 1 })).rejects.toThrow(
      'tester does not offer sampling',
    );
    await expect(server.request('sampling/createMessage', {})).rejects.toMatchObject({ code: -32601 });
  });

  it('a change of the roots is announced to the server', async () => {
    const server = makeServer();
    const changed = once<ServerSession | undefined>((done) => {
      server.onNotification('notifications/roots/list_changed', (_params, session) => done(session));
    });
    const client = new Client({ name: 'c', version: '1' }, { negotiation: 'initialize', roots: () => [] });
    const [ours, theirs] = memoryPair();
    const serverSession = server.connect(ours);
    await client.connect(theirs);
    client.rootsChanged();
    expect(await changed).toBe(serverSession);
  });
});

describe('sessions', () => {
  it('a session goes from waiting to initializing to ready to closed, and says so', async () => {
    const seen: SessionState[] = [];
    const server = makeServer({ onState: (_session, state) => seen.push(state) });
    const [session, serverSession] = await join(server);
    const received: SessionState[] = [];
    serverSession.onStateChange((state) => received.push(state));
    expect(serverSession.state).toBe('ready');
    expect(serverSession.clientInfo).toEqual({ name: 'tester', version: '0' });
    expect(serverSession.protocolVersion).toBe('2025-11-25');
    expect(server.sessions.size).toBe(1);
    await session.close('bye');
    expect((await serverSession.closed).message).toContain('bye');
    expect(seen).toEqual(['waiting', 'initializing', 'ready', 'closed']);
    expect(received).toEqual(['closed']);
    expect(server.sessions.size).toBe(0);
    expect(session.state).toBe('closed');
  });

  it('many sessions share one server and each keeps its own client', async () => {
    const server = makeServer();
    server.tool({ name: 'who' }, (_args, { session }) => session.clientInfo?.name ?? '?');
    const names = ['a', 'b', 'c'];
    const sessions = await Promise.all(
      names.map((name) => {
        const [ours, theirs] = memoryPair();
        server.connect(ours);
        return new Client({ name, version: '1' }, { negotiation: 'initialize' }).connect(theirs);
      }),
    );
    const responses = await Promise.all(sessions.map((session) => session.callTool('who')));
    expect(responses).toMatchObject(names.map((text) => ({ content: [{ text }] })));
    await server.close();
    await Promise.all(sessions.map((session) => session.closed));
    expect(server.sessions.size).toBe(0);
  });

  it('a notification before the client is ready is refused to the sender, and the others go without it', async () => {
    const server = makeServer();
    const [ours] = memoryPair();
    const waiting = server.connect(ours);
    expect(() => waiting.notify('selection_changed', {})).toThrow('the session is waiting, not ready');
    server.notifyAll('selection_changed', {});
  });
});
