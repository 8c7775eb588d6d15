import type { IncomingMessage } from 'node:http';
import type { Socket } from 'node:net';
import { type Authorize, isPrincipal } from '../../../authorization.ts';

/** The connections on which no request was authorized so far. One more than `max` closes the oldest. */
export class UnauthenticatedConnections {
  readonly #max: number;
  /** The oldest first. */
  readonly #sockets = new Set<Socket>();
  /** `authorize` gets the headers of a request, not its connection. */
  readonly #socketOf = new WeakMap<object, Socket>();

  constructor(max: number) {
    this.#max = max;
  }

  add(socket: Socket): void {
    const [oldest] = this.#sockets;
    if (oldest !== undefined && this.#sockets.size >= this.#max) {
      this.#sockets.delete(oldest);
      oldest.destroy();
    }
    this.#sockets.add(socket);
    socket.once('close', () => this.#sockets.delete(socket));
  }

  requested({ headers, socket }: IncomingMessage): void {
    if (this.#sockets.has(socket)) this.#socketOf.set(headers, socket);
  }

  /** The same authorization; connections on which it accepts a request are no longer counted. */
  observe(authorize: Authorize): Authorize {
    const observed: Authorize = async (request) => {
      const outcome = await authorize(request);
      const socket = this.#socketOf.get(request.headers);
      if (socket !== undefined && isPrincipal(outcome)) this.#sockets.delete(socket);
      return outcome;
    };
    const { refuseMessage, resourceMetadata } = authorize;
    return Object.assign(observed, {
      ...(refuseMessage && { refuseMessage }),
      ...(resourceMetadata && { resourceMetadata }),
    });
  }
}
