import { afterEach, expect } from 'vitest';
import { Client, type ClientOptions } from '../src/client/client.ts';
import type { ClientSession } from '../src/client/session.ts';
import { Server } from '../src/server/server.ts';
import type { ServerOptions } from '../src/server/server-options.ts';
import type { ServerSession } from '../src/server/session.ts';
import { memoryPair } from '../src/transports/memory/pair.ts';

const unexpected: Error[] = [];
afterEach(() => {
  expect(unexpected.splice(0)).toEqual([]);
});

/** A server on which every reported error fails the test, unless the test takes errors itself. */
export function makeServer(options: ServerOptions = {}): Server {
  return new Server({ name: 'test', version: '1.2.3' }, { onError: (error) => unexpected.push(error), ...options });
}

/** A client in session with the server, over JSON as on a wire. */
export async function join(server: Server, options: ClientOptions = {}): Promise<[ClientSession, ServerSession]> {
  const [ours, theirs] = memoryPair({ copy: 'json' });
  const serverSession = server.connect(ours);
  const session = await new Client({ name: 'tester', version: '0' }, { negotiation: 'initialize', ...options }).connect(
    theirs,
  );
  // The server has read `notifications/initialized` once it responds to the next request.
  await session.ping();
  return [session, serverSession];
}

export const once = <T>(begin: (done: (value: T) => void) => unknown) =>
  new Promise<T>((resolve) => void begin(resolve));
