// A small MCP server, to try things with: node examples/echo/echo.mjs stdio|ws|http
//   PORT   where `ws` and `http` listen on 127.0.0.1 (default: any free port)
//   TOOLS  how many synthetic tools to offer besides echo and burst
import { Server, serveStdio } from '@hawser/mcp/stdio';

const usage = `Usage: node echo.mjs stdio|ws|http

An MCP server with two tools: echo {text} answers the text; burst {count} sends that many selection_changed
notifications and then answers.

  stdio   one JSON message a line on stdin and stdout
  ws      WebSocket on 127.0.0.1:$PORT
  http    Streamable HTTP on 127.0.0.1:$PORT, path /mcp; ANSWERS=sse responds with event streams

Environment: PORT (default: any free port), TOOLS=n (n more synthetic tools)`;

const PACE = 200;

function makeServer() {
  const server = new Server({ name: 'echo', version: '1.0.0' });
  server.tool(
    {
      name: 'echo',
      description: 'Answers the text it is given.',
      inputSchema: {
        type: 'object',
        properties: { text: { type: 'string', description: 'What to answer' } },
        required: ['text'],
      },
    },
    ({ text }) => ({ content: [{ type: 'text', text }] }),
  );
  server.tool(
    {
      name: 'burst',
      description: 'Sends many selection_changed notifications, then answers.',
      inputSchema: {
        type: 'object',
        properties: { count: { type: 'integer', minimum: 0, description: 'How many' } },
        required: ['count'],
      },
    },
    async ({ count }, context) => {
      for (let n = 0; n < count; n += 1) {
        context.notify('selection_changed', selection(n));
        if (n % PACE === PACE - 1) await context.drained();
      }
      return `sent ${count}`;
    },
  );
  for (let n = 0; n < Number(process.env.TOOLS ?? 0); n += 1) server.tool(syntheticTool(n), () => 'done');
  return server;
}

/** About 300 bytes on the wire. */
function selection(line) {
  return {
    text: 'const answer = await session.callTool("echo", { text: "the selected text" });'.padEnd(90),
    filePath: '/home/someone/project/src/main.ts',
    fileUrl: 'file:///home/someone/project/src/main.ts',
    selection: { start: { line, character: 4 }, end: { line, character: 81 }, isEmpty: false },
  };
}

function syntheticTool(n) {
  return {
    name: `synthetic_${n}`,
    description: `Synthetic tool number ${n}: looks up a record by its key and answers with the fields asked for.`,
    inputSchema: {
      type: 'object',
      properties: {
        key: { type: 'string', description: 'The key of the record' },
        fields: { type: 'array', items: { type: 'string' }, description: 'Which fields to answer with' },
        limit: { type: 'integer', minimum: 1, maximum: 100 },
      },
      required: ['key'],
    },
  };
}

switch (process.argv[2]) {
  case 'stdio': {
    serveStdio(makeServer());
    break;
  }
  case 'ws': {
    const { serveWebSocket } = await import('@hawser/mcp/websocket');
    const { url } = await serveWebSocket(makeServer(), { port: Number(process.env.PORT ?? 0) });
    console.log(`echo: listening on ${url}`);
    break;
  }
  case 'http': {
    const { serveHttp } = await import('@hawser/mcp/http');
    const server = makeServer();
    const { url } = await serveHttp(server, {
      port: Number(process.env.PORT ?? 0),
      responseFormat: process.env.ANSWERS === 'sse' ? 'sse' : 'json',
    });
    console.log(`echo: listening on ${url}`);
    break;
  }
  default:
    console.error(usage);
    process.exitCode = process.argv[2] === '--help' ? 0 : 2;
}
