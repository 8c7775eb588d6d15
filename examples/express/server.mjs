// An MCP server inside an Express application, beside its other routes.
import { createHttpHandler, Server } from '@hawser/mcp/http';
import express from 'express';

const server = new Server({ name: 'clock', version: '1.0.0' });
server.tool({ name: 'now', annotations: { readOnlyHint: true } }, () => new Date().toISOString());

const app = express();
app.use(express.json());
app.get('/', (_request, response) => response.send('MCP is at /mcp'));
app.all('/mcp', createHttpHandler(server));

const listener = app.listen(Number(process.env.PORT ?? 0), '127.0.0.1', () => {
  const { port } = /** @type {import('node:net').AddressInfo} */ (listener.address());
  console.log(`Listening at http://127.0.0.1:${port}/mcp`);
});
