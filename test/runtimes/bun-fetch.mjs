import { createFetchHandler } from '@hawser/mcp/fetch';
import { makeServer } from './server.mjs';

const { url } = globalThis.Bun.serve({ hostname: '127.0.0.1', port: 0, fetch: createFetchHandler(makeServer()) });
console.log(String(url));
