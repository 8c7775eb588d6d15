// mcp-lite: node mcp-lite.mjs http, as its guide shows, with sessions. It has no stdio.
import { serve } from '@hono/node-server';
import { Hono } from 'hono';
import { InMemorySessionAdapter, McpServer, StreamableHttpTransport } from 'mcp-lite';
import { z } from 'zod';

const server = new McpServer({ name: 'mcp-lite', version: '1.0.0', schemaAdapter: (schema) => z.toJSONSchema(schema) });
const text = (value) => ({ content: [{ type: 'text', text: value }] });
server.tool('echo', {
  description: 'Echoes',
  inputSchema: z.object({ text: z.string() }),
  handler: ({ text: given }) => text(given),
});
server.tool('now', { description: 'Tells the time', annotations: { readOnlyHint: true }, handler: () => text('now') });
server.resource('test://one', { name: 'one', mimeType: 'text/plain' }, async (uri) => ({
  contents: [{ uri: uri.href, type: 'text', text: 'one' }],
}));
const say = (value) => ({ messages: [{ role: 'user', content: { type: 'text', text: value } }] });
server.prompt('plain', { description: 'No arguments', handler: () => say('hello') });
server.prompt('greet', {
  description: 'One',
  arguments: z.object({ who: z.string() }),
  handler: ({ who }) => say(who),
});

const app = new Hono();
let handler;
app.all('/mcp', (context) => handler(context.req.raw));
serve({ fetch: app.fetch, hostname: '127.0.0.1', port: 0 }, ({ port }) => {
  const transport = new StreamableHttpTransport({
    sessionAdapter: new InMemorySessionAdapter({ maxEventBufferSize: 1024 }),
    allowedHosts: [`127.0.0.1:${port}`],
    allowedOrigins: [`http://127.0.0.1:${port}`],
  });
  handler = transport.bind(server);
  console.log(`http://127.0.0.1:${port}/mcp`);
});
