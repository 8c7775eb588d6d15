// The server that is attacked, on the built package: node victim.mjs [stdio]
// Over the network it prints one line of JSON: { "http": url, "webSocket": url }.
import { Server } from '@hawser/mcp';
import { serveHttp } from '@hawser/mcp/http';
import { serveStdio } from '@hawser/mcp/stdio';
import { serveWebSocket } from '@hawser/mcp/websocket';

const server = new Server(
  { name: 'victim', version: '1.0.0' },
  { capabilities: { logging: {} }, tasks: {}, onError: () => {} },
);
const textInput = { type: 'object', properties: { text: { type: 'string' } }, required: ['text'] };
const countInput = { type: 'object', properties: { count: { type: 'integer', minimum: 0, maximum: 1000 } } };

server.tool({ name: 'echo', inputSchema: textInput }, ({ text }) => text);
server.tool({ name: 'chatty', inputSchema: countInput }, async ({ count = 1 }, context) => {
  for (let index = 0; index < count; index += 1) {
    context.progress(index);
    context.log('info', index);
  }
  return 'done';
});
server.tool({ name: 'ask' }, async (_, context) => {
  const message = 'What is your name?';
  const requestedSchema = { type: 'object', properties: { name: { type: 'string' } } };
  const { action } = await context.elicit({ message, requestedSchema });
  return action;
});
server.tool({ name: 'fail' }, () => {
  throw new Error('as it should');
});
server.tool({ name: 'odd' }, () => ({ content: [{ type: 'text', text: 1n }] }));
server.tool({ name: 'memory' }, () => String(process.memoryUsage.rss()));
server.resource({ uri: 'fuzz://one', name: 'one' }, () => 'one');
server.resourceTemplate({ uriTemplate: 'fuzz://thing/{name}{?also,more*}', name: 'things' }, (uri) => uri);
server.prompt(
  { name: 'greet', arguments: [{ name: 'who', required: true, complete: (value) => [`${value}!`] }] },
  ({ who }) => `Hello, ${who}`,
);

if (process.argv[2] === 'stdio') {
  serveStdio(server);
} else {
  const http = await serveHttp(server);
  const webSocket = await serveWebSocket(server);
  console.log(JSON.stringify({ http: http.url, webSocket: webSocket.url }));
}
