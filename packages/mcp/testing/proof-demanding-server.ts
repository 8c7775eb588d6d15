import { createHash } from 'node:crypto';
import { createServer, type Server as HttpServer, type IncomingHttpHeaders } from 'node:http';
import type { AddressInfo } from 'node:net';
import { calculateJwkThumbprint, createRemoteJWKSet, EmbeddedJWK, type JWK, jwtVerify } from 'jose';
import { Server } from '../src/server/server.ts';
import { createHttpHandler } from '../src/transports/http/server/node/serve.ts';

/** A real MCP server over HTTP that accepts only tokens with a proof of their key (RFC 9449), and checks the proofs. */
export class ProofDemandingServer {
  readonly url: string;
  /** Gets the thumbprint of the key of each valid proof. */
  onProof: (thumbprint: string) => void = () => {};
  readonly #http: HttpServer;

  private constructor(http: HttpServer) {
    this.#http = http;
    this.url = `http://127.0.0.1:${(http.address() as AddressInfo).port}/mcp`;
  }

  static async open(issuer: string): Promise<ProofDemandingServer> {
    const http = createServer();
    await new Promise<void>((resolve) => http.listen(0, '127.0.0.1', resolve));
    const opened = new ProofDemandingServer(http);
    const keys = createRemoteJWKSet(new URL('/jwks', issuer));
    const verify = async (method: string, headers: IncomingHttpHeaders) => {
      const [, token = ''] = /^DPoP (.+)$/.exec(headers.authorization ?? '') ?? [];
      const { payload } = await jwtVerify(token, keys, { issuer, audience: opened.url });
      const proof = await jwtVerify(String(headers.dpop), EmbeddedJWK, { typ: 'dpop+jwt', maxTokenAge: 60 });
      const thumbprint = await calculateJwkThumbprint(proof.protectedHeader.jwk as JWK);
      const { htm, htu, ath } = proof.payload;
      const digest = createHash('sha256').update(token).digest('base64url');
      const isRight = htm === method && htu === opened.url && ath === digest;
      if (!isRight || (payload.cnf as { jkt?: string }).jkt !== thumbprint) throw new Error('Not the key of the token');
      opened.onProof(thumbprint);
      return { id: String(payload.sub) };
    };
    const server = new Server({ name: 'bound', version: '1.0.0' });
    const challenge = 'DPoP scope="notes", algs="ES256"';
    const authorize = Object.assign(
      ({ method, headers }: { readonly method: string; readonly headers: object }) =>
        verify(method, headers as IncomingHttpHeaders).catch(() => ({
          status: 401 as const,
          wwwAuthenticate: challenge,
        })),
      {
        resourceMetadata: {
          path: '/.well-known/oauth-protected-resource/mcp',
          document: { resource: opened.url, authorization_servers: [issuer] },
        },
      },
    );
    http.on('request', createHttpHandler(server, { authorize }));
    return opened;
  }

  async close(): Promise<void> {
    this.#http.closeAllConnections();
    await new Promise((resolve) => this.#http.close(resolve));
  }
}
