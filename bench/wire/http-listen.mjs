import { createServer } from 'node:http';

/** How the server is asked to answer calls: with `json` bodies or `sse` event streams. */
export const answers = process.env.ANSWERS === 'sse' ? 'sse' : 'json';

/** Listens on 127.0.0.1:$PORT and prints the address; `onRequest` gets each request, its response and its whole body. */
export function listenHttp(onRequest) {
  listenHttpUnread((request, response) => {
    const chunks = [];
    request.on('data', (chunk) => chunks.push(chunk));
    request.on('end', () => {
      onRequest(request, response, (chunks.length === 1 ? chunks[0] : Buffer.concat(chunks)).toString());
    });
  });
}

/** The same for those who read bodies themselves. */
export function listenHttpUnread(onRequest) {
  const server = createServer(onRequest);
  const port = Number(process.env.PORT ?? 0);
  server.listen(port, '127.0.0.1', () => {
    const { port: given } = /** @type {import('node:net').AddressInfo} */ (server.address());
    console.log(`http://127.0.0.1:${given}/mcp`);
  });
}
