import { driveClient } from './http-client.mjs';

/** Drives the client when it is asked to: a Worker can send requests only while it answers one. */
export default {
  fetch: async (request) => {
    try {
      return new Response(JSON.stringify(await driveClient(await request.json())));
    } catch (error) {
      return new Response(error.stack, { status: 500 });
    }
  },
};
