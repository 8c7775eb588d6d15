// The official SDK, v1: McpServer with zod schemas, as its guide shows.
import { McpServer } from '@modelcontextprotocol/sdk/server/mcp.js';
import { z } from 'zod';
import { selectionChanged } from '../wire/selection-changed.mjs';
import { syntheticTools, syntheticZodSchema } from '../wire/synthetic-tools.mjs';

function createServer() {
  const server = new McpServer({ name: 'sdk-v1', version: '1.0.0' });
  server.registerTool(
    'echo',
    { description: 'Returns the text it was given', inputSchema: { text: z.string() } },
    async ({ text }) => ({ content: [{ type: 'text', text }] }),
  );
  server.registerTool(
    'burst',
    {
      description: 'Sends selection_changed notifications, then answers',
      inputSchema: { count: z.number().int() },
    },
    async ({ count }, { sendNotification }) => {
      for (let index = 0; index < count; index++) await sendNotification(/** @type {any} */ (selectionChanged(index)));
      return { content: [{ type: 'text', text: `sent ${count}` }] };
    },
  );
  for (const { name, ...tool } of syntheticTools(() => syntheticZodSchema(z))) {
    server.registerTool(name, tool, async () => ({ content: [] }));
  }
  return server;
}

async function stdio() {
  const { StdioServerTransport } = await import('@modelcontextprotocol/sdk/server/stdio.js');
  await createServer().connect(new StdioServerTransport());
}

/** v1 has no WebSocket server; this reads as its own WebSocketClientTransport does, and writes the messages of a tick at once. */
async function ws() {
  const [{ JSONRPCMessageSchema }, { serveSdk }] = await Promise.all([
    import('@modelcontextprotocol/sdk/types.js'),
    import('../wire/sdk-web-socket.mjs'),
  ]);
  serveSdk(createServer, (text) => JSONRPCMessageSchema.parse(JSON.parse(text)));
}

/** One transport a session, and the body parsed beforehand, as in its examples; but those run behind Express. */
async function http() {
  const [{ StreamableHTTPServerTransport }, { answers, listenHttp }] = await Promise.all([
    import('@modelcontextprotocol/sdk/server/streamableHttp.js'),
    import('../wire/http-listen.mjs'),
  ]);
  const sessions = new Map();
  const openSession = async () => {
    const transport = new StreamableHTTPServerTransport({
      sessionIdGenerator: () => crypto.randomUUID(),
      enableJsonResponse: answers === 'json',
      onsessioninitialized: (id) => void sessions.set(id, transport),
    });
    await createServer().connect(transport);
    return transport;
  };
  listenHttp(async (request, response, text) => {
    const transport = sessions.get(request.headers['mcp-session-id']) ?? (await openSession());
    await transport.handleRequest(request, response, JSON.parse(text));
  });
}

async function memory() {
  const [{ Client }, { InMemoryTransport }, { callInMemory }] = await Promise.all([
    import('@modelcontextprotocol/sdk/client/index.js'),
    import('@modelcontextprotocol/sdk/inMemory.js'),
    import('../load/sdk-client.mjs'),
  ]);
  await callInMemory({ Client, InMemoryTransport }, createServer());
}

async function notifications() {
  const [{ Client }, { StdioClientTransport }, { receiveBursts }] = await Promise.all([
    import('@modelcontextprotocol/sdk/client/index.js'),
    import('@modelcontextprotocol/sdk/client/stdio.js'),
    import('../load/sdk-client.mjs'),
  ]);
  const schema = z.object({ method: z.literal('selection_changed'), params: z.looseObject({}) });
  await receiveBursts({ Client, StdioClientTransport }, import.meta.filename, (client, listener) =>
    client.setNotificationHandler(schema, ({ params }) => listener(params)),
  );
}

await { stdio, ws, http, memory, notifications }[process.argv[2]]();
