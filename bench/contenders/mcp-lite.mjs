// mcp-lite knows only HTTP, but its server takes one message at a time through `_dispatch`, which is also what its own
// transport calls; for stdio and WebSocket that sits behind the floor's transports. It has neither a client nor a way
// to send custom notifications, so it takes no part where those are measured.
import { McpServer } from 'mcp-lite';
import { z } from 'zod';
import { syntheticTools, syntheticZodSchema } from '../wire/synthetic-tools.mjs';

function createServer() {
  const server = new McpServer({
    name: 'mcp-lite',
    version: '1.0.0',
    schemaAdapter: (schema) => z.toJSONSchema(/** @type {import('zod').ZodType} */ (schema)),
  });
  server.tool('echo', {
    description: 'Returns the text it was given',
    inputSchema: z.object({ text: z.string() }),
    handler: ({ text }) => ({ content: [{ type: 'text', text }] }),
  });
  for (const { name, ...tool } of syntheticTools(() => syntheticZodSchema(z))) {
    server.tool(name, { ...tool, handler: () => ({ content: [] }) });
  }
  return server;
}

async function receive(server, text, send) {
  const response = await server._dispatch(JSON.parse(text));
  if (response !== null) send(JSON.stringify(response));
}

async function stdio() {
  const { lineWriter, readLines } = await import('../wire/lines.mjs');
  const server = createServer();
  const send = lineWriter(process.stdout);
  readLines(process.stdin, (line) => receive(server, line, send));
}

async function ws() {
  const { corkedSender, listenWebSocket } = await import('../wire/web-socket-listen.mjs');
  const server = createServer();
  listenWebSocket((webSocket, socket) => {
    const send = corkedSender(webSocket, socket);
    webSocket.on('message', (data) => receive(server, data.toString(), send));
  });
}

/** Its own transport, behind listenFetch. It answers with an event stream whenever the client accepts one. */
async function http() {
  const [{ InMemorySessionAdapter, StreamableHttpTransport }, { answers }, { listenFetch }] = await Promise.all([
    import('mcp-lite'),
    import('../wire/http-listen.mjs'),
    import('../wire/fetch-listen.mjs'),
  ]);
  const sessionAdapter = new InMemorySessionAdapter({ maxEventBufferSize: 1024 });
  const answer = new StreamableHttpTransport({ sessionAdapter }).bind(createServer());
  listenFetch(answer, answers === 'sse' ? 'text/event-stream' : 'application/json');
}

await { stdio, ws, http }[process.argv[2]]();
