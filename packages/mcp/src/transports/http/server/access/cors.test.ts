import { describe, expect, it } from 'vitest';
import { initialize, RawSession } from '../../../../../testing/raw-session.ts';
import { serve } from '../../../../../testing/serve.ts';

const PAGE = 'https://app.example.com';
const preflight = (origin: string, headers = 'content-type,mcp-session-id') => ({
  headers: { Origin: origin, 'Access-Control-Request-Method': 'POST', 'Access-Control-Request-Headers': headers },
});

describe('cors', () => {
  it('is off by default: pages of other origins get 403, and no response has CORS headers', async () => {
    const { http } = await serve();
    expect((await http.send('OPTIONS', preflight(PAGE))).status).toBe(403);
    const local = await http.send('OPTIONS', preflight('http://localhost:3000'));
    expect(local.status).toBe(405);
    const response = await http.post(initialize(), { Origin: 'http://localhost:3000' });
    expect(Object.keys(response.headers).filter((name) => name.startsWith('access-control'))).toEqual([]);
  });

  it('responds to preflight requests of its origins before authorize is asked', async () => {
    const { http } = await serve({ cors: { origins: [PAGE] }, authorize: () => undefined });
    const asked = 'content-type, authorization, mcp-param-city, x-other';
    const response = await http.send('OPTIONS', preflight(PAGE, asked));
    expect(response.status).toBe(204);
    expect(response.headers).toMatchObject({
      'access-control-allow-origin': PAGE,
      'access-control-allow-methods': 'POST, GET, DELETE',
      'access-control-allow-headers':
        'Content-Type, Accept, Authorization, Mcp-Session-Id, MCP-Protocol-Version, Mcp-Method, Mcp-Name, Last-Event-ID, mcp-param-city',
      'access-control-max-age': '600',
      vary: 'Origin',
    });
    expect((await http.send('OPTIONS', preflight('https://evil.example.com'))).status).toBe(403);
  });

  it('lets its pages read every response, and the session id', async () => {
    const { http } = await serve({ cors: { origins: [PAGE] } });
    const opened = await http.post(initialize(), { Origin: PAGE });
    expect(opened.headers).toMatchObject({
      'access-control-allow-origin': PAGE,
      'access-control-expose-headers': 'Mcp-Session-Id, WWW-Authenticate',
      vary: 'Origin',
    });
    const session = new RawSession(http, { id: opened.sessionId ?? '', version: '2025-11-25' });
    await session.notify('notifications/initialized');
    const refused = await http.send('PUT', { headers: { Origin: PAGE } });
    const stream = await http.send('GET', {
      headers: { ...session.headers, Accept: 'text/event-stream', Origin: PAGE },
    });
    const counting = await session.post(
      { jsonrpc: '2.0', id: 1, method: 'tools/call', params: { name: 'count', _meta: { progressToken: 1 } } },
      { Origin: PAGE },
    );
    for (const { headers } of [refused, stream, counting]) expect(headers['access-control-allow-origin']).toBe(PAGE);
    expect((await http.post(initialize(), { Origin: 'https://evil.example.com' })).status).toBe(403);
  });

  it('with origins: * admits every page', async () => {
    const { http } = await serve({ cors: { origins: '*', maxAge: 5 } });
    const response = await http.send('OPTIONS', preflight('https://anything.example.com'));
    expect([response.status, response.headers['access-control-allow-origin']]).toEqual([204, '*']);
    expect(response.headers['access-control-max-age']).toBe('5');
  });
});
