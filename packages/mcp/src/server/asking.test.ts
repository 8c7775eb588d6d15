import { describe, expect, it } from 'vitest';
import { openMemory } from '../../testing/raw-wire.ts';
import { join, makeServer, once } from '../../testing/server-session.ts';
import type { RequestContext } from './context.ts';

const EMPTY_FORM = { type: 'object', properties: { name: { type: 'string' } } } as const;

describe('accepted content', () => {
  const askingServer = (onError?: () => void) => {
    const server = makeServer(onError && { onError });
    server.tool({ name: 'ask' }, async (_args, { elicit }) => {
      const { action, content } = await elicit({ message: 'Who?', requestedSchema: EMPTY_FORM });
      return JSON.stringify({ action, content });
    });
    return server;
  };

  it('that is absent reaches the handler as an empty object, in sessions and without', async () => {
    const server = askingServer();
    const accepted = { action: 'accept' };
    const [session] = await join(server, { elicit: () => accepted as never });
    expect(await session.callTool('ask')).toMatchObject({ content: [{ text: '{"action":"accept","content":{}}' }] });
    const inputResponses = { elicitation: accepted };
    const { result } = await openMemory(server).call('ask', { inputResponses }, { elicitation: {} });
    expect(result.content[0].text).toBe('{"action":"accept","content":{}}');
  });

  // Our client fills in an empty object itself.
  it('of null is refused', async () => {
    const server = askingServer(() => {});
    const accepted = { action: 'accept', content: null };
    const inputResponses = { elicitation: accepted };
    const { error } = await openMemory(server).call('ask', { inputResponses }, { elicitation: {} });
    expect(error).toMatchObject({
      code: -32602,
      message: expect.stringContaining('content: expected object, got null'),
    });
  });
});

describe('a request to a client that never initialized', () => {
  it('is refused at once with what to use instead', async () => {
    const server = makeServer();
    const contexts = once<RequestContext>((done) => {
      server.tool({ name: 'ask' }, (_args, context) => {
        done(context);
        return '';
      });
    });
    await openMemory(server).call('ask', {}, { elicitation: {}, sampling: {}, roots: {} });
    const { session } = await contexts;
    const problem = 'because it uses MCP 2026-07-28. Use context.elicit, context.createMessage or context.listRoots';
    await expect(session.elicit({ message: 'Who?', requestedSchema: EMPTY_FORM })).rejects.toThrow(problem);
    await expect(session.createMessage({ messages: [], maxTokens: 1 })).rejects.toThrow(problem);
    await expect(session.listRoots()).rejects.toThrow(problem);
    await expect(session.ping()).rejects.toThrow(problem);
    await expect(session.request('custom/ask')).rejects.toThrow(problem);
  });

  it('is refused before initialize too', async () => {
    const server = makeServer();
    openMemory(server);
    const [session] = server.sessions;
    await expect(session?.ping()).rejects.toThrow('Cannot send ping: the session is waiting for initialize');
  });
});
