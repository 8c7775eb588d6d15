// A server with every feature of the built package: node good-server.mjs stdio|ws|http|sse|sessionless
import { Server } from '@hawser/mcp';

function makeServer() {
  const server = new Server({ name: 'good', version: '1.0.0' });
  const text = { type: 'object', properties: { text: { type: 'string' } }, required: ['text'] };
  server.tool({ name: 'echo', description: 'Answers the text', inputSchema: text }, ({ text: given }) => given);
  server.tool({ name: 'now', description: 'Tells the time', annotations: { readOnlyHint: true } }, () => 'now');
  server.resource({ uri: 'test://one', name: 'one' }, () => 'the text of it');
  server.resourceTemplate({ uriTemplate: 'test://many/{name}', name: 'many' }, ({ name }) => `the text of ${name}`);
  server.prompt({ name: 'plain', description: 'No arguments' }, () => 'Say hello');
  server.prompt(
    { name: 'greet', description: 'One argument', arguments: [{ name: 'who', required: true }] },
    ({ who }) => `Greet ${who}`,
  );
  return server;
}

const mode = process.argv[2];
if (mode === 'ws') {
  const { serveWebSocket } = await import('@hawser/mcp/websocket');
  console.log((await serveWebSocket(makeServer(), {})).url);
} else if (mode === 'stdio') {
  const { serveStdio } = await import('@hawser/mcp/stdio');
  serveStdio(makeServer());
} else {
  const { serveHttp } = await import('@hawser/mcp/http');
  const options = { answers: mode === 'sse' ? 'sse' : 'json', sessions: mode === 'sessionless' ? 'none' : 'kept' };
  console.log((await serveHttp(makeServer(), options)).url);
}
