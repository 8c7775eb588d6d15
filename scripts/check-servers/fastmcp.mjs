// fastmcp: node fastmcp.mjs stdio|http, as its guide shows.
import { createServer } from 'node:net';
import { FastMCP } from 'fastmcp';
import { z } from 'zod';

const server = new FastMCP({ name: 'fastmcp', version: '1.0.0' });
server.addTool({
  name: 'echo',
  description: 'Echoes',
  parameters: z.object({ text: z.string() }),
  execute: async ({ text }) => text,
});
server.addTool({
  name: 'now',
  description: 'Tells the time',
  annotations: { readOnlyHint: true },
  execute: async (_args, { reportProgress }) => {
    for (const progress of [1, 2]) await reportProgress({ progress, total: 2 });
    return 'now';
  },
});
server.addResource({ uri: 'test://one', name: 'one', mimeType: 'text/plain', load: async () => ({ text: 'one' }) });
server.addPrompt({ name: 'plain', description: 'No arguments', load: async () => 'hello' });
server.addPrompt({
  name: 'greet',
  description: 'One',
  arguments: [{ name: 'who', description: 'Whom to greet', required: true }],
  load: async ({ who }) => who,
});

if (process.argv[2] === 'stdio') await server.start({ transportType: 'stdio' });
else {
  const port = await freePort();
  await server.start({ transportType: 'httpStream', httpStream: { port, host: '127.0.0.1' } });
  console.log(`http://127.0.0.1:${port}/mcp`);
}

function freePort() {
  return new Promise((resolve) => {
    const probe = createServer().listen(0, '127.0.0.1', () => {
      const { port } = probe.address();
      probe.close(() => resolve(port));
    });
  });
}
