import { once } from 'node:events';
import type { Server as HttpServer } from 'node:http';
import { type ListenOptions, Server as NetServer } from 'node:net';

/** Resolves when the HTTP server gets connections: at its own address, or those of a `net.Server` that listens already. */
export async function startListening(http: HttpServer, where: ListenOptions | NetServer): Promise<void> {
  if (where instanceof NetServer) {
    if (!where.listening) {
      throw new TypeError('listener: this net.Server does not listen yet; pass it after its listening event');
    }
    where.on('connection', (socket) => http.emit('connection', socket));
    // Node checks the timeouts of headers and requests from this event on.
    http.emit('listening');
    return;
  }
  await once(http.listen(where), 'listening');
}

/** Resolves when the HTTP server, and the `net.Server` that feeds it, have no connections left. */
export async function stopListening(http: HttpServer, listener: NetServer | undefined): Promise<void> {
  const servers = listener === undefined ? [http] : [http, listener];
  await Promise.all(servers.map((server) => new Promise((resolve) => server.close(resolve))));
}
