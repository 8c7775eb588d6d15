import { corkedSender, listenWebSocket } from './web-socket-listen.mjs';

/** A server of the official SDK, which has no WebSocket transport for servers. `parse` reads a text as its own transports do. */
export function serveSdk(createServer, parse) {
  listenWebSocket((webSocket, socket) =>
    createServer().connect(new WebSocketServerTransport(webSocket, socket, parse)),
  );
}

class WebSocketServerTransport {
  /** @type {((message: any) => void) | undefined} */
  onmessage;
  /** @type {(() => void) | undefined} */
  onclose;
  constructor(webSocket, socket, parse) {
    this.webSocket = webSocket;
    this.sendText = corkedSender(webSocket, socket);
    this.parse = parse;
  }
  async start() {
    this.webSocket.on('message', (data) => this.onmessage?.(this.parse(data.toString())));
    this.webSocket.on('close', () => this.onclose?.());
  }
  async send(message) {
    this.sendText(JSON.stringify(message));
  }
  async close() {
    this.webSocket.close();
  }
}
