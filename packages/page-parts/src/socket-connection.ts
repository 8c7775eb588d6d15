import type { Connection, Receiver } from '@hawser/mcp';

/** A browser's WebSocket as the library's connection. */
export function socketConnection(socket: WebSocket, ended: (code: number) => void): Connection {
  const waiting: string[] = [];
  return {
    start: (receiver: Receiver) => {
      socket.addEventListener('open', () => {
        for (const text of waiting.splice(0)) socket.send(text);
      });
      // Only the program that served this page writes to it, so the texts are messages.
      socket.addEventListener('message', ({ data }) => receiver.message(JSON.parse(String(data))));
      socket.addEventListener('close', ({ code, reason }) => {
        ended(code);
        receiver.closed(new Error(reason || 'The connection has ended'));
      });
    },
    send: (message) => {
      const text = JSON.stringify(message);
      if (socket.readyState === WebSocket.CONNECTING) waiting.push(text);
      else if (socket.readyState === WebSocket.OPEN) socket.send(text);
    },
    drained: async () => {},
    close: async () => socket.close(),
  };
}
