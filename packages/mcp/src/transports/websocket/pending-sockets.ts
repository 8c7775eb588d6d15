import type { Socket } from 'node:net';

export interface PendingSocketLimits {
  /** One more replaces the oldest. */
  readonly max: number;
  /** Milliseconds until a socket must be admitted. */
  readonly handshakeTimeout: number;
}

/** How long a refused client has to read the refusal and to close. */
const REFUSED_TIMEOUT_MS = 1000;

/**
 * Sockets of clients that are not admitted: those before the end of the handshake, and those refused. They are few and
 * short-lived, and count apart from the admitted ones, so clients without a token cannot take the places of others.
 */
export class PendingSockets {
  readonly #limits: PendingSocketLimits;
  /** The oldest first, each with its timer. */
  readonly #sockets = new Map<Socket, NodeJS.Timeout>();

  constructor(limits: PendingSocketLimits) {
    this.#limits = limits;
  }

  get size(): number {
    return this.#sockets.size;
  }

  add(socket: Socket): void {
    if (this.#sockets.has(socket)) return;
    const [oldest] = this.#sockets.keys();
    if (oldest !== undefined && this.#sockets.size >= this.#limits.max) this.#destroy(oldest);
    socket.on('error', ignore); // `close` follows
    socket.on('close', this.#onClose);
    this.#sockets.set(socket, this.#destroyAfter(socket, this.#limits.handshakeTimeout));
  }

  /** The client is admitted: the socket has another owner from now on. */
  remove(socket: Socket): void {
    clearTimeout(this.#sockets.get(socket));
    this.#sockets.delete(socket);
    socket.off('error', ignore);
    socket.off('close', this.#onClose);
  }

  /** The client was refused and should close soon. */
  refused(socket: Socket): void {
    const timer = this.#sockets.get(socket);
    if (timer === undefined) return;
    clearTimeout(timer);
    this.#sockets.set(socket, this.#destroyAfter(socket, REFUSED_TIMEOUT_MS));
    socket.resume(); // unread input would turn the end into a reset, and the refusal would be lost
  }

  destroyAll(): void {
    for (const socket of this.#sockets.keys()) this.#destroy(socket);
  }

  #destroyAfter(socket: Socket, milliseconds: number): NodeJS.Timeout {
    return setTimeout(() => this.#destroy(socket), milliseconds).unref();
  }

  #destroy(socket: Socket): void {
    clearTimeout(this.#sockets.get(socket));
    this.#sockets.delete(socket);
    socket.destroy();
  }

  readonly #onClose = () => {
    for (const [socket, timer] of this.#sockets) {
      if (!socket.destroyed) continue;
      clearTimeout(timer);
      this.#sockets.delete(socket);
    }
  };
}

function ignore(): void {}
