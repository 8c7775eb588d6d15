import { inspect } from 'node:util';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { openBrowser, ProtectedServer, redirectUrl } from '../../../testing/protected-server.ts';
import { authorizationCode } from './grants/authorization-code.ts';
import { clientCredentials } from './grants/client-credentials.ts';
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
    server.behavior.answerToken = () => ({ status: 503, body: {} });
    expect((await failure(server.call(authorization))).message).toBe(`${server.issuer} gave no token (HTTP 503)`);
    delete server.behavior.answerToken;
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

it('stored tokens are used without a login, for their issuer and resource alone', async () => {
  const store = memoryTokenStore();
  await server.call(server.authorization({ store }));
  const stored = await store.load({ issuer: server.issuer, resource: server.url });
  expect(stored?.tokens?.scope).toBe('use');
  expect(await server.call(server.authorization({ store }))).toEqual(hello);
  expect(server.count('/authorize')).toBe(1);
  server.behavior.resource = { resource: server.issuer };
  expect(await server.call(server.authorization({ store }))).toEqual(hello);
  expect(server.count('/authorize')).toBe(2);
});

it('a registration that the server has forgotten is replaced', async () => {
  const store = memoryTokenStore();
  const key = { issuer: server.issuer, resource: server.url };
  await store.save(key, { client: { clientId: 'gone', tokenEndpointAuthMethod: 'none', redirectUrl } });
  server.behavior.answerToken = (parameters) =>
    parameters.get('client_id') === 'gone' ? { status: 401, body: { error: 'invalid_client' } } : undefined;
  expect(await server.call(server.authorization({ store }))).toEqual(hello);
  expect((await store.load(key))?.client?.clientId).toBe('client-1');
});

it('logout revokes the tokens and forgets them', async () => {
  const store = memoryTokenStore();
  const authorization = server.authorization({ store });
  await authorization.login();
  const [refreshToken] = server.refreshTokens;
  await authorization.logout();
  expect(server.requests.at(-1)).toMatchObject({ path: '/revoke' });
  expect(server.requests.at(-1)?.parameters.get('token')).toBe(refreshToken);
  expect(await store.load({ issuer: server.issuer, resource: server.url })).toBeUndefined();
  const request = { method: 'POST', url: new URL(server.url), signal: new AbortController().signal };
  expect(await authorization.headers(request)).toEqual({});
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

  it.each<[string, () => void, string]>([
    [
      'without PKCE',
      () => {
        server.behavior.metadata = { code_challenge_methods_supported: ['plain'] };
      },
      'does not support PKCE',
    ],
    [
      'when PKCE is not announced',
      () => {
        server.behavior.metadata = { code_challenge_methods_supported: undefined };
      },
      'does not support PKCE',
    ],
    [
      'with endpoints without https',
      () => {
        server.behavior.metadata = { token_endpoint: 'http://evil.test/token' };
      },
      'must use https, not http://evil.test',
    ],
    [
      'with a page that is a script',
      () => {
        server.behavior.metadata = { authorization_endpoint: 'javascript:alert(1)' };
      },
      'must use https',
    ],
    [
      'with the metadata of another issuer',
      () => {
        server.behavior.metadata = { issuer: 'https://evil.test' };
      },
      'are those of another issuer',
    ],
    [
      'for another resource',
      () => {
        server.behavior.resource = { resource: 'https://other.test/mcp' };
      },
      'are of https://other.test',
    ],
    [
      'for a resource beside this one',
      () => {
        server.behavior.resource = { resource: `${server.url}x` };
      },
      'The protected resource metadata are of',
    ],
    [
      'by an address of the network',
      () => {
        server.behavior.resource = { authorization_servers: ['http://169.254.169.254'] };
      },
      'must use https',
    ],
    [
      'without registration',
      () => {
        server.behavior.metadata = { registration_endpoint: undefined };
      },
      'registers no clients by itself',
    ],
  ])('%s', async (_, prepare, message) => {
    prepare();
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
    ['with an error', withParameter('error', 'access_denied'), 'refused the login: access_denied'],
    ['as something else', () => 'not a URL', 'is not a URL'],
  ])('when its response arrives %s', async (_, change, message) => {
    expect((await login(browser(change))).message).toContain(message);
    expect(server.count('/token')).toBe(0);
  });

  it('with a message that repeats no secret of the server', async () => {
    server.behavior.answerToken = (parameters) => ({
      status: 400,
      body: { error: 'invalid_grant', error_description: `${parameters.get('code')}\u001b[31m is used` },
    });
    const error = await login();
    expect(error.message).toBe(`${server.issuer} gave no token (HTTP 400): invalid_grant ([removed] [31m is used)`);
    expect(error.code).toBe('invalid_grant');
  });

  it('when a token comes in an unknown form, and the token is not shown', async () => {
    server.behavior.answerToken = () => ({ status: 200, body: { access_token: 'secret-1', token_type: 'odd' } });
    expect((await login()).message).toBe(`${server.issuer} gave no token (HTTP 200)`);
  });

  it('when the secret is for another authorization server, and the secret is not sent', async () => {
    const client = { issuer: 'https://right.test', clientId: 'me', clientSecret: 'secret-1' };
    expect((await login({ grant: clientCredentials({ client }) })).message).toBe(
      `The client me is registered with https://right.test, but the MCP server wants tokens of ${server.issuer}`,
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

  it('when a server does not answer', async () => {
    server.behavior.answer = (path) => path === '/.well-known/oauth-authorization-server';
    const error = await failure(server.authorization({ requestTimeout: 100 }).login());
    expect(error.message).toBe(`${server.issuer}/.well-known/oauth-authorization-server did not answer within 100 ms`);
  });

  it('when a server answers without end', async () => {
    server.behavior.answer = (path, response) => {
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
    server.behavior.answer = (path, response) => {
      if (!path.startsWith('/.well-known/oauth-protected-resource')) return false;
      response.setHeader('Content-Type', 'text/html').end('<html></html>');
      return true;
    };
    expect(await server.call(server.authorization())).toEqual(hello);
    expect(server.requests.at(-1)?.parameters.get('resource')).toBe(server.url);
  });

  it('when a server redirects', async () => {
    server.behavior.answer = (path, response) => {
      if (path !== '/.well-known/oauth-authorization-server') return false;
      response.writeHead(302, { Location: 'http://127.0.0.1:1/' }).end();
      return true;
    };
    expect((await failure(server.authorization().login())).message).toContain('answered with HTTP 302');
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
