// The official SDK, v2: McpServer with zod schemas behind serveStdio, as its guide shows.
import { deserializeMessage, InMemoryTransport, McpServer } from '@modelcontextprotocol/server';
import { z } from 'zod';
import { selectionChanged } from '../wire/selection-changed.mjs';
import {
  syntheticToolCount,
  syntheticToolDescription,
  syntheticToolName,
  syntheticZodSchema,
} from '../wire/synthetic-tools.mjs';

function createServer() {
  const server = new McpServer({ name: 'sdk-v2', version: '1.0.0' });
  server.registerTool(
    'echo',
    { description: 'Returns the text it was given', inputSchema: z.object({ text: z.string() }) },
    async ({ text }) => ({ content: [{ type: 'text', text }] }),
  );
  server.registerTool(
    'burst',
    {
      description: 'Sends selection_changed notifications, then answers',
      inputSchema: z.object({ count: z.number().int() }),
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

/** v2 has no WebSocket server; this does what its stdio transport does with a line. */
async function ws() {
  const { listenWebSocket } = await import('../wire/web-socket-listen.mjs');
  class WebSocketServerTransport {
    constructor(webSocket) {
      this.webSocket = webSocket;
    }
    async start() {
      this.webSocket.on('message', (data) => this.onmessage?.(deserializeMessage(data.toString())));
      this.webSocket.on('close', () => this.onclose?.());
    }
    async send(message) {
      this.webSocket.send(JSON.stringify(message));
    }
    async close() {
      this.webSocket.close();
    }
  }
  listenWebSocket((webSocket) => createServer().connect(new WebSocketServerTransport(webSocket)));
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

await { stdio, ws, memory, notifications }[process.argv[2]]();
