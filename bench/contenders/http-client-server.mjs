import { Server, serveHttp } from '@hawser/mcp/http';

const server = new Server({ name: 'bench', version: '1.0.0' });
server.tool({ name: 'echo' }, () => 'hello');
const { url } = await serveHttp(server);
process.send?.(url);
process.once('disconnect', () => process.exit());
