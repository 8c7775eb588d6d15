import { createFetchHandler } from '@hawser/mcp/fetch';
import { makeServer } from './server.mjs';

// Made while the Worker starts, where workerd forbids timers and random numbers, as authors of Workers do it.
export default { fetch: createFetchHandler(makeServer()) };
