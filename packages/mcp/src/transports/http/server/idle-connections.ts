import type { Server, ServerResponse } from 'node:http';
import type { Socket } from 'node:net';

/** One connection of a client. */
interface Use {
  /** The last response on it, until that is known to be out. */
  response: ServerResponse | undefined;
  /** When it was last seen that something had come from the client, and how much that was in all. */
  idleSince: number;
  bytesRead: number;
}

/**
 * Ends connections on which nothing was asked for so many milliseconds, or half as many more, and at once when there is no
 * room for others, as long as the server is there. Node's own way, which `keepAliveTimeout: 0` switches off, starts and stops a timer with every request; this
 * looks at all connections now and then.
 */
export function endIdleConnections(server: Server, idleMs: number): void {
  const uses = new Map<Socket, Use>();
  const sweep = setInterval(() => {
    const now = performance.now();
    for (const [socket, use] of uses) {
      if (use.response?.writableFinished === false) continue;
      use.response = undefined;
      if (use.bytesRead !== socket.bytesRead) {
        use.idleSince = now;
        use.bytesRead = socket.bytesRead;
      } else if (now - use.idleSince >= idleMs) socket.destroy();
    }
  }, idleMs / 2);
  sweep.unref();
  server.on('connection', (socket) => {
    uses.set(socket, { response: undefined, idleSince: performance.now(), bytesRead: 0 });
    socket.once('close', () => uses.delete(socket));
  });
  server.on('request', ({ socket }, response) => {
    const use = uses.get(socket);
    if (use !== undefined) use.response = response;
  });
  server.on('drop', () => server.closeIdleConnections());
  server.once('close', () => clearInterval(sweep));
}
