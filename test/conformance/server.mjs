// The server that the official conformance suite is run on: everything the suite asks for, on the built package.
//   PORT   the port to listen on, of this machine alone; default any that is free
// Prints its URL when it listens.
import { Server } from '@hawser/mcp';
import { serveHttp } from '@hawser/mcp/http';
import { addAskingTools } from './fixtures/asking-tools.mjs';
import { addPrompts } from './fixtures/prompts.mjs';
import { addResources } from './fixtures/resources.mjs';
import { addTasks } from './fixtures/tasks.mjs';
import { addTools } from './fixtures/tools.mjs';

const server = new Server(
  { name: 'hawser-conformance', version: '1.0.0' },
  {
    instructions: 'Offers what the official conformance suite calls.',
    capabilities: { logging: {} },
    tasks: {},
    caching: { ttlMs: 60_000, cacheScope: 'public' },
  },
);
addTools(server);
addAskingTools(server);
addTasks(server);
addPrompts(server);
addResources(server);

const { url } = await serveHttp(server, { port: Number(process.env.PORT ?? 0) });
console.log(url);

// Started by another program, it does not outlive it.
process.once('disconnect', () => process.exit());
