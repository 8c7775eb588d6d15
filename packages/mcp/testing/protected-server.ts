import { createServer, type Server as HttpServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { Client } from '../src/client/client.ts';
import { authorizationCode } from '../src/oauth/client/grants/authorization-code.ts';
import { type OAuthClient, type OAuthClientOptions, oauthClient } from '../src/oauth/client/oauth-client.ts';
import { Server } from '../src/server/server.ts';
import { connectHttp } from '../src/transports/http/client/connect.ts';
import { createHttpHandler } from '../src/transports/http/server/node/serve.ts';

/** What a test may change at any time. */
export interface Behavior {
  /** Replaces members of the authorization server's metadata; undefined removes one. */
  metadata: Record<string, unknown>;
  /** Replaces members of the protected resource metadata. */
  resource: Record<string, unknown>;
  /** Seconds that access tokens live. */
  expiresIn: number;
  /** Responds to a token request in place of the server; undefined leaves it to the server. */
  respondToToken?: (parameters: URLSearchParams) => { status: number; body: object } | undefined;
  /** Responds to any request in place of the server. */
  respond?: (path: string, response: ServerResponse) => boolean;
  /** The header by which the MCP server refuses requests. */
  challenge: string;
  /** Whether the MCP server accepts a token that is known. */
  accepts: (token: string) => boolean;
}

export const redirectUrl = 'http://127.0.0.1:9/callback';

/** A real MCP server over HTTP, and an authorization server at the same address. It notes every request. */
export class ProtectedServer {
  readonly behavior: Behavior = {
    metadata: {},
    resource: {},
    expiresIn: 3600,
    challenge: 'Bearer scope="use"',
    accepts: () => true,
  };
  readonly requests: { path: string; parameters: URLSearchParams; authorization: string | undefined }[] = [];
  /** Valid access tokens. */
  readonly tokens = new Set<string>();
  readonly refreshTokens = new Set<string>();
  readonly #http: HttpServer;
  #count = 0;

  private constructor() {
    const server = new Server({ name: 'protected', version: '1' });
    server.tool({ name: 'hello' }, () => 'hello');
    const handler = createHttpHandler(server, {
      authorize: ({ headers }) => {
        const token = String(headers.authorization ?? '').replace('Bearer ', '');
        if (this.tokens.has(token) && this.behavior.accepts(token)) return { id: 'user' };
        return { status: 401, wwwAuthenticate: this.behavior.challenge };
      },
    });
    this.#http = createServer((request, response) => {
      const path = new URL(request.url ?? '', 'http://localhost').pathname;
      if (this.behavior.respond?.(path, response)) return;
      if (path === '/mcp') handler(request, response);
      else void this.#respond(path, request, response);
    });
  }

  static async open(port = 0): Promise<ProtectedServer> {
    const server = new ProtectedServer();
    await new Promise<void>((resolve) => server.#http.listen(port, '127.0.0.1', resolve));
    return server;
  }

  get issuer(): string {
    return `http://127.0.0.1:${(this.#http.address() as AddressInfo).port}`;
  }

  get url(): string {
    return `${this.issuer}/mcp`;
  }

  count(path: string, grantType?: string): number {
    const isCounted = (parameters: URLSearchParams) =>
      grantType === undefined || parameters.get('grant_type') === grantType;
    return this.requests.filter((request) => request.path === path && isCounted(request.parameters)).length;
  }

  /** Makes all access tokens invalid. */
  revokeAccess(): void {
    this.tokens.clear();
  }

  /** A client that logs in without a user. */
  authorization(options: Partial<OAuthClientOptions> = {}): OAuthClient {
    return oauthClient(this.url, { grant: authorizationCode({ redirectUrl, openBrowser }), ...options });
  }

  /** Calls the tool once in a connection of its own. */
  async call(authorization: OAuthClient): Promise<unknown> {
    const client = new Client({ name: 'c', version: '1' }, { onError: () => {} });
    const connection = connectHttp(this.url, { authorization });
    try {
      const session = await client.connect(connection);
      return (await session.callTool('hello')).content;
    } finally {
      await connection.close();
    }
  }

  async close(): Promise<void> {
    this.#http.closeAllConnections();
    await new Promise((resolve) => this.#http.close(resolve));
  }

  async #respond(path: string, request: IncomingMessage, response: ServerResponse): Promise<void> {
    let body = '';
    for await (const part of request) body += part;
    const { searchParams } = new URL(request.url ?? '', 'http://localhost');
    const parameters = request.method === 'GET' ? searchParams : new URLSearchParams(body);
    this.requests.push({ path, parameters, authorization: request.headers.authorization });
    const json = (value: object, status = 200) =>
      response.writeHead(status, { 'Content-Type': 'application/json' }).end(JSON.stringify(value));
    const { issuer, behavior } = this;
    if (path === '/.well-known/oauth-protected-resource/mcp') {
      json({ resource: this.url, authorization_servers: [issuer], ...behavior.resource });
    } else if (path === '/.well-known/oauth-authorization-server') {
      json({
        issuer,
        authorization_endpoint: `${issuer}/authorize`,
        token_endpoint: `${issuer}/token`,
        registration_endpoint: `${issuer}/register`,
        revocation_endpoint: `${issuer}/revoke`,
        code_challenge_methods_supported: ['S256'],
        token_endpoint_auth_methods_supported: ['none'],
        ...behavior.metadata,
      });
    } else if (path === '/authorize') {
      const state = encodeURIComponent(parameters.get('state') ?? '');
      response.writeHead(302, { Location: `${parameters.get('redirect_uri')}?code=secret-code&state=${state}` }).end();
    } else if (path === '/register') {
      this.#count += 1;
      json({ client_id: `client-${this.#count}` }, 201);
    } else if (path === '/token') {
      const special = behavior.respondToToken?.(parameters);
      if (special !== undefined) json(special.body, special.status);
      else this.#giveTokens(parameters, json);
    } else {
      response.writeHead(path === '/revoke' ? 200 : 404).end();
    }
  }

  #giveTokens(parameters: URLSearchParams, json: (value: object, status?: number) => void): void {
    const used = parameters.get('refresh_token');
    if (used !== null && !this.refreshTokens.delete(used)) {
      json({ error: 'invalid_grant', error_description: `${used} is unknown` }, 400);
      return;
    }
    this.#count += 1;
    const tokens = { access_token: `secret-access-${this.#count}`, refresh_token: `secret-refresh-${this.#count}` };
    this.tokens.add(tokens.access_token);
    this.refreshTokens.add(tokens.refresh_token);
    json({ ...tokens, token_type: 'Bearer', expires_in: this.behavior.expiresIn });
  }
}

export async function openBrowser(url: string): Promise<string> {
  const response = await fetch(url, { redirect: 'manual' });
  return response.headers.get('location') ?? '';
}
