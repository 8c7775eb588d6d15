import { createHmac, createPublicKey, type JsonWebKey } from 'node:crypto';
import { generateKeyPair, SignJWT } from 'jose';
import { afterEach, describe, expect, it, vi } from 'vitest';
import { type AuthorizationServer, RESOURCE } from '../../../testing/authorization-server.ts';
import { as, callTool, logOf, METADATA_URL, openIssuer, serveBearers } from '../../../testing/bearer-server.ts';
import { RawHttp } from '../../../testing/raw-http.ts';
import { initialize } from '../../../testing/raw-session.ts';
import { textOf } from '../../../testing/serve.ts';
import { requireBearer } from './require-bearer.ts';

const issuer = await openIssuer();
const other = await openIssuer();

afterEach(() => {
  vi.useRealTimers();
});

const MISSING = `Bearer scope="notes", resource_metadata="${METADATA_URL}"`;
const invalid = (problem: string) =>
  `Bearer error="invalid_token", error_description="${problem}", scope="notes", resource_metadata="${METADATA_URL}"`;
const base64 = (value: object) => Buffer.from(JSON.stringify(value)).toString('base64url');
const seconds = (fromNow: number) => Math.floor(Date.now() / 1000) + fromNow;

describe('a token whose header has a type that is not a text', () => {
  it('is refused as invalid', async () => {
    const { http, errors } = await serveBearers(issuer);
    const response = await callTool(http, await issuer.sign({}, { typ: 5 }), 'who');
    expect(response.status).toBe(401);
    expect(response.headers['www-authenticate']).toBe(invalid('The JWT is not an access token'));
    expect(errors).toEqual([]);
  });
});

describe('a valid token', () => {
  it('makes its bearer the principal: issuer and subject, scopes and claims, without the token', async () => {
    const { http } = await serveBearers(issuer);
    const token = await issuer.token('ada', { scope: 'notes notes:write' });
    const principal = textOf(await (await callTool(http, token, 'who')).json()) ?? '';
    expect(JSON.parse(principal)).toMatchObject({
      id: `${issuer.issuer}#sub=ada`,
      scopes: ['notes', 'notes:write'],
      claims: { sub: 'ada', client_id: 'ada', aud: RESOURCE },
    });
    expect(principal).not.toContain(token);
  });

  it('of any spelling of the scheme and of scopes is accepted, and clocks may differ by 30 s', async () => {
    const { http } = await serveBearers(issuer);
    const tokens = [
      await issuer.sign({ scope: undefined, scp: ['notes'] }),
      await issuer.sign({ scope: undefined, scp: 'other notes' }),
      await issuer.sign({ aud: ['https://other.example.com', RESOURCE] }),
      await issuer.sign({ exp: seconds(-20) }),
      await issuer.sign({ nbf: seconds(20) }),
    ];
    for (const token of tokens) expect((await callTool(http, token, 'who')).status).toBe(200);
    const lower = await http.post(initialize(), { Authorization: `bearer  ${tokens[0]}` });
    expect(lower.status).toBe(200);
  });

  it('without a subject belongs to its client, which no subject can be mistaken for', async () => {
    const { http } = await serveBearers(issuer);
    const idOf = async (claims: Record<string, unknown>) =>
      JSON.parse(textOf(await (await callTool(http, await issuer.sign(claims), 'who')).json()) ?? '').id;
    expect(await idOf({ sub: undefined, client_id: 'robot' })).toBe(`${issuer.issuer}#client_id=robot`);
    expect(await idOf({ sub: '#client_id=robot' })).toBe(`${issuer.issuer}#sub=#client_id=robot`);
  });

  it('costs no question to the issuer once the keys are known', async () => {
    const { http } = await serveBearers(issuer);
    const token = await issuer.token('ada');
    await Promise.all([1, 2, 3].map(() => callTool(http, token, 'who')));
    const asked = issuer.requests.length;
    await callTool(http, token, 'who');
    expect(issuer.requests).toHaveLength(asked);
  });
});

async function publicKeyOf(url: string): Promise<JsonWebKey & { readonly kid: string }> {
  const { keys } = (await (await fetch(`${url}/jwks`)).json()) as { keys: [JsonWebKey & { readonly kid: string }] };
  return keys[0];
}

/** Signed with the public key as the secret of a MAC: accepted by programs that take the algorithm from the token. */
async function confused({ issuer: iss }: AuthorizationServer): Promise<string> {
  const key = await publicKeyOf(iss);
  const claims = { iss, aud: RESOURCE, sub: 'ada', scope: 'notes', exp: seconds(60) };
  const text = `${base64({ alg: 'HS256', kid: key.kid })}.${base64(claims)}`;
  const secret = createPublicKey({ key, format: 'jwk' }).export({ type: 'spki', format: 'pem' });
  return `${text}.${createHmac('sha256', secret).update(text).digest('base64url')}`;
}

async function forged({ issuer: iss }: AuthorizationServer): Promise<string> {
  const { kid } = await publicKeyOf(iss);
  const { privateKey } = await generateKeyPair('ES256');
  return new SignJWT({ iss, aud: RESOURCE, sub: 'ada', scope: 'notes', exp: seconds(60) })
    .setProtectedHeader({ alg: 'ES256', kid })
    .sign(privateKey);
}

function unsigned({ issuer: iss }: AuthorizationServer): string {
  const claims = { iss, aud: RESOURCE, sub: 'ada', scope: 'notes', exp: seconds(60) };
  return `${base64({ alg: 'none' })}.${base64(claims)}.`;
}

describe('a token is refused with 401 and the reason', () => {
  it.each<[string, () => string | Promise<string>, string]>([
    [
      'for another audience',
      () => issuer.token('ada', { resource: 'https://other.example.com/mcp' }),
      'The token is for another audience',
    ],
    [
      'for an audience with a longer URL',
      () => issuer.sign({ aud: `${RESOURCE}/x` }),
      'The token is for another audience',
    ],
    ['without an audience', () => issuer.sign({ aud: undefined }), 'The token lacks the claim aud'],
    ['that has expired', () => issuer.sign({ exp: seconds(-60) }), 'The token has expired'],
    ['that never expires', () => issuer.sign({ exp: undefined }), 'The token lacks the claim exp'],
    ['of the future', () => issuer.sign({ nbf: seconds(60) }), 'The token is not valid yet'],
    ['that names another issuer', () => issuer.sign({ iss: other.issuer }), 'The token is of another issuer'],
    ['of another issuer', () => other.token('ada'), 'The token is signed with a key that the issuer does not list'],
    ['with alg none', () => unsigned(issuer), 'The token is signed with an algorithm that is not accepted'],
    ['with a MAC', () => confused(issuer), 'The token is signed with an algorithm that is not accepted'],
    ['with a forged signature', () => forged(issuer), 'The signature of the token is wrong'],
    ['without a subject', () => issuer.sign({ sub: undefined }), 'The token has no subject'],
    [
      'that is bound to a key',
      () => issuer.sign({ cnf: { jkt: 'x' } }),
      'The token is bound to a key, so it is not a bearer token',
    ],
    ['of another type', () => issuer.sign({}, { typ: 'logout+jwt' }), 'The JWT is not an access token'],
    ['that is opaque', () => 'b3BhcXVl', 'The token is not a signed JWT'],
    ['that is huge', () => 'a'.repeat(20_000), 'The token is longer than the limit of 16384 characters'],
  ])('%s', async (_name, make, problem) => {
    const token = await make();
    const authorize = requireBearer({ issuer: issuer.issuer, audience: RESOURCE, scopes: ['notes'] });
    const refusal = await authorize({ method: 'POST', headers: { authorization: `Bearer ${token}` } });
    expect(refusal).toEqual({ status: 401, message: problem, wwwAuthenticate: invalid(problem) });
    // Node does not accept a header of that size.
    if (token.length > 16_000) return;
    const { http } = await serveBearers(issuer);
    const response = await http.post(initialize(), as(token));
    expect([response.status, response.headers['www-authenticate']]).toEqual([401, invalid(problem)]);
    const text = await response.text();
    expect(JSON.parse(text)).toMatchObject({ error: { message: problem } });
    expect(text).not.toContain(token);
  });

  const MALFORMED = 'The Authorization header must be: Bearer, a space, and the token';
  it.each<[string | undefined, string]>([
    [undefined, MISSING],
    ['', MISSING],
    ['Basic YWRhOnNlY3JldA==', MISSING],
    ['Bearers abc', MISSING],
    ['Bearer', invalid(MALFORMED)],
    ['Bearer one two', invalid(MALFORMED)],
    ['Bearer one,Bearer two', invalid(MALFORMED)],
    ['Bearer "quoted"', invalid(MALFORMED)],
  ])('or the header is malformed: %s', async (header, challenge) => {
    const { http } = await serveBearers(issuer);
    const response = await http.post(initialize(), { Authorization: header });
    expect([response.status, response.headers['www-authenticate']]).toEqual([401, challenge]);
  });

  it('or it is in the query, where logs would show it', async () => {
    const { listener } = await serveBearers(issuer);
    const http = new RawHttp({ port: listener.port }, `/mcp?access_token=${await issuer.token('ada')}`);
    const response = await http.post(initialize());
    expect([response.status, response.headers['www-authenticate']]).toEqual([401, MISSING]);
  });
});

describe('the issuer', () => {
  it('may rotate its keys: tokens with the new key are accepted at once, those with the old key no longer', async () => {
    const rotating = await openIssuer();
    const { http } = await serveBearers(rotating);
    for (let n = 0; n < 3; n += 1) {
      const old = await rotating.token('ada');
      expect((await callTool(http, old, 'who')).status).toBe(200);
      await rotating.rotateKeys();
      const fresh = await rotating.token('ada');
      const asked = rotating.requests.length;
      const responses = await Promise.all(Array.from({ length: 5 }, () => callTool(http, fresh, 'who')));
      expect(responses.map(({ status }) => status)).toEqual([200, 200, 200, 200, 200]);
      expect(rotating.requests).toHaveLength(asked + 1);
      vi.useFakeTimers({ toFake: ['Date'], now: Date.now() + 31_000 });
      expect((await callTool(http, old, 'who')).status).toBe(401);
      vi.setSystemTime(Date.now() + 31_000);
    }
  });

  it('is asked for its keys every 30 s at most by tokens with unknown keys', async () => {
    const asked = await openIssuer();
    const { http } = await serveBearers(asked);
    const unknown = await other.token('ada');
    expect((await callTool(http, await asked.token('ada'), 'who')).status).toBe(200);
    const before = asked.requests.length;
    for (let n = 0; n < 5; n += 1) expect((await callTool(http, unknown, 'who')).status).toBe(401);
    expect(asked.requests).toHaveLength(before + 1);
    vi.useFakeTimers({ toFake: ['Date'], now: Date.now() + 31_000 });
    for (let n = 0; n < 5; n += 1) expect((await callTool(http, unknown, 'who')).status).toBe(401);
    expect(asked.requests).toHaveLength(before + 2);
  });

  it('that is down means 503, reported with its cause; the next request asks it again', async () => {
    const flaky = await openIssuer();
    const { http, errors } = await serveBearers(flaky);
    const token = await flaky.token('ada');
    await flaky.stop();
    const response = await callTool(http, token, 'who');
    expect([response.status, response.headers['www-authenticate']]).toEqual([503, undefined]);
    expect(await response.json()).toMatchObject({
      error: {
        message: 'The token could not be checked, because the authorization server did not respond. Try again later',
      },
    });
    expect(errors.map(({ message }) => message)).toEqual([
      expect.stringContaining(`No metadata of the issuer ${flaky.issuer} was found`),
    ]);
    expect(logOf(errors)).toContain('ECONNREFUSED');
    expect(logOf(errors)).not.toContain(token);
    await flaky.restart();
    expect((await callTool(http, token, 'who')).status).toBe(200);
  });

  it('that goes down after its keys were read is not needed for ten minutes, whatever tokens are sent', async () => {
    const flaky = await openIssuer();
    const { http } = await serveBearers(flaky);
    const token = await flaky.sign({ exp: seconds(3600) });
    const unknown = await other.token('ada');
    expect((await callTool(http, token, 'who')).status).toBe(200);
    await flaky.stop();
    vi.useFakeTimers({ toFake: ['Date'], now: Date.now() + 60_000 });
    expect((await callTool(http, unknown, 'who')).status).toBe(503);
    expect((await callTool(http, token, 'who')).status).toBe(200);
    vi.setSystemTime(Date.now() + 600_000);
    expect((await callTool(http, token, 'who')).status).toBe(503);
    await flaky.restart();
    expect((await callTool(http, token, 'who')).status).toBe(200);
  });

  it.each<[string, Record<string, unknown> | string, string]>([
    [
      'is the metadata of another',
      { issuer: 'https://evil.example.com', jwks_uri: 'https://evil.example.com' },
      'another issuer',
    ],
    ['has no keys', { issuer: 'https://login.example.com' }, 'has no jwks_uri'],
    [
      'sends keys over plain HTTP',
      { issuer: 'https://login.example.com', jwks_uri: 'http://login.example.com' },
      'https',
    ],
    ['is no JSON', '<html>', 'did not respond with a JSON object'],
    ['never ends', 'x'.repeat(2_000_000), 'could not be reached'],
  ])('is not believed when its metadata %s', async (_name, metadata, reason) => {
    const body = typeof metadata === 'string' ? metadata : JSON.stringify(metadata);
    const { errors, http } = await serveBearers(issuer, {
      issuer: 'https://login.example.com',
      fetch: async () => new Response(body),
    });
    expect((await callTool(http, await issuer.token('ada'), 'who')).status).toBe(503);
    expect(logOf(errors)).toContain(reason);
  });

  it('is looked for where RFC 8414 and OpenID Connect have its metadata, without following redirects', async () => {
    const asked: string[] = [];
    const { http } = await serveBearers(issuer, {
      issuer: 'https://login.example.com/tenant',
      fetch: async (url, options) => {
        asked.push(`${url} ${options?.redirect}`);
        return new Response('', { status: 302, headers: { Location: issuer.issuer } });
      },
    });
    expect((await callTool(http, await issuer.token('ada'), 'who')).status).toBe(503);
    expect(asked).toEqual([
      'https://login.example.com/.well-known/oauth-authorization-server/tenant manual',
      'https://login.example.com/.well-known/openid-configuration/tenant manual',
      'https://login.example.com/tenant/.well-known/openid-configuration manual',
    ]);
  });

  it('needs no metadata when jwksUri is given', async () => {
    const { http } = await serveBearers(issuer, { jwksUri: `${issuer.issuer}/jwks` });
    const token = await issuer.token('ada');
    issuer.requests.length = 0;
    expect((await callTool(http, token, 'who')).status).toBe(200);
    expect(issuer.requests).toEqual(['/jwks']);
  });
});

describe('an option that makes no sense throws', () => {
  it.each([
    [{ issuer: '' }, 'requireBearer needs the option issuer'],
    [{ audience: undefined as unknown as string }, 'requireBearer needs the option audience'],
    [{ issuer: 'http://login.example.com' }, 'issuer must begin with https:'],
    [{ audience: 'api://notes' }, 'resource (by default the audience) must begin with https:'],
    [{ resource: `${RESOURCE}?x=1` }, 'no query'],
    [{ algorithms: ['none'] }, 'algorithms must name some of'],
    [{ algorithms: ['HS256'] }, 'algorithms must name some of'],
    [{ jwksUri: 'nowhere' }, 'jwksUri must be a URL'],
    [{ scopes: ['a b'] }, 'A scope must be a text'],
    [{ toolScopes: { add: ['"'] } }, 'A scope must be a text'],
    [{ scope: ['notes'] }, 'requireBearer has no option scope. Did you mean scopes?'],
    [{ toolScope: { add: ['notes'] } }, 'requireBearer has no option toolScope. Did you mean toolScopes?'],
    [{ scopes: 'notes' as never }, 'requireBearer: scopes must be an array of scopes, got "notes"'],
    [
      { toolScopes: { add: 'notes' as never } },
      'requireBearer: toolScopes.add must be an array of scopes, got "notes"',
    ],
    [{ methodScopes: ['notes'] as never }, 'requireBearer: methodScopes takes an object, got an array'],
    [{ introspection: true as never }, 'requireBearer: introspection takes an object, got true'],
  ])('%j', (options, message) => {
    expect(() => requireBearer({ issuer: issuer.issuer, audience: RESOURCE, ...options })).toThrow(message);
  });
});
