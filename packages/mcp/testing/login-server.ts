import { once } from 'node:events';
import { createServer, type Server as HttpServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { exportJWK, generateKeyPair } from 'jose';
import { Provider } from 'oidc-provider';

/** A client that the operator has registered. */
export const KNOWN_CLIENT = { clientId: 'known', clientSecret: 'secret of known, 100% & "quoted"' };

/** A real authorization server with pages on which users log in and consent: `oidc-provider` on a port of this machine. */
export class LoginServer {
  readonly issuer: string;
  /** Method and path of each request. */
  readonly requests: string[] = [];
  /** Every token, code and client secret that it has issued. */
  readonly secrets = new Set<string>([KNOWN_CLIENT.clientSecret]);
  /** Called before each request; true if it has responded. */
  intercept: (request: IncomingMessage, response: ServerResponse) => boolean = () => false;
  readonly #http: HttpServer;

  private constructor(http: HttpServer) {
    this.#http = http;
    this.issuer = `http://127.0.0.1:${(http.address() as AddressInfo).port}`;
  }

  static async open({ scopes = 'notes notes:write' }: { readonly scopes?: string } = {}): Promise<LoginServer> {
    const http = createServer().listen(0, '127.0.0.1');
    await once(http, 'listening');
    const server = new LoginServer(http);
    const { privateKey } = await generateKeyPair('ES256', { extractable: true });
    const jwk = { ...(await exportJWK(privateKey)), kid: 'key', alg: 'ES256', use: 'sig' };
    const provider = new Provider(server.issuer, {
      jwks: { keys: [jwk] } as never, // the types of the two packages differ
      cookies: { keys: ['test'] },
      clients: [
        {
          client_id: KNOWN_CLIENT.clientId,
          client_secret: KNOWN_CLIENT.clientSecret,
          application_type: 'native',
          redirect_uris: ['http://127.0.0.1/callback'],
          grant_types: ['authorization_code', 'refresh_token'],
        },
      ],
      clientDefaults: { id_token_signed_response_alg: 'ES256' },
      pkce: { required: () => true },
      features: {
        devInteractions: { enabled: true },
        registration: { enabled: true },
        revocation: { enabled: true, allowedPolicy: () => true },
        dPoP: { enabled: true },
        resourceIndicators: {
          enabled: true,
          useGrantedResource: () => true,
          getResourceServerInfo: (_context, resource) => ({
            scope: scopes,
            audience: resource,
            accessTokenFormat: 'jwt',
            accessTokenTTL: 600,
            jwt: { sign: { alg: 'ES256' } },
          }),
        },
      },
    });
    const serve = provider.callback();
    http.on('request', (request, response) => {
      const { pathname } = new URL(request.url ?? '', server.issuer);
      server.requests.push(`${request.method} ${pathname}`);
      server.#recordSecrets(pathname, response);
      if (!server.intercept(request, response)) serve(request, response);
    });
    return server;
  }

  /** Logs in and consents at the page, as a user does. Resolves to where the browser would be redirected, unasked. */
  async approve(page: string, user = 'ada'): Promise<string> {
    const cookies = new Map<string, string>();
    const visit = async (url: string, form?: Record<string, string>): Promise<Response> => {
      const response = await fetch(url, {
        redirect: 'manual',
        headers: { cookie: [...cookies].map((each) => each.join('=')).join('; ') },
        ...(form && { method: 'POST', body: new URLSearchParams(form) }),
      });
      for (const cookie of response.headers.getSetCookie()) {
        const [, name = '', value = ''] = /^([^=]+)=([^;]*)/.exec(cookie) ?? [];
        cookies.set(name, value);
      }
      return response;
    };
    let response = await visit(page);
    for (let step = 0; step < 20; step += 1) {
      const location = response.headers.get('location');
      if (location === null) {
        const [, prompt = ''] = /name="prompt" value="(\w+)"/.exec(await response.text()) ?? [];
        if (prompt === '') throw new Error(`The login stopped at ${response.url} with HTTP ${response.status}`);
        const credentials = { login: user, password: 'x' };
        response = await visit(response.url, { prompt, ...(prompt === 'login' && credentials) });
        continue;
      }
      const next = new URL(location, page);
      if (next.origin !== this.issuer) return next.href;
      response = await visit(next.href);
    }
    throw new Error('The login has no end');
  }

  async close(): Promise<void> {
    this.#http.close().closeAllConnections();
    if (this.#http.listening) await once(this.#http, 'close');
  }

  #recordSecrets(path: string, response: ServerResponse): void {
    const body: Buffer[] = [];
    const end = response.end.bind(response) as (chunk?: unknown, ...rest: unknown[]) => ServerResponse;
    response.end = ((chunk?: unknown, ...rest: unknown[]) => {
      if (typeof chunk === 'string' || chunk instanceof Uint8Array) body.push(Buffer.from(chunk));
      const location = String(response.getHeader('location') ?? '');
      if (URL.canParse(location)) this.#addSecret(new URL(location).searchParams.get('code'));
      if (path === '/token' || path === '/reg') {
        const response = JSON.parse(Buffer.concat(body).toString() || '{}') as Record<string, unknown>;
        for (const name of [
          'access_token',
          'refresh_token',
          'id_token',
          'client_secret',
          'registration_access_token',
        ]) {
          this.#addSecret(response[name]);
        }
      }
      return end(chunk, ...rest);
    }) as ServerResponse['end'];
  }

  #addSecret(value: unknown): void {
    if (typeof value === 'string' && value !== '') this.secrets.add(value);
  }
}
