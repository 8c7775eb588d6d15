import { once } from 'node:events';
import { createInterface } from 'node:readline';
import { PassThrough } from 'node:stream';
import { afterEach } from 'vitest';
import { WebSocket } from 'ws';
import type { Message } from '../src/jsonrpc/message.ts';
import type { Server } from '../src/server/server.ts';
import { memoryPair } from '../src/transports/memory/pair.ts';
import { listenStdio } from '../src/transports/stdio/listen.ts';
import { listenWebSocket } from '../src/transports/websocket/listen.ts';
import type { Json } from './json.ts';
import { Mailbox } from './mailbox.ts';

export const VERSION = '2026-07-28';
export const TASKS = { extensions: { 'io.modelcontextprotocol/tasks': {} } };

export interface RawRequest {
  readonly jsonrpc: '2.0';
  readonly id: number;
  readonly method: string;
  readonly params?: object;
}

let lastId = 0;
const closers: (() => unknown)[] = [];
afterEach(async () => {
  for (const close of closers.splice(0)) await close();
});

/** A client that writes and reads messages as they are, one by one. */
export class RawWire {
  readonly #send: (message: object) => void;
  readonly #received: Mailbox<Json>;
  /** What was read while the response to something else was awaited. */
  readonly #passedOver: Json[] = [];

  constructor(send: (message: object) => void, received: Mailbox<Json>) {
    this.#send = send;
    this.#received = received;
  }

  send(message: object): void {
    this.#send(message);
  }

  /** The next unread message. */
  next(): Promise<Json> {
    return this.#passedOver.length > 0 ? Promise.resolve(this.#passedOver.shift()) : this.#received.take();
  }

  /** What has come in and was not read. */
  get rest(): readonly Json[] {
    return [...this.#passedOver, ...this.#received.rest];
  }

  /** The response to a request, stateless or in a session; other messages are left for `next`. */
  async responseTo(message: { readonly id: number | string }): Promise<Json> {
    this.#send(message);
    for (;;) {
      const received = await this.#received.take();
      if (received.id === message.id && received.method === undefined) return received;
      this.#passedOver.push(received);
    }
  }

  /** Sends a stateless request. */
  ask(method: string, params: object = {}, capabilities: object = {}): Promise<Json> {
    return this.responseTo(stateless(method, params, capabilities));
  }

  call(name: string, more: object = {}, capabilities: object = {}): Promise<Json> {
    return this.ask('tools/call', { name, ...more }, capabilities);
  }

  async initialize(capabilities: object = {}, protocolVersion = '2025-11-25'): Promise<Json> {
    const params = { protocolVersion, capabilities, clientInfo: { name: 'raw', version: '0' } };
    const response = await this.responseTo(request('initialize', params));
    this.#send({ jsonrpc: '2.0', method: 'notifications/initialized' });
    return response;
  }
}

export function request(method: string, params?: object): RawRequest {
  lastId += 1;
  return { jsonrpc: '2.0', id: lastId, method, ...(params && { params }) };
}

/** The `_meta` of every stateless request. */
export function meta(capabilities: object = {}): { [key: string]: unknown } {
  return {
    'io.modelcontextprotocol/protocolVersion': VERSION,
    'io.modelcontextprotocol/clientCapabilities': capabilities,
  };
}

export function stateless(method: string, params: object = {}, capabilities: object = {}): RawRequest {
  return request(method, { _meta: meta(capabilities), ...params });
}

export function openMemory(server: Server): RawWire {
  const [ours, theirs] = memoryPair({ copy: 'json' });
  const received = new Mailbox<Json>();
  const ignore = () => {};
  server.connect(ours);
  theirs.start({
    message: received.put,
    malformed: ignore,
    batch: received.put,
    refused: () => {},
    ended: ignore,
    closed: ignore,
  });
  closers.push(() => theirs.close());
  return new RawWire((message) => theirs.send(message as Message), received);
}

async function openWebSocket(server: Server): Promise<RawWire> {
  const listener = await listenWebSocket({ accept: (connection) => server.connect(connection) });
  const socket = new WebSocket(listener.url, ['mcp']);
  const received = new Mailbox<Json>();
  socket.on('message', (data) => received.put(JSON.parse(String(data))));
  await once(socket, 'open');
  closers.push(async () => {
    socket.terminate();
    await listener.close();
  });
  return new RawWire((message) => socket.send(JSON.stringify(message)), received);
}

async function openStdio(server: Server): Promise<RawWire> {
  const [input, output] = [new PassThrough(), new PassThrough()];
  const received = new Mailbox<Json>();
  createInterface({ input: output }).on('line', (line) => received.put(JSON.parse(line)));
  const session = server.connect(listenStdio({ input, output }));
  closers.push(() => session.close());
  return new RawWire((message) => void input.write(`${JSON.stringify(message)}\n`), received);
}

/** Every way to a server but HTTP, which has tests of its own. */
export const WIRES: readonly [name: string, open: (server: Server) => RawWire | Promise<RawWire>][] = [
  ['memory', openMemory],
  ['WebSocket', openWebSocket],
  ['stdio', openStdio],
];
