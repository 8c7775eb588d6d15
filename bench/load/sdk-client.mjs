// Drives the client of the official SDK, of either version.
import { reportBursts, reportCalls } from './in-process.mjs';

const INFO = { name: 'bench', version: '1.0.0' };

/** Calls a server in the same process. */
export async function callInMemory({ Client, InMemoryTransport }, server) {
  const [clientTransport, serverTransport] = InMemoryTransport.createLinkedPair();
  const client = new Client(INFO);
  await Promise.all([server.connect(serverTransport), client.connect(clientTransport)]);
  await reportCalls((text) => client.callTool({ name: 'echo', arguments: { text } }));
  await client.close();
}

/** Gets notifications of a contender over stdio. `subscribe` adds the listener to the client. */
export async function receiveBursts({ Client, StdioClientTransport }, contender, subscribe) {
  const client = new Client(INFO);
  await client.connect(
    new StdioClientTransport({ command: process.execPath, args: [contender, 'stdio'], stderr: 'inherit' }),
  );
  await reportBursts({
    burst: (count) => client.callTool({ name: 'burst', arguments: { count } }),
    subscribe: (listener) => subscribe(client, listener),
  });
  await client.close();
}
