import { createServer, type Server as HttpServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { type RequireBearerOptions, requireBearer } from '../src/oauth/resource-server/require-bearer.ts';
import { Server } from '../src/server/server.ts';
import { createHttpHandler } from '../src/transports/http/server/node/serve.ts';

/** A real MCP server over HTTP for those with a token of the issuer, at the URL that its tokens are for. */
export class BearerMcpServer {
  readonly url: string;
  readonly #http: HttpServer;

  private constructor(http: HttpServer) {
    this.#http = http;
    this.url = `http://127.0.0.1:${(http.address() as AddressInfo).port}/mcp`;
  }

  /** On the port of `url`, if one is given. */
  static async open(
    issuer: string,
    { url, ...options }: Partial<RequireBearerOptions> & { readonly url?: string } = {},
  ): Promise<BearerMcpServer> {
    const http = createServer();
    const port = url === undefined ? 0 : Number(new URL(url).port);
    await new Promise<void>((resolve) => http.listen(port, '127.0.0.1', resolve));
    const opened = new BearerMcpServer(http);
    const server = new Server({ name: 'protected', version: '1.0.0' });
    server.tool({ name: 'who', description: 'Says who is logged in' }, (_args, { principal }) => String(principal?.id));
    server.tool({ name: 'write', description: 'Needs another scope' }, () => 'written');
    const authorize = requireBearer({
      issuer,
      audience: opened.url,
      scopes: ['notes'],
      toolScopes: { write: ['notes:write'] },
      ...options,
    });
    http.on('request', createHttpHandler(server, { authorize }));
    return opened;
  }

  async close(): Promise<void> {
    this.#http.closeAllConnections();
    await new Promise((resolve) => this.#http.close(resolve));
  }
}
