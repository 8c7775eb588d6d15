import { createServer, request } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { Json } from '../../mcp/testing/json.ts';

const REVISIONS = ['2024-11-05', '2025-03-26', '2025-06-18', '2025-11-25'];
const META = 'io.modelcontextprotocol/protocolVersion';

/**
 * A proxy that makes a server look as if `newest` were the last revision it supports: it negotiates that one at most,
 * answers later methods with -32601, drops later headers, and answers foreign origins with 400, as revisions before
 * 2025-11-25 allow.
 */
export async function serveOlder(upstream: string, newest: string): Promise<{ url: string; close(): void }> {
  const server = createServer((asked, response) => {
    const chunks: Buffer[] = [];
    asked.on('data', (chunk: Buffer) => chunks.push(chunk));
    asked.on('end', () => {
      let body = Buffer.concat(chunks);
      const message = parsed(body);
      if (message?.method === 'server/discover' || message?.params?._meta?.[META] !== undefined) {
        const error = { code: -32601, message: 'Method not found' };
        response.setHeader('Content-Type', 'application/json');
        response.end(JSON.stringify({ jsonrpc: '2.0', id: message.id, error }));
        return;
      }
      if (message?.method === 'initialize' && typeof message.params?.protocolVersion === 'string') {
        const { protocolVersion: wanted } = message.params;
        message.params.protocolVersion = REVISIONS.includes(wanted) && wanted < newest ? wanted : newest;
        body = Buffer.from(JSON.stringify(message));
      }
      const { 'transfer-encoding': _, 'content-length': __, host = '', ...headers } = asked.headers;
      if (newest < '2025-06-18') delete headers['mcp-protocol-version'];
      if (body.length > 0) headers['content-length'] = String(body.length);
      const isForeign = host.includes('evil');
      const options = { method: asked.method ?? 'GET', headers: { ...headers, ...(isForeign && { host }) } };
      const forwarded = request(upstream, options, (answer) => {
        response.writeHead(answer.statusCode === 403 ? 400 : (answer.statusCode ?? 502), answer.headers);
        response.flushHeaders();
        answer.pipe(response);
      });
      forwarded.on('error', () => response.destroy());
      response.on('close', () => forwarded.destroy());
      forwarded.end(body);
    });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  return {
    url: `http://127.0.0.1:${port}/mcp`,
    close: () => {
      server.closeAllConnections();
      server.close();
    },
  };
}

function parsed(body: Buffer): Json {
  try {
    return JSON.parse(body.toString());
  } catch {
    return undefined;
  }
}
