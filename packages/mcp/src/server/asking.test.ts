import { describe, expect, it } from 'vitest';
import { openMemory } from '../../testing/raw-wire.ts';
import { join, makeServer, once } from '../../testing/server-session.ts';
import type { RequestContext } from './context.ts';

const EMPTY_FORM = { type: 'object', properties: { name: { type: 'string' } } } as const;

describe('accepted content', () => {
  it('of null or absent reaches the handler as an empty object, in sessions and without', async () => {
    for (const content of [null, undefined]) {
      const answer = { action: 'accept', content };
      const server = makeServer();
      server.tool({ name: 'ask' }, async (_args, { elicit }) => {
        const { action, content: got } = await elicit({ message: 'Who?', requestedSchema: EMPTY_FORM });
        return JSON.stringify({ action, content: got });
      });
      const [session] = await join(server, { elicit: () => answer as never });
      expect(await session.callTool('ask')).toMatchObject({ content: [{ text: '{"action":"accept","content":{}}' }] });
      const inputResponses = { elicitation: answer };
      const { result } = await openMemory(server).call('ask', { inputResponses }, { elicitation: {} });
      expect(result.content[0].text).toBe('{"action":"accept","content":{}}');
    }
  });

  it('of null is refused where the schema requires a member', async () => {
    const server = makeServer({ onError: () => {} });
    const requestedSchema = { ...EMPTY_FORM, required: ['name'] } as const;
    server.tool({ name: 'ask' }, async (_args, { elicit }) => {
      await elicit({ message: 'Who?', requestedSchema });
      return 'asked';
    });
    const [session] = await join(server, { elicit: () => ({ action: 'accept', content: null }) as never });
    expect(await session.callTool('ask')).toMatchObject({
      isError: true,
      content: [{ text: "The client's answer does not fit: content.name: required but missing" }],
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
