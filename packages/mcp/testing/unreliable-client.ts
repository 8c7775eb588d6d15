import type { RedisClient } from '../src/redis/client.ts';

const MAX_FAULTS = 300;

/**
 * A client whose connection breaks: of some commands only the reply is lost, others do not reach the server. It holds after
 * many faults, because each takes time.
 */
export function unreliableClient(client: RedisClient): RedisClient {
  let count = 0;
  let faults = 0;
  const fail = () => {
    faults += 1;
    throw new Error('Socket closed unexpectedly');
  };
  return {
    ...client,
    send: async (key, command) => {
      count += 1;
      const number = count;
      if (number % 5 === 2 && faults < MAX_FAULTS) fail();
      const reply = await client.send(key, command);
      if (number % 3 === 1 && faults < MAX_FAULTS) fail();
      return reply;
    },
  };
}
