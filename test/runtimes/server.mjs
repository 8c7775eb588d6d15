import { Server } from '@hawser/mcp';

/** The same server for every runtime. */
export function makeServer() {
  const server = new Server({ name: 'runtimes', version: '1.0.0' });
  const inputSchema = { type: 'object', properties: { text: { type: 'string' } }, required: ['text'] };
  server.tool({ name: 'echo', inputSchema }, ({ text }) => text);
  server.tool({ name: 'count' }, (_args, context) => {
    for (const done of [1, 2, 3]) context.progress(done, 3);
    return 'three';
  });
  server.tool({ name: 'later' }, async () => {
    await new Promise((resolve) => setTimeout(resolve, 5));
    return 'later';
  });
  return server;
}
