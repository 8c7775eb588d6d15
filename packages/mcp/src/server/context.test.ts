import { describe, expect, it } from 'vitest';
import { openMemory, request } from '../../testing/raw-wire.ts';
import { join, makeServer, once } from '../../testing/server-session.ts';
import type { RequestContext } from './context.ts';

describe('the context', () => {
  it('can be destructured, every member of it, in a session and without', async () => {
    const server = makeServer({ capabilities: { logging: {} }, tasks: {} });
    server.tool({ name: 'all' }, async (_args, context) => {
      const { progress, log, notify, elicit, createMessage, listRoots, task, questions } = context;
      const { releaseStream, drained, signal, onCancelled, requestId, meta, clientInfo, clientCapabilities } = context;
      progress(1, 2, 'half');
      log('error', 'logged');
      notify('custom', { n: 1 });
      const { ask, elicit: askUser } = questions;
      const requestedSchema = { type: 'object', properties: {} } as const;
      const responses = [
        await elicit({ message: 'One?', requestedSchema }),
        await askUser({ message: 'Two?', requestedSchema }),
        await createMessage({ messages: [], maxTokens: 1 }),
        await listRoots(),
        await ask({ three: { method: 'roots/list' } }),
      ];
      releaseStream();
      await drained();
      onCancelled(() => {})();
      const known = [signal.aborted, typeof requestId, meta?.progressToken, clientInfo?.name, clientCapabilities.roots];
      return task(() => JSON.stringify({ responses: responses.length, known }));
    });
    const client = {
      elicit: () => ({ action: 'accept' as const, content: {} }),
      createMessage: () => ({ role: 'assistant' as const, content: { type: 'text' as const, text: '' }, model: 'm' }),
      roots: () => [],
    };
    for (const negotiation of ['initialize', 'discover'] as const) {
      const [session] = await join(server, { negotiation, ...client });
      const received: unknown[] = [];
      session.onNotification('custom', (params) => received.push(params));
      const progress: unknown[] = [];
      const { content } = await session.callTool('all', {}, { onProgress: (each) => progress.push(each) });
      expect(JSON.parse((content[0] as { text: string }).text)).toEqual({
        responses: 5,
        known: [false, expect.any(String), expect.anything(), 'tester', expect.anything()],
      });
      expect(progress[0]).toEqual({ progress: 1, total: 2, message: 'half' });
      expect(received[0]).toMatchObject({ n: 1 });
      await session.close();
    }
  });

  it('has no members that need their object: each function works alone', async () => {
    const server = makeServer({ capabilities: { logging: {} } });
    const contexts = once<RequestContext>((done) => {
      server.tool({ name: 'one' }, (_args, context) => {
        done(context);
        return '';
      });
    });
    const [session] = await join(server);
    await session.callTool('one');
    const context = await contexts;
    const names = Object.entries(Object.getOwnPropertyDescriptors(Object.getPrototypeOf(context)));
    const methods = names.filter(([, { value }]) => typeof value === 'function').map(([name]) => name);
    expect(methods).toEqual(['constructor', 'isOf', 'reportFailure']); // the last two are for the server
  });
});

describe('callbacks that throw', () => {
  const boom = (where: string) => () => {
    throw new Error(`${where} broke`);
  };

  it('in onState and onStateChange are reported, and the session goes on', async () => {
    const reported: string[] = [];
    const server = makeServer({
      onState: boom('onState'),
      onError: ({ message }, { what, session }) => reported.push(`${what}: ${message} (${session?.state})`),
    });
    server.tool({ name: 'one' }, () => 'fine');
    const [session, serverSession] = await join(server);
    const states: string[] = [];
    serverSession.onStateChange(boom('listener'));
    serverSession.onStateChange((state) => states.push(state));
    expect(await session.callTool('one')).toMatchObject({ content: [{ text: 'fine' }] });
    await session.close();
    await serverSession.closed;
    expect(states).toEqual(['closed']);
    expect(server.sessions.size).toBe(0);
    expect(reported).toEqual([
      'onState: onState broke (waiting)',
      'onState: onState broke (initializing)',
      'onState: onState broke (ready)',
      'onState: onState broke (closed)',
      'a listener of onStateChange: listener broke (closed)',
    ]);
  });

  it('in listeners of a signal are reported, and do not end the process', async () => {
    const reported: string[] = [];
    const server = makeServer({ onError: ({ message }, { what }) => reported.push(`${what}: ${message}`) });
    const done = once<void>((finish) => {
      server.tool({ name: 'slow' }, (_args, { signal }) => {
        const removed = boom('removed');
        signal.addEventListener('abort', boom('listener'));
        signal.addEventListener('abort', async () => boom('async listener')(), { once: true });
        signal.addEventListener('abort', { handleEvent: boom('object') });
        signal.addEventListener('abort', removed);
        signal.removeEventListener('abort', removed);
        signal.onabort = boom('onabort');
        signal.addEventListener('abort', null as never);
        signal.addEventListener('abort', undefined as never);
        return new Promise(() => signal.addEventListener('abort', () => setTimeout(finish, 0)));
      });
    });
    const wire = openMemory(server);
    await wire.initialize();
    const call = request('tools/call', { name: 'slow' });
    wire.send(call);
    await wire.responseTo(request('ping'));
    wire.send({ jsonrpc: '2.0', method: 'notifications/cancelled', params: { requestId: call.id } });
    await done;
    expect(reported.sort()).toEqual([
      'abort listener of a handler: async listener broke',
      'abort listener of a handler: listener broke',
      'abort listener of a handler: object broke',
      'abort listener of a handler: onabort broke',
    ]);
  });

  it('in listeners of onCancelled are reported; the others get the reason, and those that were removed are not called', async () => {
    const reported: string[] = [];
    const called: string[] = [];
    const server = makeServer({ onError: ({ message }, { what }) => reported.push(`${what}: ${message}`) });
    const done = once<void>((finish) => {
      server.tool({ name: 'slow' }, (_args, { onCancelled, signal }) => {
        onCancelled(boom('listener'));
        onCancelled(async () => boom('async listener')());
        onCancelled(({ message }) => called.push(message));
        const remove = onCancelled(() => called.push('removed'));
        remove();
        remove();
        return new Promise(() =>
          signal.addEventListener('abort', () => {
            onCancelled(({ message }) => called.push(`late: ${message}`));
            setTimeout(finish, 0);
          }),
        );
      });
    });
    const wire = openMemory(server);
    await wire.initialize();
    const call = request('tools/call', { name: 'slow' });
    wire.send(call);
    await wire.responseTo(request('ping'));
    const cancelled = { jsonrpc: '2.0', method: 'notifications/cancelled', params: { requestId: call.id } };
    wire.send(cancelled);
    wire.send(cancelled);
    await done;
    expect(called).toEqual([expect.stringMatching(/cancelled/i), expect.stringMatching(/^late: .*cancelled/i)]);
    expect(reported).toEqual([
      'listener of onCancelled: listener broke',
      'listener of onCancelled: async listener broke',
    ]);
  });

  it('in onError itself do no harm', async () => {
    const server = makeServer({ onError: boom('onError') });
    server.tool({ name: 'bad' }, boom('tool'));
    const [session] = await join(server);
    expect(await session.callTool('bad')).toMatchObject({ isError: true });
    await session.ping();
  });
});
