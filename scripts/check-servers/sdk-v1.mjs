// The official SDK, version 1: node sdk-v1.mjs stdio|http, as its guide shows.
import { createServer } from 'node:http';
import { McpServer } from '@modelcontextprotocol/sdk/server/mcp.js';
import { StdioServerTransport } from '@modelcontextprotocol/sdk/server/stdio.js';
import { StreamableHTTPServerTransport } from '@modelcontextprotocol/sdk/server/streamableHttp.js';
import { z } from 'zod';

function makeServer() {
  const server = new McpServer({ name: 'sdk-v1', version: '1.0.0' }, { capabilities: { logging: {} } });
  const text = (value) => ({ content: [{ type: 'text', text: value }] });
  server.registerTool('echo', { description: 'Echoes', inputSchema: { text: z.string() } }, ({ text: given }) =>
    text(given),
  );
  server.registerTool('now', { description: 'Tells the time', annotations: { readOnlyHint: true } }, () => text('now'));
  server.registerTool(
    'weather',
    { description: 'Structured', annotations: { readOnlyHint: true }, outputSchema: { degrees: z.number() } },
    () => ({ ...text('21'), structuredContent: { degrees: 21 } }),
  );
  server.registerTool(
    'steps',
    { description: 'Reports progress', annotations: { readOnlyHint: true } },
    async ({ _meta, sendNotification }) => {
      const { progressToken } = _meta ?? {};
      if (progressToken !== undefined) {
        for (const progress of [1, 2])
          await sendNotification({ method: 'notifications/progress', params: { progressToken, progress, total: 2 } });
      }
      return text('done');
    },
  );
  server.registerResource('one', 'test://one', { mimeType: 'text/plain' }, (uri) => ({
    contents: [{ uri: uri.href, text: 'one' }],
  }));
  const say = (value) => ({ messages: [{ role: 'user', content: { type: 'text', text: value } }] });
  server.registerPrompt('plain', { description: 'No arguments' }, () => say('hello'));
  server.registerPrompt('greet', { description: 'One', argsSchema: { who: z.string() } }, ({ who }) => say(who));
  return server;
}

if (process.argv[2] === 'stdio') await makeServer().connect(new StdioServerTransport());
else {
  const sessions = new Map();
  const listener = createServer(async (request, response) => {
    let transport = sessions.get(request.headers['mcp-session-id']);
    if (transport === undefined && request.headers['mcp-session-id'] !== undefined) {
      const error = { code: -32001, message: 'Session not found' };
      response
        .writeHead(404, { 'Content-Type': 'application/json' })
        .end(JSON.stringify({ jsonrpc: '2.0', error, id: null }));
      return;
    }
    if (transport === undefined) {
      transport = new StreamableHTTPServerTransport({
        sessionIdGenerator: () => crypto.randomUUID(),
        onsessioninitialized: (id) => void sessions.set(id, transport),
        onsessionclosed: (id) => void sessions.delete(id),
      });
      await makeServer().connect(transport);
    }
    await transport.handleRequest(request, response);
  });
  listener.listen(0, '127.0.0.1', () => console.log(`http://127.0.0.1:${listener.address().port}/mcp`));
}
