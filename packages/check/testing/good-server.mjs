// A server with every feature of the built package: node good-server.mjs stdio|ws|http|sse|sessionless|stateless
import { Server } from '@hawser/mcp';

const PIXEL =
  'iVBORw0KGgoAAAANSUhEUgAAABAAAAAQCAIAAACQkWg2AAAAGUlEQVR4nGP4z8DwnxTMQJLq/6MaRjUMKA0A2XL+AhS2nAAAAABJRU5ErkJggg==';

function makeServer() {
  const server = new Server(
    { name: 'good', version: '1.0.0', title: 'Good', icons: [{ src: `data:image/png;base64,${PIXEL}` }] },
    // Small pages, so that there are several.
    { capabilities: { logging: {} }, pageSize: 2, tasks: {} },
  );
  addTools(server);
  server.resource({ uri: 'test://one', name: 'one', mimeType: 'text/plain', size: 14 }, () => 'the text of it');
  server.resource({ uri: 'test://image', name: 'image', mimeType: 'image/png' }, () => ({
    blob: PIXEL,
    mimeType: 'image/png',
  }));
  server.resource(
    { uri: 'test://three', name: 'three', annotations: { audience: ['user'], priority: 0.5 } },
    () => '3',
  );
  server.resourceTemplate({ uriTemplate: 'test://many/{name}', name: 'many' }, ({ name }) => `the text of ${name}`);
  server.prompt({ name: 'plain', description: 'No arguments' }, () => 'Say hello');
  server.prompt({ name: 'image', description: 'An image' }, () => ({
    messages: [
      { role: 'user', content: { type: 'image', data: PIXEL, mimeType: 'image/png' } },
      { role: 'assistant', content: { type: 'resource', resource: { uri: 'test://one', text: 'the text of it' } } },
    ],
  }));
  server.prompt(
    {
      name: 'greet',
      description: 'One argument',
      arguments: [{ name: 'who', required: true, complete: () => ['Ada', 'Grace'] }],
    },
    ({ who }) => `Greet ${who}`,
  );
  return server;
}

function addTools(server) {
  const text = { type: 'object', properties: { text: { type: 'string' } }, required: ['text'] };
  const harmless = { annotations: { readOnlyHint: true } };
  server.tool({ name: 'echo', description: 'Answers the text', inputSchema: text }, ({ text: given }) => given);
  server.tool({ name: 'now', description: 'Tells the time', ...harmless }, () => 'now');
  server.tool({ name: 'steps', description: 'Reports progress', ...harmless }, (_args, { progress, log }) => {
    for (const step of [1, 2, 3]) progress(step, 3, `step ${step}`);
    log('info', 'three steps');
    return 'done';
  });
  server.tool(
    {
      name: 'weather',
      description: 'Has a schema for its result',
      outputSchema: { type: 'object', properties: { degrees: { type: 'number' } }, required: ['degrees'] },
      ...harmless,
    },
    () => ({ structuredContent: { degrees: 21 } }),
  );
  server.tool({ name: 'media', description: 'Every kind of content', ...harmless }, () => ({
    content: [
      { type: 'image', data: PIXEL, mimeType: 'image/png' },
      { type: 'audio', data: 'UklGRg==', mimeType: 'audio/wav' },
      { type: 'resource', resource: { uri: 'test://one', text: 'the text of it' } },
      { type: 'resource_link', uri: 'test://one', name: 'one', annotations: { audience: ['assistant'] } },
    ],
  }));
  server.tool({ name: 'ask', description: 'Asks the user', ...harmless }, async (_args, { elicit }) => {
    const schema = { type: 'object', properties: { name: { type: 'string' } } };
    return (await elicit({ message: 'Who?', requestedSchema: schema })).action;
  });
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
  const options = {
    responseFormat: mode === 'sse' ? 'sse' : 'json',
    sessions: mode === 'sessionless' ? 'none' : 'stored',
  };
  console.log((await serveHttp(makeServer(), options)).url);
}
