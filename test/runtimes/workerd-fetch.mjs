import { createFetchHandler } from '@hawser/mcp/fetch';
import { makeServer } from './server.mjs';

// workerd forbids timers and random numbers outside of requests.
let handler;
export default {
  fetch(request) {
    handler ??= createFetchHandler(makeServer());
    return handler(request);
  },
};
