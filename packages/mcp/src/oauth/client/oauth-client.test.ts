import { inspect } from 'node:util';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { type Behavior, openBrowser, ProtectedServer, redirectUrl } from '../../../testing/protected-server.ts';
import { authorizationCode } from './grants/authorization-code.ts';
import { clientCredentials } from './grants/client-credentials.ts';
import { type LoginNeeded, refreshOnly } from './grants/refresh-only.ts';
import { oauthClient } from './oauth-client.ts';
import { OAuthError } from './oauth-error.ts';
import { memoryTokenStore } from './token-stores/memory.ts';

const hello = [{ type: 'text', text: 'hello' }];
let server: ProtectedServer;

beforeEach(async () => {
  server = await ProtectedServer.open();
});
afterEach(() => server.close());

/** The error of a call that must fail. Nothing secret may be in it. */
async function failure(work: Promise<unknown>): Promise<OAuthError> {
  const error = await work.then(
    () => expect.unreachable(),
    (reason: unknown) => reason,
  );
  expect(error).toBeInstanceOf(OAuthError);
  expect(inspect(error, { depth: 10, showHidden: true })).not.toContain('secret-');
  return error as OAuthError;
}

describe('metadata of an authorization server', () => {
  it.each([
    'code_challenge_methods_supported',
    'token_endpoint_auth_methods_supported',
    'dpop_signing_alg_values_supported',
    'scopes_supported',
    'grant_types_supported',
  ])('with a %s that is true or a text are as if without it', async (member) => {
    for (const value of [true, 'S256', 5, null, {}]) {
      server.behavior.metadata = { [member]: value };
      const outcome = await server.call(server.authorization()).catch((error: unknown) => error);
      if (outcome instanceof Error) expect(outcome).toBeInstanceOf(OAuthError);
      else expect(outcome).toEqual(hello);
    }
  });
});

describe('a token that cannot be sent in a header', () => {
  it.each(['a\nb', 'a b', '\u2028', 'é'])('(%j) is a clear error', async (access_token) => {
    server.behavior.respondToToken = () => ({ status: 200, body: { access_token, token_type: 'Bearer' } });
    const error = await failure(server.call(server.authorization()));
    expect(error.message).toBe(`${server.issuer} gave a token that cannot be sent in a header`);
  });
});

it('a token whose end no date can hold does not expire', async () => {
  const store = memoryTokenStore();
  for (const expires_in of [1e13, 1e300]) {
    server.behavior.respondToToken = () => ({
      status: 200,
      body: { access_token: 'a', token_type: 'Bearer', expires_in },
    });
    await server.authorization({ store }).login();
    const [key] = (await store.keys?.()) ?? [];
    expect(key && (await store.load(key))?.tokens).toEqual({ accessToken: 'a', scope: 'use' });
  }
});

describe('requests that are refused', () => {
  it('at the same time share one login', async () => {
    const authorization = server.authorization();
    const results = await Promise.all(Array.from({ length: 5 }, () => server.call(authorization)));
    expect(results).toEqual(Array(5).fill(hello));
    expect([server.count('/authorize'), server.count('/register'), server.count('/token')]).toEqual([1, 1, 1]);
  });

  it('at the same time share one refresh, and the new refresh token replaces the old', async () => {
    const authorization = server.authorization();
    await server.call(authorization);
    for (let round = 1; round <= 2; round += 1) {
      server.revokeAccess();
      await Promise.all(Array.from({ length: 5 }, () => server.call(authorization)));
      expect(server.count('/token', 'refresh_token')).toBe(round);
    }
    expect(server.count('/authorize')).toBe(1);
    expect(server.requests.at(-1)?.parameters.get('resource')).toBe(server.url);
  });

  it('with a refresh token that is refused lead to a new login', async () => {
    const authorization = server.authorization();
    await server.call(authorization);
    server.revokeAccess();
    server.refreshTokens.clear();
    expect(await server.call(authorization)).toEqual(hello);
    expect(server.count('/authorize')).toBe(2);
    expect(server.count('/register')).toBe(1);
  });

  it('while the authorization server is out of order keep the refresh token, and open no browser', async () => {
    const authorization = server.authorization();
    await server.call(authorization);
    server.revokeAccess();
    server.behavior.respondToToken = () => ({ status: 503, body: {} });
    expect((await failure(server.call(authorization))).message).toBe(`${server.issuer} gave no token (HTTP 503)`);
    delete server.behavior.respondToToken;
    expect(await server.call(authorization)).toEqual(hello);
    expect(server.count('/authorize')).toBe(1);
  });

  it('with new tokens lead to one login and a clear error, and the next ones to no login at all', async () => {
    server.behavior.accepts = () => false;
    const authorization = server.authorization();
    const message = `${server.issuer} refuses the token that it asked for, so no further login was tried`;
    expect((await failure(server.call(authorization))).message).toBe(message);
    const logins = server.count('/authorize');
    expect(logins).toBeLessThanOrEqual(2);
    expect((await failure(server.call(authorization))).message).toBe(message);
    expect(server.count('/authorize')).toBe(logins);
    server.behavior.accepts = () => true;
    await authorization.login();
    expect(await server.call(authorization)).toEqual(hello);
  });
});

it('a token is refreshed before it expires', async () => {
  server.behavior.expiresIn = 0;
  const authorization = server.authorization();
  await authorization.login();
  const signal = new AbortController().signal;
  const sent = await authorization.headers({ method: 'POST', url: new URL(server.url), signal });
  expect(server.count('/token', 'refresh_token')).toBe(1);
  expect(sent.Authorization).toBe(`Bearer ${[...server.tokens].at(-1)}`);
});

describe('stored tokens', () => {
  const key = () => ({ issuer: server.issuer, resource: server.url });

  it('are used without a login, with the first request, and nothing else is asked', async () => {
    const store = memoryTokenStore();
    await server.call(server.authorization({ store }));
    expect((await store.load(key()))?.tokens?.scope).toBe('use');
    server.requests.length = 0;
    expect(await server.call(server.authorization({ store }))).toEqual(hello);
    expect(server.requests).toEqual([]);
  });

  it('for a folder above the server are used, too', async () => {
    const store = memoryTokenStore();
    server.behavior.resource = { resource: server.issuer };
    await server.call(server.authorization({ store }));
    server.requests.length = 0;
    expect(await server.call(server.authorization({ store }))).toEqual(hello);
    expect(server.requests).toEqual([]);
    server.revokeAccess();
    expect(await server.call(server.authorization({ store }))).toEqual(hello);
    expect([server.count('/token', 'refresh_token'), server.count('/authorize')]).toEqual([1, 0]);
  });

  it('of a store without a list are used when the server has refused a request', async () => {
    const { keys: _, lock: __, ...store } = memoryTokenStore();
    await server.call(server.authorization({ store }));
    expect(await server.call(server.authorization({ store }))).toEqual(hello);
    expect(server.count('/authorize')).toBe(1);
  });

  it('are used for their issuer and resource alone', async () => {
    const store = memoryTokenStore();
    const tokens = { accessToken: 'secret-other', refreshToken: 'secret-other-refresh' };
    await store.save({ issuer: server.issuer, resource: `${server.url}/below` }, { tokens });
    await store.save({ issuer: server.issuer, resource: server.issuer }, { tokens });
    await store.save({ issuer: 'https://other.test', resource: server.url }, { tokens });
    await store.save({ issuer: 'https://another.test', resource: server.url }, { tokens });
    expect(await server.call(server.authorization({ store }))).toEqual(hello);
    expect(server.count('/authorize')).toBe(1);
    expect(server.requests.map(({ parameters }) => parameters.get('refresh_token') ?? '').join('')).toBe('');
  });

  it('that have expired are refreshed before the first request', async () => {
    const store = memoryTokenStore();
    await server.authorization({ store }).login();
    const stored = await store.load(key());
    await store.save(key(), { ...stored, tokens: { ...stored?.tokens, accessToken: 'secret-old', expiresAt: 1 } });
    server.requests.length = 0;
    expect(await server.call(server.authorization({ store }))).toEqual(hello);
    expect(server.requests.map(({ path }) => path)).toEqual(['/.well-known/oauth-authorization-server', '/token']);
  });

  it('are refreshed as the client that got them, wherever it would be redirected to now', async () => {
    const store = memoryTokenStore();
    await server.authorization({ store }).login();
    server.revokeAccess();
    const grant = authorizationCode({ redirectUrl: 'http://127.0.0.1:10/callback', openBrowser });
    expect(await server.call(server.authorization({ store, grant }))).toEqual(hello);
    expect([server.count('/register'), server.count('/authorize')]).toEqual([1, 1]);
    expect(server.requests.at(-1)?.parameters.get('client_id')).toBe('client-1');
  });

  it('are refreshed once by clients that share a store, though a refresh token works only once', async () => {
    const store = memoryTokenStore();
    await server.authorization({ store }).login();
    server.revokeAccess();
    const clients = Array.from({ length: 4 }, () => server.authorization({ store }));
    expect(await Promise.all(clients.map((client) => server.call(client)))).toEqual(Array(4).fill(hello));
    expect([server.count('/token', 'refresh_token'), server.count('/authorize')]).toEqual([1, 1]);
  });

  it('that another client has removed are not refreshed any more', async () => {
    const store = memoryTokenStore();
    const authorization = server.authorization({ store, grant: refreshOnly({ loginNeeded }) });
    await server.authorization({ store }).login();
    expect(await server.call(authorization)).toEqual(hello);
    await server.authorization({ store }).logout();
    server.revokeAccess();
    await expect(server.call(authorization)).rejects.toThrow('Log in');
    expect(server.count('/token', 'refresh_token')).toBe(0);
  });
});

const loginNeeded = ({ issuer, scope }: LoginNeeded) => new Error(`Log in at ${issuer} for ${scope}`);

describe('a client that only refreshes', () => {
  const grant = refreshOnly({ loginNeeded });

  it('uses and refreshes what another has stored, and fails when a login is needed', async () => {
    const store = memoryTokenStore();
    await expect(server.call(server.authorization({ store, grant }))).rejects.toThrow(
      `Log in at ${server.issuer} for use`,
    );
    await server.authorization({ store }).login();
    server.revokeAccess();
    expect(await server.call(server.authorization({ store, grant }))).toEqual(hello);
    server.revokeAccess();
    server.refreshTokens.clear();
    await expect(server.call(server.authorization({ store, grant }))).rejects.toThrow('Log in at');
    expect([server.count('/register'), server.count('/authorize')]).toEqual([1, 1]);
  });

  it('refreshes the tokens of a client that an operator has registered, if that was stored', async () => {
    const client = { issuer: server.issuer, clientId: 'me', clientSecret: 'secret-of-client' };
    server.behavior.metadata = { token_endpoint_auth_methods_supported: ['client_secret_post'] };
    for (const isStored of [true, false]) {
      const store = memoryTokenStore();
      const code = authorizationCode({ redirectUrl, openBrowser, client: { ...client, isStored } });
      await server.authorization({ store, grant: code }).login();
      server.revokeAccess();
      const called = server.call(server.authorization({ store, grant }));
      if (isStored) expect(await called).toEqual(hello);
      else await expect(called).rejects.toThrow('Log in');
      expect(JSON.stringify(await store.load({ issuer: server.issuer, resource: server.url }))).toSatisfy(
        (text: string) => text.includes('secret-of-client') === isStored,
      );
    }
    const refresh = server.requests.find(({ parameters }) => parameters.get('grant_type') === 'refresh_token');
    expect([refresh?.parameters.get('client_id'), refresh?.parameters.get('client_secret')]).toEqual([
      'me',
      'secret-of-client',
    ]);
  });
});

it('a registration that the server has forgotten is replaced', async () => {
  const store = memoryTokenStore();
  const key = { issuer: server.issuer, resource: server.url };
  await store.save(key, { client: { clientId: 'gone', tokenEndpointAuthMethod: 'none', redirectUrl } });
  server.behavior.respondToToken = (parameters) =>
    parameters.get('client_id') === 'gone' ? { status: 401, body: { error: 'invalid_client' } } : undefined;
  expect(await server.call(server.authorization({ store }))).toEqual(hello);
  expect((await store.load(key))?.client?.clientId).toBe('client-1');
});

describe('logout', () => {
  const revoked = () =>
    server.requests.filter(({ path }) => path === '/revoke').map(({ parameters }) => parameters.get('token'));

  it('revokes the tokens and forgets them', async () => {
    const store = memoryTokenStore();
    const authorization = server.authorization({ store });
    await authorization.login();
    const key = { issuer: server.issuer, resource: server.url };
    expect(await authorization.logout()).toEqual([{ ...key, revocation: 'revoked' }]);
    expect(revoked()).toEqual([...server.refreshTokens, ...server.tokens]);
    expect(await store.load(key)).toBeUndefined();
    const request = { method: 'POST', url: new URL(server.url), signal: new AbortController().signal };
    expect(await authorization.headers(request)).toEqual({});
    expect(await authorization.logout()).toEqual([]);
  });

  it('says when the tokens were not revoked, and forgets them all the same', async () => {
    const store = memoryTokenStore();
    const key = { issuer: server.issuer, resource: server.url };
    const login = async (options = {}) => {
      const authorization = server.authorization({ store, ...options });
      await authorization.login();
      return authorization;
    };
    server.behavior.metadata = { revocation_endpoint: undefined };
    expect(await (await login()).logout()).toEqual([{ ...key, revocation: 'not offered' }]);
    expect(await store.load(key)).toBeUndefined();
    server.behavior.metadata = {};
    server.behavior.respond = (path, response) => {
      if (path !== '/revoke') return false;
      const body = { error: 'server_error', error_description: [...server.refreshTokens].at(-1) };
      response.writeHead(400, { 'Content-Type': 'application/json' }).end(JSON.stringify(body));
      return true;
    };
    const reason = `${server.issuer} revoked no token (HTTP 400): server_error ([removed])`;
    expect(await (await login()).logout()).toEqual([{ ...key, revocation: 'failed', reason }]);
    expect(await store.load(key)).toBeUndefined();
  });

  it('of stored tokens needs the authorization servers alone, and reaches each of them', async () => {
    const store = memoryTokenStore();
    await server.authorization({ store }).login();
    const other = await ProtectedServer.open();
    const client = { clientId: 'old', tokenEndpointAuthMethod: 'none', redirectUrl };
    const migrated = { issuer: other.issuer, resource: server.url };
    await store.save(migrated, { client, tokens: { accessToken: 'secret-old' } });
    const unrelated = { issuer: other.issuer, resource: 'https://mcp.test/mcp' };
    await store.save(unrelated, { client, tokens: { accessToken: 'secret-unrelated' } });
    server.behavior.respond = (path) => path.includes('oauth-protected-resource') || path === '/mcp';
    const outcomes = await server.authorization({ store, grant: refreshOnly({ loginNeeded }) }).logout();
    expect(outcomes).toEqual([
      { issuer: server.issuer, resource: server.url, revocation: 'revoked' },
      { ...migrated, revocation: 'revoked' },
    ]);
    expect(other.requests.at(-1)?.parameters.get('token')).toBe('secret-old');
    expect(await store.keys?.()).toEqual([unrelated]);
    await other.close();
  });
});

describe('a login before the first request', () => {
  it('asks the server what it wants', async () => {
    server.behavior.challenge = `Bearer scope="more", resource_metadata="${server.issuer}/hidden"`;
    server.behavior.respond = (path, response) => {
      if (path === '/hidden')
        response.end(JSON.stringify({ resource: server.url, authorization_servers: [server.issuer] }));
      else if (path.includes('oauth-protected-resource')) response.writeHead(404).end();
      else return false;
      return true;
    };
    await server.authorization().login({ scope: 'extra' });
    const [login] = server.requests.filter(({ path }) => path === '/authorize');
    expect(login?.parameters.get('scope')).toBe('more extra');
  });

  it('at a server that asks for none says so', async () => {
    server.behavior.respond = (path, response) => {
      response.writeHead(path === '/mcp' ? 200 : 404).end('{}');
      return true;
    };
    expect((await failure(server.authorization().login())).message).toBe(`${server.url} asks for no login`);
  });

  it('at a server that wants tokens of another kind says so', async () => {
    server.behavior.respond = (path, response) => {
      response.writeHead(path === '/mcp' ? 401 : 404).end();
      return true;
    };
    expect((await failure(server.authorization().login())).message).toBe(
      `${server.issuer} names no authorization server, and is none itself: ${server.issuer} did not register the client (HTTP 404)`,
    );
  });

  it('uses the registration of an earlier login', async () => {
    const store = memoryTokenStore();
    await server.authorization({ store }).login();
    await server.authorization({ store }).login();
    expect([server.count('/register'), server.count('/authorize')]).toEqual([1, 2]);
  });

  it('at the same time as another asks for the scopes of both', async () => {
    const authorization = server.authorization();
    await Promise.all([authorization.login({ scope: 'one' }), authorization.login({ scope: 'two' })]);
    const asked = server.requests
      .filter(({ path }) => path === '/authorize')
      .map((each) => each.parameters.get('scope'));
    expect(asked).toEqual(['use one', 'use one two']);
  });

  it('at the same time as one that asks for as much shares it', async () => {
    const authorization = server.authorization();
    await Promise.all([
      authorization.login({ scope: 'a b' }),
      authorization.login(),
      authorization.login({ scope: 'b' }),
    ]);
    expect(server.count('/authorize')).toBe(1);
  });

  it('while a request renews the tokens has its own scopes', async () => {
    const authorization = server.authorization();
    await Promise.all([server.call(authorization), authorization.login({ scope: 'one' })]);
    const asked = server.requests
      .filter(({ path }) => path === '/authorize')
      .map((each) => each.parameters.get('scope'));
    expect(asked.at(-1)).toBe('use one');
  });

  it('and a logout at the same time are both done', async () => {
    const authorization = server.authorization();
    await authorization.login();
    const [, outcomes] = await Promise.all([
      authorization.login({ scope: 'one' }),
      authorization.logout(),
      authorization.login({ scope: 'two' }),
    ]);
    expect(outcomes).toHaveLength(1);
  });
});

describe('a token is never sent', () => {
  it('to another origin', async () => {
    const authorization = server.authorization();
    await authorization.login();
    const request = { method: 'POST', signal: new AbortController().signal };
    expect(await authorization.headers({ ...request, url: new URL('https://evil.test/mcp') })).toEqual({});
    expect(await authorization.headers({ ...request, url: new URL(server.url) })).toHaveProperty('Authorization');
  });

  it('to a server without https, except on this machine', () => {
    const grant = authorizationCode({ redirectUrl, openBrowser });
    expect(() => oauthClient('http://mcp.test/mcp', { grant })).toThrow(
      'The MCP server must use https, not http://mcp.test',
    );
    expect(() => oauthClient('https://user:secret-1@mcp.test/mcp', { grant })).toThrow('must not have a password');
  });
});

describe('a login is refused', () => {
  const login = (options = {}) => failure(server.authorization(options).login());
  const withParameter = (name: string, value: string) => (url: URL) => {
    url.searchParams.set(name, value);
    return url;
  };
  const browser = (change: (url: URL) => string | URL) => ({
    grant: authorizationCode({ redirectUrl, openBrowser: async (url) => change(new URL(await openBrowser(url))) }),
  });

  it.each<[string, () => Partial<Behavior>, string]>([
    ['without PKCE', () => ({ metadata: { code_challenge_methods_supported: ['plain'] } }), 'does not support PKCE'],
    [
      'when PKCE is not announced',
      () => ({ metadata: { code_challenge_methods_supported: undefined } }),
      'does not support PKCE',
    ],
    [
      'with endpoints without https',
      () => ({ metadata: { token_endpoint: 'http://evil.test/token' } }),
      'must use https, not http://evil.test',
    ],
    [
      'with a page that is a script',
      () => ({ metadata: { authorization_endpoint: 'javascript:alert(1)' } }),
      'must use https',
    ],
    [
      'with the metadata of another issuer',
      () => ({ metadata: { issuer: 'https://evil.test' } }),
      'are those of another issuer',
    ],
    ['for another resource', () => ({ resource: { resource: 'https://other.test/mcp' } }), 'are of https://other.test'],
    [
      'for a resource beside this one',
      () => ({ resource: { resource: `${server.url}x` } }),
      'The protected resource metadata are of http://127.0.0.1',
    ],
    [
      'by an address of the network',
      () => ({ resource: { authorization_servers: ['http://169.254.169.254'] } }),
      'must use https',
    ],
    [
      'without registration',
      () => ({ metadata: { registration_endpoint: undefined } }),
      'registers no clients by itself',
    ],
  ])('%s', async (_, behavior, message) => {
    Object.assign(server.behavior, behavior());
    expect((await login()).message).toContain(message);
    expect(server.count('/authorize')).toBe(0);
  });

  it.each<[string, (url: URL) => string | URL, string]>([
    [
      'at another address',
      (url) => `https://evil.test/callback${url.search}`,
      'redirected to https://evil.test, not to',
    ],
    ['with another state', withParameter('state', 'x'), 'unexpected "state"'],
    ['with another issuer', withParameter('iss', 'https://evil.test'), 'unexpected "iss"'],
    ['with two codes', (url) => `${url.href}&code=another`, 'sent no code, or several'],
    ['with an error', withParameter('error', 'access_denied'), 'refused the login: access_denied'],
    ['as something else', () => 'not a URL', 'is not a URL'],
  ])('when its response arrives %s', async (_, change, message) => {
    expect((await login(browser(change))).message).toContain(message);
    expect(server.count('/token')).toBe(0);
  });

  it('with a message that repeats no secret of the server', async () => {
    server.behavior.respondToToken = (parameters) => ({
      status: 400,
      body: { error: 'invalid_grant', error_description: `${parameters.get('code')}\u001b[31m is used` },
    });
    const error = await login();
    expect(error.message).toBe(`${server.issuer} gave no token (HTTP 400): invalid_grant ([removed] [31m is used)`);
    expect(error.code).toBe('invalid_grant');
  });

  it('when a token comes in an unknown form, and the token is not shown', async () => {
    server.behavior.respondToToken = () => ({ status: 200, body: { access_token: 'secret-1', token_type: 'odd' } });
    expect((await login()).message).toBe(`${server.issuer} sent a token response that is not valid`);
  });

  it('when the secret is for another authorization server, and the secret is not sent', async () => {
    const client = { issuer: 'https://right.test', clientId: 'me', clientSecret: 'secret-1' };
    expect((await login({ grant: clientCredentials({ client }) })).message).toBe(
      `The client me is registered with https://right.test, but the MCP server requires tokens of ${server.issuer}`,
    );
    expect(server.count('/token')).toBe(0);
  });
});

describe('a login ends', () => {
  it('at its deadline, and aborts the signal that the browser got', async () => {
    let signal: AbortSignal | undefined;
    const grant = authorizationCode({
      redirectUrl,
      openBrowser: (_url, options) => {
        signal = options.signal;
        return new Promise(() => {});
      },
    });
    const error = await failure(server.authorization({ grant, loginTimeout: 300 }).login());
    expect(error.message).toBe('The login was not completed within 300 ms');
    expect(signal?.aborted).toBe(true);
  });

  it('when a server does not respond', async () => {
    server.behavior.respond = (path) => path === '/.well-known/oauth-authorization-server';
    const error = await failure(server.authorization({ requestTimeout: 1000 }).login());
    expect(error.message).toBe(
      `${server.issuer}/.well-known/oauth-authorization-server did not respond within 1000 ms`,
    );
  });

  it('when a server responds without end', async () => {
    server.behavior.respond = (path, response) => {
      if (path !== '/.well-known/oauth-authorization-server') return false;
      response.end('x'.repeat(300_000));
      return true;
    };
    expect((await failure(server.authorization().login())).message).toContain('sent more than 262144 bytes');
  });

  it('never, with a timeout of 0, before the user is done', async () => {
    await server.authorization({ loginTimeout: 0, requestTimeout: 0 }).login();
    expect(server.count('/token')).toBe(1);
    expect(() => server.authorization({ loginTimeout: -1 })).toThrow('loginTimeout must be a number of milliseconds');
  });

  it('well at a server that sends a page for every path it does not know', async () => {
    server.behavior.respond = (path, response) => {
      if (!path.startsWith('/.well-known/oauth-protected-resource')) return false;
      response.setHeader('Content-Type', 'text/html').end('<html></html>');
      return true;
    };
    expect(await server.call(server.authorization())).toEqual(hello);
    expect(server.requests.at(-1)?.parameters.get('resource')).toBe(server.url);
  });

  it('when a server redirects', async () => {
    server.behavior.respond = (path, response) => {
      if (path !== '/.well-known/oauth-authorization-server') return false;
      response.writeHead(302, { Location: 'http://127.0.0.1:1/' }).end();
      return true;
    };
    expect((await failure(server.authorization().login())).message).toContain('responded with HTTP 302');
  });

  it('not with the request that began it: the next request uses its tokens', async () => {
    let finish: () => void = () => {};
    const waits = new Promise<void>((resolve) => {
      finish = resolve;
    });
    const grant = authorizationCode({
      redirectUrl,
      openBrowser: async (url) => {
        abort.abort(new Error('given up'));
        await waits;
        return openBrowser(url);
      },
    });
    const abort = new AbortController();
    const authorization = server.authorization({ grant });
    await expect(authorization.login({ signal: abort.signal })).rejects.toThrow('given up');
    finish();
    expect(await server.call(authorization)).toEqual(hello);
    expect(server.count('/authorize')).toBe(1);
  });
});

it('an option that does not exist is refused', () => {
  const options = { grant: authorizationCode({ redirectUrl, openBrowser }), scopes: 'notes' };
  expect(() => oauthClient('https://mcp.example.com/', options)).toThrow(
    'oauthClient has no option scopes. Did you mean scope?',
  );
});
