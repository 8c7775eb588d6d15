import { describe, expect, it } from 'vitest';
import type { RawHttp } from '../../../../testing/raw-http.ts';
import { initialize } from '../../../../testing/raw-session.ts';
import { serve, textOf } from '../../../../testing/serve.ts';
import { Client } from '../../../client/client.ts';
import { connectHttp } from '../client/connect.ts';

const serveSessionless = () => serve({ sessions: 'none' });
const call = (http: RawHttp, name: string, headers: Record<string, string> = {}, _meta: object = {}) =>
  http.post({ jsonrpc: '2.0', id: 1, method: 'tools/call', params: { name, arguments: { a: 1 }, _meta } }, headers);

describe('with sessions: none', () => {
  it('initialize gets a result without a session id, and every request without one', async () => {
    const { http, server } = await serveSessionless();
    const opened = await http.post(initialize());
    expect(opened.sessionId).toBeUndefined();
    expect(await opened.json()).toMatchObject({ result: { protocolVersion: '2025-11-25' } });
    expect((await http.post({ jsonrpc: '2.0', method: 'notifications/initialized' })).status).toBe(202);
    expect(textOf(await (await call(http, 'echo')).json())).toBe('{"a":1}');
    expect(textOf(await (await call(http, 'echo', { 'Mcp-Session-Id': 'any' })).json())).toBe('{"a":1}');
    expect(server.sessions.size).toBe(0);
  });

  it('the header decides the revision', async () => {
    const { http } = await serveSessionless();
    const batch = [{ jsonrpc: '2.0', id: 1, method: 'ping' }];
    expect(await (await http.post(batch)).json()).toEqual([{ jsonrpc: '2.0', id: 1, result: {} }]);
    expect((await http.post(batch, { 'MCP-Protocol-Version': '2025-06-18' })).status).toBe(400);
    expect((await call(http, 'echo', { 'MCP-Protocol-Version': '1999-01-01' })).status).toBe(400);
  });

  it('progress comes before the response, and questions to the client fail at once', async () => {
    const { http, server } = await serveSessionless();
    const counting = await call(http, 'count', {}, { progressToken: 1 });
    expect((await counting.messages()).map(({ method }) => method)).toEqual([
      'notifications/progress',
      'notifications/progress',
      'notifications/progress',
      'notifications/message',
      undefined,
    ]);
    expect(await (await call(http, 'ask')).json()).toMatchObject({ result: { isError: true } });
    expect(server.sessions.size).toBe(0);
  });

  it('what needs a session is neither declared nor accepted', async () => {
    const { http } = await serveSessionless();
    const opened = await (await http.post(initialize())).outcome();
    expect(opened.result.capabilities).toEqual({ logging: {}, tools: {}, resources: {} });
    for (const [method, params] of [
      ['resources/subscribe', { uri: 'test://watched' }],
      ['resources/unsubscribe', { uri: 'test://watched' }],
    ] as const) {
      const response = await http.post(
        { jsonrpc: '2.0', id: 1, method, params },
        { 'MCP-Protocol-Version': '2025-11-25' },
      );
      expect(await response.outcome()).toMatchObject({
        error: { code: -32601, message: `Method not found: ${method} needs a session, and this server keeps none` },
      });
    }
  });

  it('there are no streams and no sessions to delete', async () => {
    const { http } = await serveSessionless();
    for (const method of ['GET', 'DELETE']) {
      const headers = { 'Mcp-Session-Id': 'any', Accept: 'text/event-stream' };
      expect((await http.send(method, { headers })).status).toBe(405);
    }
  });

  it('a request whose client goes away is aborted', async () => {
    const { http, calls, until } = await serveSessionless();
    const pending = call(http, 'held', {}, { progressToken: 1 });
    const { context } = await calls.take();
    context.progress(1);
    await (await pending).break();
    await until((sessions) => sessions.size === 0);
    expect(context.signal.aborted).toBe(true);
  });

  it('stateless requests are served as ever, and our client of either kind gets its responses', async () => {
    const { listener } = await serveSessionless();
    for (const negotiation of ['initialize', 'auto'] as const) {
      const session = await new Client({ name: 'c', version: '1' }, { negotiation }).connect(connectHttp(listener.url));
      expect(await session.callTool('echo', { a: 2 })).toMatchObject({ content: [{ text: '{"a":2}' }] });
      await session.close();
    }
  });
});
