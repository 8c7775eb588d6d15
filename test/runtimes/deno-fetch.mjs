import { createFetchHandler } from '@hawser/mcp/fetch';
import { makeServer } from './server.mjs';

const onListen = ({ hostname, port }) => console.log(`http://${hostname}:${port}/`);
globalThis.Deno.serve({ hostname: '127.0.0.1', port: 0, onListen }, createFetchHandler(makeServer()));
