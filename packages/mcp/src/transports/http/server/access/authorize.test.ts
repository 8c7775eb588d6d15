import { describe, expect, it } from 'vitest';
import { failOnEscapes } from '../../../../../testing/fail-on-escapes.ts';
import type { RawHttp } from '../../../../../testing/raw-http.ts';
import { initialize, RawSession } from '../../../../../testing/raw-session.ts';
import { type Served, serve, textOf } from '../../../../../testing/serve.ts';
import type { Principal } from '../../../../protocol/origin.ts';
import type { Authorize } from '../../../authorization.ts';

failOnEscapes();

/** Tokens are `name:number`; a user may have many. */
const byToken: Authorize = ({ headers }) => {
  const [, name] = /^Bearer (\w+):\d+$/.exec(String(headers.authorization)) ?? [];
  if (name === undefined) return undefined;
  if (name === 'banned') return { status: 403, wwwAuthenticate: 'Bearer error="insufficient_scope"' };
  return { id: name, scopes: ['read'], plan: 'free' };
};

const as = (token: string) => ({ Authorization: `Bearer ${token}` });

async function serveUsers(): Promise<Served & { readonly seen: (Principal | undefined)[] }> {
  const served = await serve({ authorize: byToken });
  const seen: (Principal | undefined)[] = [];
  served.server.tool({ name: 'who' }, (_args, context) => {
    seen.push(context.principal);
    return context.principal?.id ?? 'none';
  });
  return { ...served, seen };
}

function statelessWho(http: RawHttp, headers: Record<string, string>) {
  const _meta = {
    'io.modelcontextprotocol/protocolVersion': '2026-07-28',
    'io.modelcontextprotocol/clientCapabilities': {},
  };
  const call = { jsonrpc: '2.0', id: 1, method: 'tools/call', params: { name: 'who', _meta } };
  return http.post(call, {
    'MCP-Protocol-Version': '2026-07-28',
    'Mcp-Method': 'tools/call',
    'Mcp-Name': 'who',
    ...headers,
  });
}

describe('a principal', () => {
  it('reaches the handlers of sessions, batches and stateless requests', async () => {
    const { http, seen } = await serveUsers();
    const session = await RawSession.open(http, { headers: as('ada:1'), version: '2025-03-26' });
    const call = (id: number) => ({ jsonrpc: '2.0', id, method: 'tools/call', params: { name: 'who' } });
    expect(textOf(await (await session.post(call(1), as('ada:1'))).json())).toBe('ada');
    expect((await (await session.post([call(2)], as('ada:1'))).json())[0].result.content[0].text).toBe('ada');
    expect(textOf(await (await statelessWho(http, as('bob:1'))).json())).toBe('bob');
    expect(seen).toEqual([
      { id: 'ada', scopes: ['read'], plan: 'free' },
      { id: 'ada', scopes: ['read'], plan: 'free' },
      { id: 'bob', scopes: ['read'], plan: 'free' },
    ]);
  });

  it('owns its sessions and streams: another gets 404 on every method, and the session goes on', async () => {
    const { http, server } = await serveUsers();
    const session = await RawSession.open(http, { headers: as('ada:1') });
    const stream = await http.send('GET', {
      headers: { ...session.headers, Accept: 'text/event-stream', ...as('ada:1') },
    });
    const { id: eventId } = (await stream.block()) ?? {};
    const ping = { jsonrpc: '2.0', id: 1, method: 'ping' };
    const listen = { ...session.headers, Accept: 'text/event-stream' };
    const foreign = [
      await session.post(ping, as('bob:1')),
      await session.post({ jsonrpc: '2.0', method: 'notifications/cancelled', params: { requestId: 1 } }, as('bob:1')),
      await http.send('GET', { headers: { ...listen, ...as('bob:1') } }),
      await http.send('GET', { headers: { ...listen, ...as('bob:1'), 'Last-Event-ID': eventId } }),
      await http.send('DELETE', { headers: { ...session.headers, ...as('bob:1') } }),
    ];
    for (const { status } of foreign) expect(status).toBe(404);
    server.notifyAll('notifications/note', { n: 1 });
    expect(await stream.message()).toMatchObject({ params: { n: 1 } });
    expect((await session.post(ping, as('ada:1'))).status).toBe(200);
  });

  it('keeps its sessions with a refreshed token', async () => {
    const { http } = await serveUsers();
    const session = await RawSession.open(http, { headers: as('ada:1') });
    const listed = await session.post({ jsonrpc: '2.0', id: 1, method: 'tools/list' }, as('ada:2'));
    expect(listed.status).toBe(200);
    const ended = await http.send('DELETE', { headers: { ...session.headers, ...as('ada:3') } });
    expect(ended.status).toBe(204);
  });
});

describe('a refusal', () => {
  it('of undefined is 401 and asks for a bearer token', async () => {
    const { http } = await serveUsers();
    const refused = await http.post(initialize());
    expect(refused.status).toBe(401);
    expect(refused.headers['www-authenticate']).toBe('Bearer');
    expect(await refused.json()).toMatchObject({ error: { message: 'Unauthorized' } });
  });

  it('has the status, the challenge and the message it was given', async () => {
    const { http } = await serveUsers();
    const banned = await http.post(initialize(), as('banned:1'));
    expect(banned.status).toBe(403);
    expect(banned.headers['www-authenticate']).toBe('Bearer error="insufficient_scope"');
    expect(await banned.json()).toMatchObject({ error: { message: 'Forbidden' } });
    const challenge = 'Bearer resource_metadata="https://mcp.example.com/.well-known/oauth-protected-resource"';
    const own = await serve({
      authorize: () => ({ status: 401, wwwAuthenticate: challenge, message: 'The token has expired' }),
    });
    const expired = await own.http.post(initialize());
    expect([expired.status, expired.headers['www-authenticate']]).toEqual([401, challenge]);
    expect(await expired.json()).toMatchObject({ error: { message: 'The token has expired' } });
  });
});

describe('an authorize that returns something else', () => {
  it.each([true, null, 'ada', {}, { id: 5 }])('gets its client 500 and its author an explanation: %j', async (odd) => {
    const errors: Error[] = [];
    const { http } = await serve({
      // biome-ignore lint/suspicious/noExplicitAny: plain JavaScript may return anything
      authorize: () => odd as any,
      onError: (error) => errors.push(error),
    });
    expect((await http.post(initialize())).status).toBe(500);
    expect(errors.map(({ message }) => message)).toEqual([expect.stringContaining('authorize must return')]);
  });
});

describe('a refuseMessage that is asynchronous', () => {
  it.each([
    ['resolves', () => Promise.resolve(undefined), []],
    ['rejects', () => Promise.reject(new Error('no such user')), ['no such user']],
  ] as const)('and %s gets its client 500 and its author an explanation', async (_, refuseMessage, reported) => {
    const errors: string[] = [];
    // biome-ignore lint/suspicious/noExplicitAny: plain JavaScript may return anything
    const authorize = Object.assign(() => ({ id: 'ada' }), { refuseMessage: refuseMessage as any });
    const { http } = await serve({ authorize, onError: ({ message }) => errors.push(message) });
    expect((await http.post(initialize())).status).toBe(500);
    const mistake = 'authorize.refuseMessage must return a refusal or undefined, got a promise';
    expect(new Set(errors)).toEqual(new Set([mistake, ...reported]));
  });
});
