import { fileURLToPath } from 'node:url';
import { type Connection, memoryPair } from '@hawser/mcp';
import { type ChildConnection, connectStdio } from '@hawser/mcp/stdio';
import { connectWebSocket, listenWebSocket } from '@hawser/mcp/websocket';

/** Both ends of a connection in this process, and how to take down what carries them. */
export interface Way {
  readonly client: Connection;
  readonly server: Connection;
  close(): Promise<void>;
}

export async function overMemory(): Promise<Way> {
  const [client, server] = memoryPair({ copy: 'json' });
  return { client, server, close: () => client.close() };
}

export async function overWebSocket(): Promise<Way> {
  const { url, accepted, close } = await awaitOneWebSocket();
  const client = await connectWebSocket(url);
  return { client, server: await accepted, close };
}

/** A listener for libraries that bring their own WebSocket client. */
export async function awaitOneWebSocket() {
  let accept: (connection: Connection) => void;
  const accepted = new Promise<Connection>((resolve) => {
    accept = resolve;
  });
  const listener = await listenWebSocket({ accept: (connection) => accept(connection) });
  return { url: listener.url, accepted, close: () => listener.close() };
}

/** How to start a showcase server in a process of its own; it runs on the built package. */
export function fixtureCommand(name: string, ...args: readonly string[]) {
  return {
    command: process.execPath,
    args: [fileURLToPath(new URL(`fixtures/${name}.mjs`, import.meta.url)), ...args],
  };
}

export function overStdio(name: string, ...args: readonly string[]): ChildConnection {
  return connectStdio(fixtureCommand(name, ...args));
}
