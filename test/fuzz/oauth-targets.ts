import { inspect } from 'node:util';
import { authorizationCode, clientCredentials, type OAuthClient, OAuthError, oauthClient } from '@hawser/mcp/oauth';
import { requireBearer } from '@hawser/mcp/resource-server';
import type { Random } from '../../packages/mcp/testing/random.ts';
import { TokenKey } from '../../packages/mcp/testing/token-key.ts';
import { withoutEscapes } from '../../packages/mcp/testing/without-escapes.ts';
import { damaged, mutated, oddText } from './json.ts';
import { type FuzzTarget, Violation, within } from './target.ts';

const SETTLE_MS = 5000;
const SERVER = 'https://mcp.example.com/mcp';
const ISSUER = 'https://login.example.com';
const REDIRECT = 'http://127.0.0.1:9/callback';
/** Part of every secret, which no error may contain. */
const SECRET = 'top-secret-';

type Json = { [member: string]: unknown };

/** Our OAuth client, and servers that answer with metadata, tokens and challenges of every wrong shape. */
export const hostileAuthorizationServers: FuzzTarget = {
  name: 'hostile authorization servers',
  open: async () => ({
    runCase: (random) => withoutEscapes('the case', () => within(SETTLE_MS, 'A login', logIn(random))),
    close: async () => {},
  }),
};

async function logIn(random: Random): Promise<number> {
  let requests = 0;
  const request: typeof fetch = async (input, init) => {
    requests += 1;
    const url = new URL(String(input));
    if (url.protocol !== 'https:') throw new Violation(`A request was sent to ${url.href}`);
    if (init?.redirect !== 'manual') throw new Violation('Redirects are followed');
    return answerOf(random, url, init);
  };
  const client = { issuer: random.pick([ISSUER, 'any']), clientId: 'c', clientSecret: `${SECRET}client` };
  const grant = random.chance(0.5)
    ? clientCredentials({ client })
    : authorizationCode({
        redirectUrl: REDIRECT,
        ...(random.chance(0.3) && { client }),
        ...(random.chance(0.2) && { clientMetadataUrl: 'https://client.example.com/metadata' }),
        openBrowser: async (url) => redirected(random, new URL(url)),
      });
  const authorization = oauthClient(SERVER, { grant, fetch: request, requestTimeout: 200, loginTimeout: 500 });
  if (random.chance(0.4)) await settle('login', authorization.login());
  let isAccepted = true;
  for (let retries = 0; isAccepted && retries < 4; retries += 1) {
    isAccepted = (await settle('challenged', challenge(random, authorization, retries))) === true;
    const asked = { method: 'POST', url: new URL(SERVER), signal: new AbortController().signal };
    const headers = (await settle('headers', authorization.headers(asked))) ?? {};
    for (const value of Object.values(headers)) {
      if (!/^[\x20-\x7e]*$/.test(value)) throw new Violation(`A header cannot be sent: ${inspect(value)}`);
    }
    const foreign = await authorization.headers({ ...asked, url: new URL('https://evil.example.com/mcp') });
    if (Object.keys(foreign).length > 0) throw new Violation('Credentials are sent to another origin');
  }
  if (random.chance(0.3)) await settle('logout', authorization.logout());
  return requests + 1;
}

async function challenge(random: Random, authorization: OAuthClient, retries: number): Promise<boolean> {
  const { signal } = new AbortController();
  const asked = { method: 'POST', url: new URL(SERVER), signal };
  const sent = await authorization.headers(asked);
  const status = random.pick([401, 401, 403] as const);
  const header = (name: string) => (name === 'WWW-Authenticate' ? challengeText(random) : oddText(random, 40));
  return authorization.challenged({ ...asked, status, header, sent, retries });
}

function challengeText(random: Random): string {
  const metadata = random.pick([
    'https://mcp.example.com/.well-known/oauth-protected-resource/mcp',
    'http://mcp.example.com/x',
    'file:///etc/passwd',
    'https://[',
    '',
  ]);
  const error = random.pick(['invalid_token', 'insufficient_scope', 'use_dpop_nonce', '']);
  const good = `${random.pick(['Bearer', 'DPoP'])} error="${error}", scope="a b", resource_metadata="${metadata}"`;
  return random.chance(0.4) ? damaged(random, good).toString('latin1') : good;
}

/** Settles with the value. Throws a Violation for an error that is not clear, or holds a secret. */
async function settle<T>(what: string, work: Promise<T>): Promise<T | undefined> {
  try {
    return await work;
  } catch (error) {
    if (error instanceof Violation) throw error;
    if (!(error instanceof OAuthError) || error.message === '') {
      throw new Violation(`${what} failed with ${inspect(error)}`, { cause: error });
    }
    if (inspect(error, { depth: 5 }).includes(SECRET))
      throw new Violation(`${what}: the error holds a secret: ${error.message}`);
    return undefined;
  }
}

function redirected(random: Random, url: URL): string {
  const state = url.searchParams.get('state') ?? '';
  return random.pick([
    `${REDIRECT}?code=${SECRET}code&state=${state}`,
    `${REDIRECT}?code=${SECRET}code&state=${state}`,
    `${REDIRECT}?code=${SECRET}code&state=${state}&iss=${encodeURIComponent(ISSUER)}`,
    `${REDIRECT}?code=${SECRET}code&state=other`,
    `${REDIRECT}?error=access_denied&state=${state}&error_description=${encodeURIComponent(oddText(random, 500).replaceAll('\ud800', ''))}`,
    `${REDIRECT}?code=a&code=b&state=${state}`,
    `https://evil.example.com/callback?code=${SECRET}code&state=${state}`,
    oddText(random, 50),
  ]);
}

/** A good answer of an authorization server, spoiled now and then. */
function answerOf(random: Random, { pathname }: URL, init: RequestInit | undefined): Response | Promise<Response> {
  const sent = new URLSearchParams(String(init?.body ?? ''));
  const echoed = sent.get('code') ?? sent.get('refresh_token') ?? sent.get('client_secret') ?? 'nothing';
  const good = goodAnswer(random, pathname, echoed);
  if (random.chance(0.04)) throw new TypeError('fetch failed', { cause: new Error('ECONNREFUSED') });
  if (random.chance(0.02)) return never(init);
  const status = random.chance(0.85) ? 200 : random.pick([201, 204, 302, 400, 401, 404, 500, 503]);
  const type = random.pick(['application/json', 'application/json', 'application/json', 'text/html', '']);
  const headers = { 'content-type': type, ...(random.chance(0.1) && { 'dpop-nonce': oddHeader(random) }) };
  if (status === 204) return new Response(null, { status });
  const value = random.chance(0.15) ? mutated(random, good) : good;
  const text = JSON.stringify(value) ?? '';
  if (random.chance(0.03)) return new Response('x'.repeat(300_000), { status, headers });
  return new Response(random.chance(0.05) ? new Uint8Array(damaged(random, text)) : text, { status, headers });
}

function oddHeader(random: Random): string {
  return random.pick(['nonce', '', '"', 'x'.repeat(5000), '\u00e9']);
}

/** Rejects when the request is given up. */
function never(init: RequestInit | undefined): Promise<Response> {
  return new Promise((_, reject) => {
    init?.signal?.addEventListener('abort', () => reject(init.signal?.reason), { once: true });
  });
}

/** `echoed` is a secret that the request has sent. */
function goodAnswer(random: Random, path: string, echoed: string): Json {
  if (path.includes('oauth-protected-resource')) {
    return {
      resource: random.pick([SERVER, 'https://mcp.example.com', 'https://evil.example.com/mcp']),
      authorization_servers: [ISSUER, 'https://other.example.com'],
      scopes_supported: ['a', 'b'],
      ...(random.chance(0.2) && { dpop_bound_access_tokens_required: true }),
    };
  }
  if (path.includes('.well-known')) {
    const address = (name: string) =>
      random.chance(0.9) ? `${ISSUER}/${name}` : random.pick(['http://10.0.0.1/', 'file:///x', 'https://u:p@x/', '']);
    return {
      issuer: random.chance(0.9) ? ISSUER : random.pick(['https://other.example.com', 'https://mcp.example.com', '']),
      authorization_endpoint: address('authorize'),
      token_endpoint: address('token'),
      registration_endpoint: address('register'),
      revocation_endpoint: address('revoke'),
      code_challenge_methods_supported: ['S256'],
      token_endpoint_auth_methods_supported: random.pick([['none'], ['client_secret_basic'], ['client_secret_post']]),
      dpop_signing_alg_values_supported: ['ES256'],
      scopes_supported: ['offline_access'],
      client_id_metadata_document_supported: true,
    };
  }
  if (path.endsWith('register')) {
    return { client_id: 'registered', client_secret: `${SECRET}registered`, token_endpoint_auth_method: 'none' };
  }
  return random.chance(0.8)
    ? {
        access_token: `${SECRET}access`,
        token_type: random.pick(['Bearer', 'bearer', 'DPoP', 'mac']),
        expires_in: random.pick<unknown>([3600, 1, 0, -5, '60', 1e308]),
        refresh_token: `${SECRET}refresh`,
        scope: 'a',
      }
    : { error: random.pick(['invalid_grant', 'invalid_client', 'use_dpop_nonce']), error_description: echoed };
}

/** `requireBearer`, and tokens made from good ones, or an issuer that answers wrongly. */
export const hostileTokens: FuzzTarget = {
  name: 'hostile tokens',
  open: async () => {
    const key = await TokenKey.generate();
    const metadata = { issuer: ISSUER, jwks_uri: `${ISSUER}/jwks`, introspection_endpoint: `${ISSUER}/introspect` };
    const answers: { [path: string]: Json } = { '/jwks': { keys: [key.jwk] } };
    const honest: typeof fetch = async (url) =>
      Response.json(answers[new URL(String(url)).pathname] ?? metadata, { status: 200 });
    const authorize = requireBearer({ issuer: ISSUER, audience: SERVER, fetch: honest });
    return {
      runCase: (random) =>
        withoutEscapes('the case', async () => {
          const token = await goodToken(random, key);
          for (let n = 0; n < TOKENS_PER_CASE; n += 1) {
            const header = oddAuthorization(random, token);
            const asked = authorize({ method: 'POST', headers: { authorization: header as string } });
            const outcome = (await within(SETTLE_MS, 'A token', Promise.resolve(asked))) as Json;
            // The same token in another spelling of the header is the same token.
            const isSame = typeof header === 'string' && header.replace(/^bearer +/i, '').trim() === token;
            if (typeof outcome.id === 'string' && !isSame) throw new Violation(`Accepted: ${inspect(header)}`);
            if (typeof outcome.id !== 'string') checkRefusal(outcome, [401]);
          }
          await attackIssuer(random, token, honest);
          return TOKENS_PER_CASE + 1;
        }),
      close: async () => {},
    };
  },
};

const TOKENS_PER_CASE = 30;

function goodToken(random: Random, key: TokenKey): Promise<string> {
  const now = Math.floor(Date.now() / 1000);
  const claims = { iss: ISSUER, aud: SERVER, sub: 'ada', scope: 'a', exp: now + 600 };
  const signed = random.chance(0.5) ? claims : (mutated(random, claims) as object);
  const usable = typeof signed === 'object' && signed !== null && !Array.isArray(signed) ? signed : claims;
  return key.sign(usable);
}

function oddAuthorization(random: Random, token: string): unknown {
  const [header = '', payload = '', signature = ''] = token.split('.');
  const base64 = (value: unknown) => Buffer.from(JSON.stringify(value) ?? '').toString('base64url');
  const otherHeader = mutated(random, { alg: 'ES256', kid: 'k', typ: 'at+jwt', crit: ['x'] });
  const otherClaims = mutated(random, { iss: ISSUER, aud: SERVER, sub: 'root', exp: 4e9 });
  return random.pick<() => unknown>([
    () => `Bearer ${token}`,
    () => `bearer  ${token} `,
    () => `Bearer ${header}.${base64(otherClaims)}.${signature}`,
    () => `Bearer ${base64(otherHeader)}.${payload}.${signature}`,
    () => `Bearer ${base64({ alg: 'none' })}.${payload}.`,
    () => `Bearer ${base64({ alg: 'HS256', kid: 'k' })}.${payload}.${signature}`,
    () => damaged(random, `Bearer ${token}`).toString('latin1'),
    () => `Bearer ${damaged(random, token).toString('base64url')}`,
    () => `Bearer ${'a'.repeat(random.below(40_000))}`,
    () => [`Bearer ${token}`, `Bearer ${token}`],
    () => oddText(random, 100),
    () => undefined,
  ])();
}

function checkRefusal(outcome: Json, allowed: readonly number[]): void {
  const { status, message, wwwAuthenticate } = outcome;
  if (!allowed.includes(status as number)) throw new Violation(`Refused with ${inspect(outcome)}`);
  if (typeof message !== 'string' || message === '') throw new Violation('Refused without a message');
  if (status === 401 && !/^Bearer [\x20-\x7e]+$/.test(String(wwwAuthenticate))) {
    throw new Violation(`The challenge is ${inspect(wwwAuthenticate)}`);
  }
}

/** A token is never accepted by the word of an issuer that answers wrongly. */
async function attackIssuer(random: Random, token: string, honest: typeof fetch): Promise<void> {
  let isSpoiled = false;
  const hostile: typeof fetch = async (url, init) => {
    const good = (await (await honest(url, init)).json()) as Json;
    if (random.chance(0.4)) return Response.json(good);
    isSpoiled = true;
    if (random.chance(0.1)) throw new TypeError('fetch failed');
    const text = JSON.stringify(mutated(random, good)) ?? '';
    return new Response(random.chance(0.2) ? new Uint8Array(damaged(random, text)) : text, {
      status: random.pick([200, 200, 200, 302, 404, 500]),
    });
  };
  const introspection = { clientId: 'c', clientSecret: `${SECRET}client` };
  const authorize = requireBearer({
    issuer: ISSUER,
    audience: SERVER,
    fetch: hostile,
    ...(random.chance(0.4) && { introspection }),
  });
  const asked = authorize({ method: 'POST', headers: { authorization: `Bearer ${token}` } });
  const outcome = (await within(SETTLE_MS, 'A token', Promise.resolve(asked))) as Json;
  if (typeof outcome.id === 'string') return; // a spoiled answer may still have what is needed
  checkRefusal(outcome, isSpoiled ? [401, 503] : [401]);
  if (inspect(outcome, { depth: 8 }).includes(SECRET)) throw new Violation('A refusal holds a secret');
}
