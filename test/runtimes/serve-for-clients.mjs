// @ts-check
import { createServer } from 'node:http';
import { Server, serveHttp } from '@hawser/mcp/http';

/** The servers that `http-client.mjs` speaks with. Pages of every origin may use them. */
export async function serveForClients() {
  const options = { cors: { origins: /** @type {const} */ ('*') } };
  const open = await serveHttp(makeServer(), options);
  const secured = await serveHttp(makeServer(), {
    ...options,
    authorize: ({ headers }) =>
      headers.authorization === 'Bearer token'
        ? { id: 'user' }
        : { status: 401, wwwAuthenticate: 'Bearer scope="use"' },
  });
  return {
    urls: { open: open.url, secured: secured.url, legacy: open.url, closed: await closedUrl() },
    close: async () => {
      await Promise.all([open.close(), secured.close()]);
    },
  };
}

function makeServer() {
  const server = new Server({ name: 'runtimes', version: '1.0.0' }, { onError: () => {} });
  const inputSchema = { type: 'object', properties: { text: { type: 'string' } }, required: ['text'] };
  server.tool({ name: 'echo', inputSchema }, (args) => /** @type {{ text: string }} */ (args).text);
  server.tool({ name: 'count' }, (_args, context) => {
    for (const done of [1, 2, 3]) context.progress(done, 3);
    return 'three';
  });
  const requestedSchema = { type: 'object', properties: { name: { type: 'string' } } };
  server.tool({ name: 'ask' }, async (_args, { elicit }) => {
    const { content } = await elicit({ message: 'Your name?', requestedSchema });
    return String(content?.name);
  });
  server.tool({ name: 'wait' }, (_args, context) => {
    context.progress(1);
    return new Promise((resolve) => context.signal.addEventListener('abort', () => resolve('aborted')));
  });
  let grown = 0;
  server.tool({ name: 'grow' }, () => {
    grown += 1;
    server.tool({ name: `grown-${grown}` }, () => 'new');
    return 'grown';
  });
  return server;
}

/** A URL that nobody listens at. */
async function closedUrl() {
  const server = createServer();
  await new Promise((resolve) => server.listen(0, '127.0.0.1', () => resolve(undefined)));
  const { port } = /** @type {import('node:net').AddressInfo} */ (server.address());
  await new Promise((resolve) => server.close(resolve));
  return `http://127.0.0.1:${port}/mcp`;
}
