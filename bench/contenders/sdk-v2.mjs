// The official SDK, v2: McpServer with zod schemas behind serveStdio or createMcpHandler, as its guide shows.
import { deserializeMessage, InMemoryTransport, McpServer } from '@modelcontextprotocol/server';
import { z } from 'zod';
import { selectionChanged } from '../wire/selection-changed.mjs';
import {
  syntheticToolCount,
  syntheticToolDescription,
  syntheticToolName,
  syntheticZodSchema,
} from '../wire/synthetic-tools.mjs';

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
  for (let index = 0; index < syntheticToolCount; index++) {
    server.registerTool(
      syntheticToolName(index),
      { description: syntheticToolDescription(index), inputSchema: syntheticZodSchema(z) },
      async () => ({ content: [] }),
    );
  }
  return server;
}

async function stdio() {
  const { serveStdio } = await import('@modelcontextprotocol/server/stdio');
  serveStdio(createServer);
}

/** v2 has no WebSocket server; this does what its stdio transport does with a line, and writes the messages of a tick at once. */
async function ws() {
  const { corkedSender, listenWebSocket } = await import('../wire/web-socket-listen.mjs');
  class WebSocketServerTransport {
    /** @type {((message: any) => void) | undefined} */
    onmessage;
    /** @type {(() => void) | undefined} */
    onclose;
    constructor(webSocket, socket) {
      this.webSocket = webSocket;
      this.sendText = corkedSender(webSocket, socket);
    }
    async start() {
      this.webSocket.on('message', (data) => this.onmessage?.(deserializeMessage(data.toString())));
      this.webSocket.on('close', () => this.onclose?.());
    }
    async send(message) {
      this.sendText(JSON.stringify(message));
    }
    async close() {
      this.webSocket.close();
    }
  }
  listenWebSocket((webSocket, socket) => createServer().connect(new WebSocketServerTransport(webSocket, socket)));
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
  const [{ Client }, { reportCalls }] = await Promise.all([
    import('@modelcontextprotocol/client'),
    import('../load/in-process.mjs'),
  ]);
  const [clientTransport, serverTransport] = InMemoryTransport.createLinkedPair();
  const client = new Client({ name: 'bench', version: '1.0.0' });
  await Promise.all([createServer().connect(serverTransport), client.connect(clientTransport)]);
  await reportCalls((text) => client.callTool({ name: 'echo', arguments: { text } }));
  await client.close();
}

async function notifications() {
  const [{ Client }, { StdioClientTransport }, { reportBursts }] = await Promise.all([
    import('@modelcontextprotocol/client'),
    import('@modelcontextprotocol/client/stdio'),
    import('../load/in-process.mjs'),
  ]);
  const client = new Client({ name: 'bench', version: '1.0.0' });
  await client.connect(
    new StdioClientTransport({ command: process.execPath, args: [import.meta.filename, 'stdio'], stderr: 'inherit' }),
  );
  const schemas = { params: z.looseObject({}) };
  await reportBursts({
    burst: (count) => client.callTool({ name: 'burst', arguments: { count } }),
    subscribe: (listener) => client.setNotificationHandler('selection_changed', schemas, listener),
  });
  await client.close();
}

await { stdio, ws, http, memory, notifications }[process.argv[2]]();
