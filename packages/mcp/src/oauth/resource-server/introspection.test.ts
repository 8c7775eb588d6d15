import { describe, expect, it } from 'vitest';
import { secretOf } from '../../../testing/authorization-server.ts';
import { callTool, logOf, openIssuer, serveBearers } from '../../../testing/bearer-server.ts';
import { textOf } from '../../../testing/serve.ts';

const issuer = await openIssuer('opaque');
const introspection = { clientId: 'resource-server', clientSecret: secretOf('resource-server') };

describe('with introspection', () => {
  it('the bearer of an opaque token is whom the issuer says', async () => {
    const { http } = await serveBearers(issuer, { introspection });
    const token = await issuer.token('ada');
    const principal = JSON.parse(textOf(await (await callTool(http, token, 'who')).json()) ?? '');
    expect(principal).toMatchObject({ id: `${issuer.issuer}#client_id=ada`, scopes: ['notes'] });
  });

  it('a revoked token is refused from then on', async () => {
    const { http } = await serveBearers(issuer, { introspection });
    const token = await issuer.token('ada');
    expect((await callTool(http, token, 'who')).status).toBe(200);
    await issuer.revoke('ada', token);
    const refused = await callTool(http, token, 'who');
    expect(refused.status).toBe(401);
    expect(refused.headers['www-authenticate']).toContain(
      'error_description="The token has expired, was revoked, or is unknown to the issuer"',
    );
  });

  it('a token for another audience, or without the scope, is refused', async () => {
    const { http } = await serveBearers(issuer, { introspection });
    const elsewhere = await callTool(http, await issuer.token('ada', { resource: 'https://other.example.com' }), 'who');
    expect([elsewhere.status, elsewhere.headers['www-authenticate']]).toEqual([
      401,
      expect.stringContaining('another audience'),
    ]);
    expect((await callTool(http, await issuer.token('ada', { scope: 'add' }), 'who')).status).toBe(403);
  });

  it.each([
    [{ active: 'true' }, 'unknown to the issuer'],
    [{ aud: undefined }, 'another audience'],
    [{ iss: 'https://other.example.com' }, 'another issuer'],
    [{ token_type: 'DPoP' }, 'not a bearer token'],
    [{ cnf: { jkt: 'x' } }, 'bound to a key'],
    [{ exp: 1 }, 'expired'],
    [{ nbf: 9e9 }, 'not valid yet'],
    [{ sub: undefined }, 'no subject'],
  ])('the response %j is refused', async (change, problem) => {
    const valid = { active: true, aud: ['https://mcp.example.com/mcp'], sub: 'ada', scope: 'notes' };
    let response: object = valid;
    const { http } = await serveBearers(issuer, {
      introspection: { ...introspection, endpoint: 'https://login.example.com/introspect' },
      fetch: async () => Response.json(response),
    });
    expect((await callTool(http, 'opaque', 'who')).status).toBe(200);
    response = { ...valid, ...change };
    const refused = await callTool(http, 'opaque', 'who');
    expect([refused.status, refused.headers['www-authenticate']]).toEqual([401, expect.stringContaining(problem)]);
  });

  it('a secret that the issuer does not accept means 503, and is reported without the secret and the token', async () => {
    const wrong = { ...introspection, clientSecret: 'the wrong one' };
    const { http, errors } = await serveBearers(issuer, { introspection: wrong });
    const token = await issuer.token('ada');
    const response = await callTool(http, token, 'who');
    expect(response.status).toBe(503);
    const log = logOf(errors);
    expect(log).toContain('/token/introspection responded with HTTP 401');
    for (const text of [log, await response.text()]) {
      expect(text).not.toContain(token);
      expect(text).not.toContain('the wrong one');
    }
  });

  it('an issuer that repeats the token in a broken response does not bring it into a log', async () => {
    const { http, errors } = await serveBearers(issuer, {
      introspection: { ...introspection, endpoint: 'https://login.example.com/introspect' },
      fetch: async (_url, options) => new Response(`what is ${options?.body}?`),
    });
    const response = await callTool(http, 'opaque-token', 'who');
    expect(response.status).toBe(503);
    expect(logOf(errors)).toContain('did not respond with a JSON object');
    expect(logOf(errors) + (await response.text())).not.toContain('opaque-token');
  });
});
