// Hawser's own client, for the measures that need one; its server is the echo example.
import { fileURLToPath } from 'node:url';
import { memoryPair, Server } from '@hawser/mcp';
import { Client } from '@hawser/mcp/client';
import { connectStdio } from '@hawser/mcp/stdio';
import { reportBursts, reportCalls } from '../load/in-process.mjs';

const echoExample = fileURLToPath(new URL('../../examples/echo/echo.mjs', import.meta.url));

async function memory() {
  const server = new Server({ name: 'echo', version: '1.0.0' });
  const inputSchema = { type: 'object', properties: { text: { type: 'string' } }, required: ['text'] };
  server.tool({ name: 'echo', description: 'Returns the text it was given', inputSchema }, ({ text }) => ({
    content: [{ type: 'text', text: /** @type {string} */ (text) }],
  }));
  const [serverEnd, clientEnd] = memoryPair();
  server.connect(serverEnd);
  const session = await new Client({ name: 'bench', version: '1.0.0' }, { negotiation: 'initialize' }).connect(
    clientEnd,
  );
  await reportCalls((text) => session.callTool('echo', { text }));
  await session.close();
}

async function notifications() {
  const connection = connectStdio({ command: process.execPath, args: [echoExample, 'stdio'] });
  const session = await new Client({ name: 'bench', version: '1.0.0' }, { negotiation: 'initialize' }).connect(
    connection,
  );
  await reportBursts({
    burst: (count) => session.callTool('burst', { count }),
    subscribe: (listener) => session.onNotification('selection_changed', listener),
  });
  await session.close();
}

await { memory, notifications }[process.argv[2]]();
