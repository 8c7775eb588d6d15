import { describe, expect, it } from 'vitest';
import { as, callTool, METADATA_URL, openIssuer, request, serveBearers } from '../../../testing/bearer-server.ts';
import { initialize, RawSession } from '../../../testing/raw-session.ts';
import { listenWebSocket } from '../../transports/websocket/listen.ts';
import { requireBearer } from './require-bearer.ts';

const issuer = await openIssuer();

const challenge = (missing: string, scope: string) =>
  `Bearer error="insufficient_scope", error_description="The token lacks the scope ${missing}", scope="${scope}", ` +
  `resource_metadata="${METADATA_URL}"`;

describe('a scope that every request needs', () => {
  it('is asked for with 403 before a message is read', async () => {
    const { http } = await serveBearers(issuer, { scopes: ['notes', 'add'] });
    const response = await http.post('not even JSON', as(await issuer.token('ada', { scope: 'notes' })));
    expect([response.status, response.headers['www-authenticate']]).toEqual([403, challenge('add', 'notes add')]);
  });

  it('is not needed when there is none', async () => {
    const { http } = await serveBearers(issuer, { scopes: [] });
    const missing = await http.post(initialize());
    expect(missing.headers['www-authenticate']).toBe(`Bearer resource_metadata="${METADATA_URL}"`);
    expect((await callTool(http, await issuer.sign({ scope: undefined }), 'who')).status).toBe(200);
  });
});

describe('a scope that a tool or method needs', () => {
  const options = {
    scopes: ['notes'],
    toolScopes: { who: ['notes:write'] },
    methodScopes: { 'resources/read': ['add'], 'notifications/cancelled': ['add'] },
  };

  it('is asked for with 403, with the scopes that the client has, and the larger token is accepted', async () => {
    const { http } = await serveBearers(issuer, options);
    const small = await issuer.token('ada', { scope: 'notes add' });
    const refused = await callTool(http, small, 'who');
    expect([refused.status, refused.headers['www-authenticate']]).toEqual([
      403,
      challenge('notes:write', 'notes add notes:write'),
    ]);
    expect(await refused.json()).toMatchObject({
      id: 1,
      error: { message: 'The token lacks the scope notes:write' },
    });
    expect((await callTool(http, small, 'echo')).status).toBe(200);
    const large = await issuer.token('ada', { scope: 'notes notes:write' });
    expect((await callTool(http, large, 'who')).status).toBe(200);
    expect((await request(http, large, 'resources/read', { uri: 'test://watched' })).status).toBe(403);
  });

  it('is asked for in sessions, in batches and for notifications, and the rest of a batch is not handled', async () => {
    const { http, calls } = await serveBearers(issuer, options);
    const token = await issuer.token('ada');
    const session = await RawSession.open(http, { headers: as(token), version: '2025-03-26' });
    const call = (id: number, name: string) => ({ jsonrpc: '2.0', id, method: 'tools/call', params: { name } });
    expect((await session.post(call(1, 'who'), as(token))).status).toBe(403);
    expect((await session.post([call(2, 'held'), call(3, 'who')], as(token))).status).toBe(403);
    expect(calls.rest).toEqual([]);
    const cancel = { jsonrpc: '2.0', method: 'notifications/cancelled', params: { requestId: 1 } };
    expect((await session.post(cancel, as(token))).status).toBe(403);
    expect((await session.post(call(4, 'echo'), as(token))).status).toBe(200);
  });

  it('is not taken from the prototype of the table', async () => {
    const { http } = await serveBearers(issuer, options);
    const token = await issuer.token('ada');
    for (const name of ['constructor', '__proto__', 'toString']) {
      expect(await (await callTool(http, token, name)).json()).toMatchObject({
        error: { message: expect.stringContaining('Unknown tool') },
      });
    }
  });

  it('needs HTTP: a WebSocket listener says so instead of forgetting it', async () => {
    const authorize = requireBearer({ issuer: issuer.issuer, audience: 'https://mcp.example.com/mcp', ...options });
    await expect(listenWebSocket({ accept: () => {}, authorize })).rejects.toThrow('refuseMessage needs HTTP');
  });
});
