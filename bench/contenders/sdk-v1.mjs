// The official SDK, v1: McpServer with zod schemas, as its guide shows.
import { McpServer } from '@modelcontextprotocol/sdk/server/mcp.js';
import { z } from 'zod';
import { selectionChanged } from '../wire/selection-changed.mjs';
import {
  syntheticToolCount,
  syntheticToolDescription,
  syntheticToolName,
  syntheticZodSchema,
} from '../wire/synthetic-tools.mjs';

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
  const { StdioServerTransport } = await import('@modelcontextprotocol/sdk/server/stdio.js');
  await createServer().connect(new StdioServerTransport());
}

/** v1 has no WebSocket server; this mirrors its own WebSocketClientTransport, with the messages of a tick in one write. */
async function ws() {
  const [{ JSONRPCMessageSchema }, { corkedSender, listenWebSocket }] = await Promise.all([
    import('@modelcontextprotocol/sdk/types.js'),
    import('../wire/web-socket-listen.mjs'),
  ]);
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
      this.webSocket.on('message', (data) => this.onmessage?.(JSONRPCMessageSchema.parse(JSON.parse(data.toString()))));
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
  const [{ Client }, { InMemoryTransport }, { reportCalls }] = await Promise.all([
    import('@modelcontextprotocol/sdk/client/index.js'),
    import('@modelcontextprotocol/sdk/inMemory.js'),
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
    import('@modelcontextprotocol/sdk/client/index.js'),
    import('@modelcontextprotocol/sdk/client/stdio.js'),
    import('../load/in-process.mjs'),
  ]);
  const client = new Client({ name: 'bench', version: '1.0.0' });
  await client.connect(
    new StdioClientTransport({ command: process.execPath, args: [import.meta.filename, 'stdio'], stderr: 'inherit' }),
  );
  const schema = z.object({ method: z.literal('selection_changed'), params: z.looseObject({}) });
  await reportBursts({
    burst: (count) => client.callTool({ name: 'burst', arguments: { count } }),
    subscribe: (listener) => client.setNotificationHandler(schema, ({ params }) => listener(params)),
  });
  await client.close();
}

await { stdio, ws, http, memory, notifications }[process.argv[2]]();
