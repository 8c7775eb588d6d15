import { once } from 'node:events';
import { type AddressInfo, connect, createServer, type Server, type Socket } from 'node:net';

/** Passes TCP connections on to a port, and can break them. */
export class CuttableRelay {
  readonly #server: Server;
  readonly #sockets = new Set<Socket>();

  constructor(target: number) {
    this.#server = createServer((socket) => {
      const onward = connect(target, '127.0.0.1');
      this.#sockets.add(socket);
      const end = () => {
        socket.destroy();
        onward.destroy();
        this.#sockets.delete(socket);
      };
      for (const side of [socket, onward]) side.on('error', end).on('close', end).setNoDelay();
      socket.pipe(onward).pipe(socket);
    });
  }

  async listen(): Promise<number> {
    this.#server.listen(0, '127.0.0.1');
    await once(this.#server, 'listening');
    return (this.#server.address() as AddressInfo).port;
  }

  /** Breaks those connections for which `isCut` returns true, without a goodbye. Returns how many. */
  cut(isCut: () => boolean): number {
    const chosen = [...this.#sockets].filter(isCut);
    for (const socket of chosen) {
      // Node leaves a socket open that is reset while it ends, and then can't exit.
      if (socket.writableEnded) socket.destroy();
      else socket.resetAndDestroy();
    }
    return chosen.length;
  }

  close(): void {
    this.#server.close();
    this.cut(() => true);
  }
}
