// An MCP server inside a Hono application. The same handler runs in Bun, Deno and workerd.
import { createFetchHandler, Server } from '@hawser/mcp/fetch';
import { serve } from '@hono/node-server';
import { Hono } from 'hono';

const server = new Server({ name: 'clock', version: '1.0.0' });
server.tool({ name: 'now', annotations: { readOnlyHint: true } }, () => new Date().toISOString());
const handler = createFetchHandler(server);

const app = new Hono();
app.get('/', (context) => context.text('MCP is at /mcp'));
app.all('/mcp', (context) => handler(context.req.raw));

serve({ fetch: app.fetch, hostname: '127.0.0.1', port: Number(process.env.PORT ?? 0) }, ({ port }) => {
  console.log(`Listening at http://127.0.0.1:${port}/mcp`);
});
