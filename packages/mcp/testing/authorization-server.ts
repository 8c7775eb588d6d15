import { once } from 'node:events';
import { createServer, type Server as HttpServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { type CryptoKey, exportJWK, generateKeyPair, SignJWT } from 'jose';
import { Provider } from 'oidc-provider';

export const RESOURCE = 'https://mcp.example.com/mcp';

/** Clients get tokens for themselves, by the client credentials grant. */
const CLIENTS = ['ada', 'bob', 'resource-server'];
export const secretOf = (client: string) => `secret of ${client}, 100% & "quoted"`;

export interface TokenRequest {
  readonly scope?: string;
  readonly resource?: string;
}

/** A real authorization server: `oidc-provider` on a port of this machine. */
export class AuthorizationServer {
  readonly issuer: string;
  /** Paths that were asked for. */
  readonly requests: string[] = [];
  readonly #http: HttpServer;
  readonly #format: 'jwt' | 'opaque';
  #key: { readonly id: string; readonly privateKey: CryptoKey } | undefined;
  #provider: Provider | undefined;

  private constructor(http: HttpServer, format: 'jwt' | 'opaque') {
    this.#http = http;
    this.#format = format;
    this.issuer = `http://127.0.0.1:${(http.address() as AddressInfo).port}`;
    http.on('request', (request, response) => {
      this.requests.push(request.url ?? '');
      this.#provider?.callback()(request, response);
    });
  }

  static async open(format: 'jwt' | 'opaque' = 'jwt'): Promise<AuthorizationServer> {
    const http = createServer().listen(0, '127.0.0.1');
    await once(http, 'listening');
    const server = new AuthorizationServer(http, format);
    await server.rotateKeys();
    return server;
  }

  /** Signs with another key from now on, and forgets the former. */
  async rotateKeys(): Promise<void> {
    const { privateKey } = await generateKeyPair('ES256', { extractable: true });
    const id = crypto.randomUUID();
    this.#key = { id, privateKey };
    const jwk = { ...(await exportJWK(privateKey)), kid: id, alg: 'ES256', use: 'sig' };
    const accessTokenFormat = this.#format;
    this.#provider = new Provider(this.issuer, {
      jwks: { keys: [jwk] } as never, // the types of the two packages differ
      clients: CLIENTS.map((client_id) => ({
        client_id,
        client_secret: secretOf(client_id),
        grant_types: ['client_credentials'],
        redirect_uris: [],
        response_types: [],
      })),
      cookies: { keys: ['test'] },
      clientDefaults: { id_token_signed_response_alg: 'ES256' },
      features: {
        devInteractions: { enabled: false },
        clientCredentials: { enabled: true },
        introspection: { enabled: true, allowedPolicy: (_context, client) => client.clientId === 'resource-server' },
        revocation: { enabled: true, allowedPolicy: () => true },
        resourceIndicators: {
          enabled: true,
          getResourceServerInfo: (_context, resource) => ({
            scope: 'notes notes:write add',
            audience: resource,
            accessTokenFormat,
            accessTokenTTL: 600,
            jwt: { sign: { alg: 'ES256' } },
          }),
        },
      },
      ttl: { ClientCredentials: 600 },
    });
  }

  /** A new token, from the token endpoint. */
  async token(client: string, { scope = 'notes', resource = RESOURCE }: TokenRequest = {}): Promise<string> {
    const response = await this.#post('/token', client, { grant_type: 'client_credentials', scope, resource });
    const { access_token, ...rest } = (await response.json()) as { access_token?: string };
    if (access_token === undefined) throw new Error(`No token: ${JSON.stringify(rest)}`);
    return access_token;
  }

  async revoke(client: string, token: string): Promise<void> {
    const { status } = await this.#post('/token/revocation', client, { token });
    if (status !== 200) throw new Error(`Not revoked: HTTP ${status}`);
  }

  /** A token that the server would not issue, signed with its key. Valid, apart from what the claims change. */
  sign(
    claims: Readonly<Record<string, unknown>> = {},
    header: Readonly<Record<string, unknown>> = {},
  ): Promise<string> {
    if (this.#key === undefined) throw new Error('There is no key');
    const now = Math.floor(Date.now() / 1000);
    const valid = { iss: this.issuer, aud: RESOURCE, sub: 'ada', scope: 'notes', iat: now, exp: now + 600 };
    return new SignJWT({ ...valid, ...claims })
      .setProtectedHeader({ alg: 'ES256', kid: this.#key.id, ...header })
      .sign(this.#key.privateKey);
  }

  async stop(): Promise<void> {
    this.#http.close().closeAllConnections();
    if (this.#http.listening) await once(this.#http, 'close');
  }

  async restart(): Promise<void> {
    this.#http.listen(Number(new URL(this.issuer).port), '127.0.0.1');
    await once(this.#http, 'listening');
  }

  #post(path: string, client: string, form: Record<string, string>): Promise<Response> {
    const Authorization = `Basic ${btoa(`${client}:${encodeURIComponent(secretOf(client))}`)}`;
    return fetch(this.issuer + path, { method: 'POST', headers: { Authorization }, body: new URLSearchParams(form) });
  }
}
