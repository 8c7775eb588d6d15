import { once } from 'node:events';
import type { AddressInfo } from 'node:net';
import { PassThrough } from 'node:stream';
import { type Connection, memoryPair } from '@hawser/mcp';
import { listenStdio } from '@hawser/mcp/stdio';
import { connectWebSocket, listenWebSocket } from '@hawser/mcp/websocket';
import { WebSocket, WebSocketServer } from 'ws';
import type { Session, Side } from '../packages/client/src/transcript.ts';
import { Mailbox } from './mailbox.ts';
import type { Wire } from './transcript-player.ts';

/** A way to bring the player and the side that is tested together. */
export interface Transport {
  readonly name: string;
  /** Whether everything the player says in this session can be said over this transport. */
  carries(session: Session, player: Side): boolean;
  /** The player as a client; `serve` gets the server's end. */
  toServer(serve: (connection: Connection) => unknown): Promise<Wire>;
  /** The player as a server, and the client's end. */
  toClient(): Promise<{ wire: Wire; connection: Connection }>;
}

const memory: Transport = {
  name: 'memory',
  // Its ends take messages, not text.
  carries: ({ lines }, player) =>
    lines.every((line) => line.kind !== 'message' || line.from !== player || isMessage(line.text)),
  async toServer(serve) {
    const [near, far] = memoryPair({ copy: 'json' });
    serve(far);
    return connectionWire(near);
  },
  async toClient() {
    const [near, far] = memoryPair({ copy: 'json' });
    return { wire: connectionWire(near), connection: far };
  },
};

const webSocket: Transport = {
  name: 'WebSocket',
  carries: () => true,
  async toServer(serve) {
    const listener = await listenWebSocket({ accept: serve });
    const socket = new WebSocket(listener.url, 'mcp');
    const wire = socketWire(socket, () => listener.close());
    await once(socket, 'open');
    return wire;
  },
  async toClient() {
    const listener = new WebSocketServer({ host: '127.0.0.1', port: 0 });
    await once(listener, 'listening');
    const accepted = once(listener, 'connection');
    const { port } = listener.address() as AddressInfo;
    const connection = await connectWebSocket(`ws://127.0.0.1:${port}/`);
    const [socket] = (await accepted) as [WebSocket];
    const wire = socketWire(socket, () => new Promise((resolve) => listener.close(resolve)));
    return { wire, connection };
  },
};

const stdio: Transport = {
  name: 'stdio',
  carries: () => true,
  async toServer(serve) {
    const [input, output] = [new PassThrough(), new PassThrough()];
    serve(listenStdio({ input, output }));
    return lineWire(output, input);
  },
  async toClient() {
    const [input, output] = [new PassThrough(), new PassThrough()];
    return { wire: lineWire(output, input), connection: listenStdio({ input, output }) };
  },
};

export const transports: readonly Transport[] = [memory, webSocket, stdio];

function connectionWire(connection: Connection): Wire {
  const arrived = new Mailbox<unknown>();
  connection.start({
    message: (message) => arrived.put(message),
    malformed: (malformed) => arrived.put(malformed),
    batch: (items) => arrived.put(items),
    refused: () => {},
    ended: () => {},
    closed: (reason) => arrived.end(reason),
  });
  return {
    send: (text) => connection.send(JSON.parse(text)),
    receive: () => arrived.take(),
    close: async () => {
      await connection.close();
      return arrived.rest;
    },
  };
}

/** `release` is called when the connection has ended. */
export function socketWire(socket: WebSocket, release: () => Promise<unknown>): Wire {
  const arrived = new Mailbox<unknown>();
  const closed = once(socket, 'close');
  socket.on('message', (data, isBinary) => arrived.put(isBinary ? 'a binary frame' : JSON.parse(String(data))));
  void closed.then(([code, reason]) => arrived.end(new Error(`closed with ${code} ${reason}`)));
  return {
    send: (text) => socket.send(text),
    receive: () => arrived.take(),
    close: async () => {
      socket.close();
      await closed;
      await release();
      return arrived.rest;
    },
  };
}

function lineWire(input: PassThrough, output: PassThrough): Wire {
  const arrived = new Mailbox<unknown>();
  const ended = once(input, 'end');
  let unfinished = '';
  input.setEncoding('utf8').on('data', (chunk: string) => {
    const lines = (unfinished + chunk).split('\n');
    unfinished = lines.pop() ?? '';
    for (const line of lines) arrived.put(JSON.parse(line));
  });
  void ended.then(() => {
    if (unfinished !== '') arrived.put(`a line without an end: ${unfinished}`);
    arrived.end(new Error('the stream ended'));
  });
  return {
    send: (text) => output.write(`${text}\n`),
    receive: () => arrived.take(),
    close: async () => {
      output.end();
      await ended;
      return arrived.rest;
    },
  };
}

function isMessage(text: string): boolean {
  try {
    const value: unknown = JSON.parse(text);
    const items = Array.isArray(value) ? value : [value];
    return items.every((item) => typeof item === 'object' && item !== null && !Array.isArray(item));
  } catch {
    return false;
  }
}
