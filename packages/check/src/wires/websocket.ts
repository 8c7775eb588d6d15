import type { WebSocketTarget } from '@hawser/client/target';
import { WebSocket } from 'ws';
import { Inbox } from './inbox.ts';
import { received, textOf, type Wire } from './wire.ts';

/** Rejects if the server can't be reached within the time. */
export function openWebSocket({ url, headers }: WebSocketTarget, milliseconds: number): Promise<Wire> {
  const socket = new WebSocket(url, ['mcp'], { headers, handshakeTimeout: milliseconds, perMessageDeflate: false });
  const inbox = new Inbox();
  const sent: Uint8Array[] = [];
  socket.on('message', (data) => inbox.put(received(String(data))));
  socket.on('close', (code) => inbox.put({ kind: 'end', how: `the WebSocket was closed with code ${code}` }));
  return new Promise((resolve, reject) => {
    socket.on('error', reject);
    socket.once('open', () =>
      resolve({
        send: (message) => {
          sent.push(Buffer.from(textOf(message)));
          if (socket.readyState === socket.OPEN) socket.send(textOf(message));
        },
        next: (wait) => inbox.take(wait),
        flushed: async () => {},
        sent,
        close: async () => {
          socket.terminate();
        },
      }),
    );
  });
}
