import { WebSocketServer } from 'ws';

/** Listens on 127.0.0.1:$PORT and prints the address; `onConnection` gets each WebSocket and its socket. */
export function listenWebSocket(onConnection) {
  const port = Number(process.env.PORT ?? 0);
  const server = new WebSocketServer({ host: '127.0.0.1', port, path: '/', perMessageDeflate: false });
  server.on('connection', (webSocket, { socket }) => onConnection(webSocket, socket));
  server.on('listening', () => {
    const { port: given } = /** @type {import('node:net').AddressInfo} */ (server.address());
    console.log(`ws://127.0.0.1:${given}/`);
  });
}

/** Returns `send(text)`; all texts of a tick leave in one write, which doubles the rate of a busy connection. */
export function corkedSender(webSocket, socket) {
  let corked = false;
  const uncork = () => {
    corked = false;
    socket.uncork();
  };
  return (text) => {
    if (!corked) {
      corked = true;
      socket.cork();
      process.nextTick(uncork);
    }
    webSocket.send(text);
    return true;
  };
}
