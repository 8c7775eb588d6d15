import type { IncomingMessage } from 'node:http';
import type { Socket } from 'node:net';

/** More refused sockets than this are not waited for. */
const MAX_SOCKETS = 16;
const CLOSE_TIMEOUT_MS = 1000;

/**
 * Cuts off clients without a token. They are refused with a WebSocket close frame, and one that ignores it would hold a
 * place among the connections until it pleased to leave.
 */
export class UnauthorizedSockets {
  readonly #sockets = new Set<Socket>();

  /** For `authorize`: passes the answer on, and remembers the socket if it is a no. */
  check({ socket }: IncomingMessage, isAuthorized: boolean): boolean {
    if (!isAuthorized) this.#add(socket);
    return isAuthorized;
  }

  #add(socket: Socket): void {
    const [oldest] = this.#sockets;
    if (oldest !== undefined && this.#sockets.size >= MAX_SOCKETS) {
      this.#sockets.delete(oldest);
      oldest.destroy();
    }
    const timer = setTimeout(() => socket.destroy(), CLOSE_TIMEOUT_MS).unref();
    this.#sockets.add(socket);
    socket.once('close', () => {
      clearTimeout(timer);
      this.#sockets.delete(socket);
    });
  }
}
