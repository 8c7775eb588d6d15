// A client over WebSocket, in whatever runtime this is: node websocket-client.mjs URL
import assert from 'node:assert/strict';
import { Client } from '@hawser/mcp/client';
import { connectWebSocket } from '@hawser/mcp/websocket';

const client = new Client({ name: 'runtimes', version: '1.0.0' });
const session = await client.connect(await connectWebSocket(process.argv[2]));
const { content } = await session.callTool('echo', { text: 'over a socket' });
assert.equal(content[0].text, 'over a socket');
await session.close();
