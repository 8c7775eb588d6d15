import { memoryPair, Server } from '@hawser/mcp';
import { Client } from '@hawser/mcp/client';

const server = new Server({ name: 'greeter', version: '1.0.0' });
const inputSchema = { type: 'object', properties: { who: { type: 'string' } }, required: ['who'] };
server.tool({ name: 'greet', inputSchema }, ({ who }) => `Hello, ${who}!`);
const [here, there] = memoryPair();
server.connect(here);
const session = await new Client({ name: 'me', version: '1.0.0' }).connect(there);
console.log(await session.callTool('greet', { who: 'Ada' }));
