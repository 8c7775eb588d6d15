// tmcp: node tmcp.mjs stdio|http, as its guide shows.
import { serve } from '@hono/node-server';
import { ZodJsonSchemaAdapter } from '@tmcp/adapter-zod';
import { HttpTransport } from '@tmcp/transport-http';
import { StdioTransport } from '@tmcp/transport-stdio';
import { McpServer } from 'tmcp';
import { z } from 'zod';

const server = new McpServer(
  { name: 'tmcp', version: '1.0.0', description: 'A server' },
  { adapter: new ZodJsonSchemaAdapter(), capabilities: { tools: {}, prompts: {}, resources: {} } },
);
const text = (value) => ({ content: [{ type: 'text', text: value }] });
server.tool({ name: 'echo', description: 'Echoes', schema: z.object({ text: z.string() }) }, ({ text: given }) =>
  text(given),
);
server.tool({ name: 'now', description: 'Tells the time', annotations: { readOnlyHint: true } }, () => text('now'));
server.resource({ name: 'one', description: 'One', uri: 'test://one' }, async (uri) => ({
  contents: [{ uri, text: 'one' }],
}));
const say = (value) => ({ messages: [{ role: 'user', content: { type: 'text', text: value } }] });
server.prompt({ name: 'plain', description: 'No arguments' }, () => say('hello'));
server.prompt({ name: 'greet', description: 'One', schema: z.object({ who: z.string() }) }, ({ who }) => say(who));

if (process.argv[2] === 'stdio') new StdioTransport(server).listen();
else {
  const transport = new HttpTransport(server);
  const fetch = async (request) => (await transport.respond(request)) ?? new Response(null, { status: 404 });
  serve({ fetch, hostname: '127.0.0.1', port: 0 }, ({ port }) => console.log(`http://127.0.0.1:${port}/mcp`));
}
