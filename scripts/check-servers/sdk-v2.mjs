// The official SDK, version 2: node sdk-v2.mjs stdio|http, as its guide shows.
import { createServer } from 'node:http';
import { localhostHostValidation, localhostOriginValidation, toNodeHandler } from '@modelcontextprotocol/node';
import { createMcpHandler, McpServer } from '@modelcontextprotocol/server';
import { serveStdio } from '@modelcontextprotocol/server/stdio';
import { z } from 'zod';

function makeServer() {
  const server = new McpServer({ name: 'sdk-v2', version: '1.0.0' });
  const text = (value) => ({ content: [{ type: 'text', text: value }] });
  server.registerTool(
    'echo',
    { description: 'Echoes', inputSchema: z.object({ text: z.string() }) },
    ({ text: given }) => text(given),
  );
  server.registerTool('now', { description: 'Tells the time', annotations: { readOnlyHint: true } }, () => text('now'));
  server.registerTool(
    'weather',
    { description: 'Structured', annotations: { readOnlyHint: true }, outputSchema: z.object({ degrees: z.number() }) },
    () => ({ ...text('21'), structuredContent: { degrees: 21 } }),
  );
  server.registerResource('one', 'test://one', { mimeType: 'text/plain' }, (uri) => ({
    contents: [{ uri: uri.href, text: 'one' }],
  }));
  const say = (value) => ({ messages: [{ role: 'user', content: { type: 'text', text: value } }] });
  server.registerPrompt('plain', { description: 'No arguments' }, () => say('hello'));
  server.registerPrompt('greet', { description: 'One', argsSchema: z.object({ who: z.string() }) }, ({ who }) =>
    say(who),
  );
  return server;
}

if (process.argv[2] === 'stdio') serveStdio(makeServer);
else {
  const isHostAllowed = localhostHostValidation();
  const isOriginAllowed = localhostOriginValidation();
  const handler = toNodeHandler(createMcpHandler(makeServer));
  const listener = createServer((request, response) => {
    if (isHostAllowed(request, response) && isOriginAllowed(request, response)) void handler(request, response);
  });
  listener.listen(0, '127.0.0.1', () => console.log(`http://127.0.0.1:${listener.address().port}/mcp`));
}
