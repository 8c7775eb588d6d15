import { once } from 'node:events';
import { chmodSync } from 'node:fs';
import { createServer, type Server, type Socket } from 'node:net';
import { asError } from '@hawser/unknown-values/thrown';
import type { Address } from '../../discovery/address.ts';

/** Serves the connections of a listener; see `listener` in the options of `serveHttp`. */
export interface Service {
  /** Closes all connections and the listener. */
  close(): Promise<void>;
}

export interface LazyListener<S extends Service> {
  /** 0 on a socket. */
  readonly port: number;
  /** Undefined until a client has sent something. */
  readonly service: S | undefined;
  /** Safe to call twice. */
  close(): Promise<void>;
}

export interface LazyListenerOptions<S extends Service> {
  readonly address: Address;
  /** Called when a client has sent something. */
  readonly serve: (listener: Server) => Promise<S>;
  /** Called when `serve` fails. The clients are disconnected, and the next one makes it try again. */
  readonly onProblem: (error: Error) => void;
}

/** Clients that have sent nothing while there is no service. One more replaces the oldest. */
const MAX_WAITING = 64;
const WAIT_MS = 10_000;

/**
 * Listens at once, and makes the service for the first client: most bridges run for a while before an agent connects,
 * and many adapters never get one. A connection that only looks whether something listens makes no service.
 */
export async function listenLazily<S extends Service>(options: LazyListenerOptions<S>): Promise<LazyListener<S>> {
  const { address, serve, onProblem } = options;
  const listener = createServer();
  const waiting = new Map<Socket, () => void>();
  let service: S | undefined;
  let starting: Promise<void> | undefined;
  let closing: Promise<void> | undefined;

  const start = async () => {
    service = await serve(listener);
    listener.off('connection', wait);
    for (const [socket, release] of waiting) {
      release();
      if (!socket.destroyed) listener.emit('connection', socket);
    }
  };
  const failed = (error: unknown) => {
    starting = undefined;
    for (const socket of waiting.keys()) socket.destroy();
    onProblem(asError(error));
  };
  const wait = (socket: Socket) => {
    // The service is still opening, but listens already and gets this socket itself.
    if (listener.listenerCount('connection') > 1) return;
    const received = () => {
      if (socket.readableLength === 0) return void socket.destroy();
      starting ??= start().catch(failed);
    };
    const destroy = () => void socket.destroy();
    const release = () => {
      waiting.delete(socket);
      socket
        .off('readable', received)
        .off('error', destroy)
        .off('close', release)
        .off('timeout', destroy)
        .setTimeout(0);
    };
    waiting.set(socket, release);
    socket.on('readable', received).on('error', destroy).on('close', release).setTimeout(WAIT_MS, destroy);
    const [oldest] = waiting.keys();
    if (waiting.size > MAX_WAITING) oldest?.destroy();
  };
  const close = async () => {
    await starting;
    if (service !== undefined) return service.close();
    const closed = new Promise((resolve) => listener.close(resolve));
    for (const socket of waiting.keys()) socket.destroy();
    await closed;
  };

  listener.on('connection', wait);
  const { port, socketPath } = address;
  const where = socketPath === undefined ? { host: '127.0.0.1', port } : { path: socketPath };
  await once(listener.listen(where), 'listening');
  if (socketPath !== undefined) chmodSync(socketPath, 0o600);
  const bound = listener.address();
  return {
    port: typeof bound === 'object' && bound !== null ? bound.port : 0,
    get service() {
      return service;
    },
    close: () => {
      closing ??= close();
      return closing;
    },
  };
}
