import { inspect } from 'node:util';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { BearerMcpServer } from '../../../testing/bearer-mcp-server.ts';
import { KNOWN_CLIENT, LoginServer } from '../../../testing/login-server.ts';
import { ProofDemandingServer } from '../../../testing/proof-demanding-server.ts';
import { Client } from '../../client/client.ts';
import { connectHttp } from '../../transports/http/client/connect.ts';
import { type AuthorizationCodeOptions, authorizationCode } from './grants/authorization-code.ts';
import { type OAuthClient, oauthClient } from './oauth-client.ts';
import { memoryTokenStore } from './token-stores/memory.ts';

// With oidc-provider, whose users log in and consent on real pages.

const redirectUrl = 'http://127.0.0.1:9/callback';
let provider: LoginServer;
let mcp: BearerMcpServer;
let store = memoryTokenStore();

beforeAll(async () => {
  provider = await LoginServer.open();
  mcp = await BearerMcpServer.open(provider.issuer);
});
afterAll(async () => {
  await mcp.close();
  await provider.close();
});
beforeEach(() => {
  store = memoryTokenStore();
});

function clientWith(options: Partial<AuthorizationCodeOptions> = {}, scope = 'openid offline_access'): OAuthClient {
  const grant = authorizationCode({ redirectUrl, openBrowser: (page) => provider.approve(page), ...options });
  return oauthClient(mcp.url, { grant, store, scope });
}

async function call(authorization: OAuthClient, tool = 'who'): Promise<unknown> {
  const session = await new Client({ name: 'c', version: '1' }).connect(connectHttp(mcp.url, { authorization }));
  try {
    const { content } = await session.callTool(tool);
    return content[0];
  } finally {
    await session.close();
  }
}

/** The message of the error, which has no secret in it. */
async function failure(work: Promise<unknown>): Promise<string> {
  const error = await work.then(
    () => expect.unreachable(),
    (reason: Error) => reason,
  );
  const shown = inspect(error, { depth: 10, showHidden: true });
  expect([...provider.secrets].filter((secret) => shown.includes(secret))).toEqual([]);
  return error.message;
}

const key = () => ({ issuer: provider.issuer, resource: mcp.url });

it('a user logs in, and gets the scope that a tool needs when it is called', async () => {
  const authorization = clientWith();
  expect(await call(authorization)).toEqual({ type: 'text', text: `${provider.issuer}#sub=ada` });
  expect((await store.load(key()))?.tokens?.scope?.split(' ')).toContain('notes');
  expect(await call(authorization, 'write')).toEqual({ type: 'text', text: 'written' });
  expect((await store.load(key()))?.tokens?.scope?.split(' ')).toEqual(
    expect.arrayContaining(['notes', 'notes:write']),
  );
});

it('a refused token is refreshed, and each refresh replaces the refresh token', async () => {
  await clientWith().login();
  const refreshTokens = new Set<string>();
  for (let round = 0; round < 3; round += 1) {
    const stored = await store.load(key());
    refreshTokens.add(stored?.tokens?.refreshToken ?? '');
    await store.save(key(), { ...stored, tokens: { ...stored?.tokens, accessToken: 'not.a.token' } });
    expect(await call(clientWith({ openBrowser: () => expect.unreachable() }))).toMatchObject({ type: 'text' });
  }
  expect(refreshTokens.size).toBe(3);
});

it('a logout revokes: the refresh token is refused, and the user has to log in again', async () => {
  const authorization = clientWith();
  await authorization.login();
  const before = await store.load(key());
  expect(await authorization.logout()).toEqual([{ ...key(), revocation: 'revoked' }]);
  await store.save(key(), { ...before, tokens: { ...before?.tokens, accessToken: 'not.a.token' } });
  const again = clientWith({ openBrowser: () => Promise.reject(new Error('The user has to log in')) });
  expect(await failure(call(again))).toBe('The user has to log in');
});

it('a client that the operator has registered authenticates with its secret, and refreshes', async () => {
  const client = { issuer: provider.issuer, ...KNOWN_CLIENT };
  await clientWith({ client }).login();
  const stored = await store.load(key());
  expect(stored?.client).toBeUndefined();
  await store.save(key(), { ...stored, tokens: { ...stored?.tokens, accessToken: 'not.a.token' } });
  expect(await call(clientWith({ client, openBrowser: () => expect.unreachable() }))).toMatchObject({ type: 'text' });
  expect(await failure(clientWith({ client: { ...client, clientSecret: 'wrong' } }).login())).toContain(
    'invalid_client',
  );
});

it('a registration that the server has forgotten is replaced', async () => {
  await clientWith().login();
  const stored = await store.load(key());
  const client = { clientId: 'gone', clientSecret: 'x', tokenEndpointAuthMethod: 'client_secret_basic', redirectUrl };
  await store.save(key(), { client, tokens: { ...stored?.tokens, accessToken: 'not.a.token' } });
  expect(await call(clientWith())).toMatchObject({ type: 'text' });
  expect((await store.load(key()))?.client?.clientId).not.toBe('gone');
});

it('a token for another audience is refused, and is not sent to another server', async () => {
  await clientWith().login();
  const { tokens, client } = (await store.load(key())) ?? {};
  const other = await BearerMcpServer.open(provider.issuer);
  try {
    const otherKey = { issuer: provider.issuer, resource: other.url };
    await store.save(otherKey, { ...(client && { client }), tokens: { accessToken: tokens?.accessToken ?? '' } });
    const openBrowser = () => Promise.reject(new Error('The user has to log in'));
    const grant = authorizationCode({ redirectUrl, openBrowser });
    const authorization = oauthClient(other.url, { grant, store });
    const session = new Client({ name: 'c', version: '1' }).connect(connectHttp(other.url, { authorization }));
    expect(await failure(session)).toBe('The user has to log in');
  } finally {
    await other.close();
  }
});

it('a server moves to another authorization server: the user logs in there, and neither gets tokens of the other', async () => {
  const before = await BearerMcpServer.open(provider.issuer);
  const { url } = before;
  const other = await LoginServer.open();
  const open = (openBrowser: AuthorizationCodeOptions['openBrowser']) => {
    const authorization = oauthClient(url, { grant: authorizationCode({ redirectUrl, openBrowser }), store });
    return new Client({ name: 'c', version: '1' }).connect(connectHttp(url, { authorization }));
  };
  await (await open((page) => provider.approve(page))).close();
  await before.close();
  const after = await BearerMcpServer.open(other.issuer, { url });
  const asked = provider.requests.length;
  await (await open((page) => other.approve(page))).close();
  expect(provider.requests.slice(asked)).toEqual([]);
  expect(other.requests.filter((request) => request === 'POST /token')).toHaveLength(1);
  expect(await store.keys?.()).toEqual([
    { issuer: provider.issuer, resource: url },
    { issuer: other.issuer, resource: url },
  ]);
  await after.close();
  await other.close();
});

it('tokens are bound to a key if the server wants that, and still are after a restart and a refresh', async () => {
  const resource = await ProofDemandingServer.open(provider.issuer);
  const proofs = new Set<string>();
  resource.onProof = (thumbprint) => proofs.add(thumbprint);
  const open = (openBrowser: AuthorizationCodeOptions['openBrowser']) => {
    const grant = authorizationCode({ redirectUrl, openBrowser });
    const authorization = oauthClient(resource.url, { grant, store, scope: 'openid offline_access' });
    return new Client({ name: 'c', version: '1' }).connect(connectHttp(resource.url, { authorization }));
  };
  await (await open((page) => provider.approve(page))).close();
  await (await open(() => expect.unreachable())).close();
  const bound = { issuer: provider.issuer, resource: resource.url };
  const stored = await store.load(bound);
  await store.save(bound, { ...stored, tokens: { accessToken: 'x', ...stored?.tokens, expiresAt: 1 } });
  await (await open(() => expect.unreachable())).close();
  expect(proofs.size).toBe(1);
  await resource.close();
});

describe('a login is refused', () => {
  it('with a code that was used before', async () => {
    let first = '';
    await clientWith({ openBrowser: async (page) => (first = await provider.approve(page)) }).login();
    const code = new URL(first).searchParams.get('code') ?? '';
    const replaying = async (page: string) => {
      const redirected = new URL(await provider.approve(page));
      redirected.searchParams.set('code', code);
      return redirected;
    };
    const message = await failure(clientWith({ openBrowser: replaying }).login());
    expect(message).toMatch(/gave no token \(HTTP 400\): invalid_grant/);
  });

  it('with the code of another login, whose verifier is unknown here', async () => {
    let stolen = '';
    const interrupted = clientWith({
      openBrowser: async (page) => {
        stolen = new URL(await provider.approve(page)).searchParams.get('code') ?? '';
        throw new Error('interrupted');
      },
    });
    await interrupted.login().catch(() => {});
    const injecting = async (page: string) => {
      const redirected = new URL(await provider.approve(page));
      redirected.searchParams.set('code', stolen);
      return redirected;
    };
    expect(await failure(clientWith({ openBrowser: injecting }).login())).toContain('invalid_grant');
  });

  it.each<[string, (url: URL) => void, string]>([
    ['of another issuer', (url) => url.searchParams.set('iss', 'https://evil.test'), 'unexpected "iss"'],
    ['without its issuer', (url) => url.searchParams.delete('iss'), '"iss"'],
    ['of another login', (url) => url.searchParams.set('state', 'x'), 'unexpected "state"'],
    ['at another address', (url) => (url.host = 'evil.test'), 'redirected to http://evil.test'],
  ])('with a response %s', async (_, change, message) => {
    const openBrowser = async (page: string) => {
      const redirected = new URL(await provider.approve(page));
      change(redirected);
      return redirected;
    };
    const before = provider.requests.length;
    expect(await failure(clientWith({ openBrowser }).login())).toContain(message);
    expect(provider.requests.slice(before)).not.toContain('POST /token');
  });

  it('when the MCP server names an authorization server that speaks for another', async () => {
    const other = await LoginServer.open();
    other.intercept = (request, response) => {
      if (!request.url?.startsWith('/.well-known/')) return false;
      void fetch(provider.issuer + request.url).then(async (real) => response.end(await real.text()));
      return true;
    };
    const mixed = await BearerMcpServer.open(other.issuer);
    try {
      const grant = authorizationCode({ redirectUrl, openBrowser: () => expect.unreachable() });
      const login = oauthClient(mixed.url, { grant }).login();
      expect(await failure(login)).toContain('are those of another issuer');
    } finally {
      await mixed.close();
      await other.close();
    }
  });

  it.each(['/token', '/reg', '/.well-known/oauth-authorization-server'])(
    'when %s redirects to another address',
    async (path) => {
      const visited: string[] = [];
      const other = await LoginServer.open();
      other.intercept = (request) => {
        visited.push(request.url ?? '');
        return false;
      };
      provider.intercept = (request, response) => {
        if (request.url !== path) return false;
        response.writeHead(307, { Location: other.issuer + path }).end();
        return true;
      };
      try {
        expect(await failure(clientWith().login())).toContain('HTTP 307');
        expect(visited).toEqual([]);
      } finally {
        provider.intercept = () => false;
        await other.close();
      }
    },
  );
});
