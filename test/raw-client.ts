import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import { WebSocket } from 'ws';
import type { Json } from '../packages/mcp/testing/json.ts';

/** Speaks raw text with a server that runs as a process of its own, and reads its answers one by one. */
export interface RawClient {
  /** Sends a text as one message, exactly as it is; other values as JSON. */
  send(message: unknown): void;
  /** The next message that has not been read yet. */
  next(): Promise<Json>;
  readonly process: ChildProcess;
  close(): Promise<void>;
}

export type RawTransport = 'stdio' | 'ws';

/** Starts a server program with the transport as its argument. */
export async function startRaw(
  program: string,
  transport: RawTransport,
  env: Record<string, string> = {},
): Promise<RawClient> {
  const path = fileURLToPath(new URL(program, import.meta.url));
  const child = spawn(process.execPath, [path, transport], {
    stdio: ['pipe', 'pipe', 'inherit'],
    env: { ...process.env, ...env },
  });
  const lines = createInterface({ input: child.stdout });
  const inbox = makeInbox();
  const stop = async () => {
    if (child.exitCode === null && child.signalCode === null) {
      const exited = once(child, 'exit');
      child.kill();
      await exited;
    }
  };
  if (transport === 'stdio') {
    lines.on('line', (line) => inbox.put(JSON.parse(line)));
    child.stdin.on('error', () => {});
    return { send: (m) => void child.stdin.write(`${textOf(m)}\n`), next: inbox.take, process: child, close: stop };
  }
  const [url] = (await once(lines, 'line')) as [string];
  const socket = new WebSocket(url, ['mcp']);
  socket.on('message', (data) => inbox.put(JSON.parse(data.toString())));
  await once(socket, 'open');
  return {
    send: (message) => socket.send(textOf(message)),
    next: inbox.take,
    process: child,
    close: async () => {
      socket.terminate();
      await stop();
    },
  };
}

/** Agrees on a revision, as every session begins. */
export async function negotiate(client: RawClient, protocolVersion = '2025-11-25'): Promise<Json> {
  const params = { protocolVersion, capabilities: {}, clientInfo: { name: 'raw', version: '0' } };
  client.send({ jsonrpc: '2.0', id: 'handshake', method: 'initialize', params });
  const { result } = await client.next();
  client.send({ jsonrpc: '2.0', method: 'notifications/initialized' });
  return result;
}

function textOf(message: unknown): string {
  return typeof message === 'string' ? message : JSON.stringify(message);
}

function makeInbox(): { put(message: Json): void; take(): Promise<Json> } {
  const messages: Json[] = [];
  const takers: ((message: Json) => void)[] = [];
  return {
    put: (message) => {
      const taker = takers.shift();
      if (taker) taker(message);
      else messages.push(message);
    },
    take: () =>
      messages.length > 0 ? Promise.resolve(messages.shift()) : new Promise((resolve) => takers.push(resolve)),
  };
}
