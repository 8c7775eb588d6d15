// The official SDK, v2: McpServer with zod schemas behind serveStdio or createMcpHandler, as its guide shows.
import { deserializeMessage, InMemoryTransport, McpServer } from '@modelcontextprotocol/server';
import { z } from 'zod';
import { selectionChanged } from '../wire/selection-changed.mjs';
import { syntheticTools, syntheticZodSchema } from '../wire/synthetic-tools.mjs';

// Made once: createMcpHandler has a server made for each request.
const echoInput = z.object({ text: z.string() });
const burstInput = z.object({ count: z.number().int() });

function createServer() {
  const server = new McpServer({ name: 'sdk-v2', version: '1.0.0' });
  server.registerTool(
    'echo',
    { description: 'Returns the text it was given', inputSchema: echoInput },
    async ({ text }) => ({ content: [{ type: 'text', text }] }),
  );
  server.registerTool(
    'burst',
    {
      description: 'Sends selection_changed notifications, then answers',
      inputSchema: burstInput,
    },
    async ({ count }, { mcpReq }) => {
      for (let index = 0; index < count; index++) await mcpReq.notify(selectionChanged(index));
      return { content: [{ type: 'text', text: `sent ${count}` }] };
    },
  );
  for (const { name, ...tool } of syntheticTools(() => syntheticZodSchema(z))) {
    server.registerTool(name, tool, async () => ({ content: [] }));
  }
  return server;
}

async function stdio() {
  const { serveStdio } = await import('@modelcontextprotocol/server/stdio');
  serveStdio(createServer);
}

/** v2 has no WebSocket server; this reads as its stdio transport does, and writes the messages of a tick at once. */
async function ws() {
  const { serveSdk } = await import('../wire/sdk-web-socket.mjs');
  serveSdk(createServer, deserializeMessage);
}

/** createMcpHandler for requests that stand alone, and one transport a session for the others, as its guide has both. */
async function http() {
  const [
    { createMcpHandler },
    { localhostHostValidation, localhostOriginValidation, NodeStreamableHTTPServerTransport, toNodeHandler },
    { answers, listenHttpUnread },
  ] = await Promise.all([
    import('@modelcontextprotocol/server'),
    import('@modelcontextprotocol/node'),
    import('../wire/http-listen.mjs'),
  ]);
  const isHostAllowed = localhostHostValidation();
  const isOriginAllowed = localhostOriginValidation();
  const stateless = toNodeHandler(createMcpHandler(createServer, { responseMode: answers === 'sse' ? 'sse' : 'auto' }));
  const sessions = new Map();
  const openSession = async () => {
    const transport = new NodeStreamableHTTPServerTransport({
      sessionIdGenerator: () => crypto.randomUUID(),
      enableJsonResponse: answers === 'json',
      onsessioninitialized: (id) => void sessions.set(id, transport),
    });
    await createServer().connect(transport);
    return transport;
  };
  listenHttpUnread(async (request, response) => {
    if (!isHostAllowed(request, response) || !isOriginAllowed(request, response)) return;
    if (request.headers['mcp-method'] !== undefined) {
      await stateless(request, response);
    } else {
      const transport = sessions.get(request.headers['mcp-session-id']) ?? (await openSession());
      await transport.handleRequest(request, response);
    }
  });
}

async function memory() {
  const [{ Client }, { callInMemory }] = await Promise.all([
    import('@modelcontextprotocol/client'),
    import('../load/sdk-client.mjs'),
  ]);
  await callInMemory({ Client, InMemoryTransport }, createServer());
}

async function notifications() {
  const [{ Client }, { StdioClientTransport }, { receiveBursts }] = await Promise.all([
    import('@modelcontextprotocol/client'),
    import('@modelcontextprotocol/client/stdio'),
    import('../load/sdk-client.mjs'),
  ]);
  const schemas = { params: z.looseObject({}) };
  await receiveBursts({ Client, StdioClientTransport }, import.meta.filename, (client, listener) =>
    client.setNotificationHandler('selection_changed', schemas, listener),
  );
}

await { stdio, ws, http, memory, notifications }[process.argv[2]]();
