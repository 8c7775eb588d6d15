import { once } from 'node:events';
import type { IncomingMessage } from 'node:http';
import type { AddressInfo } from 'node:net';
import { WebSocket, WebSocketServer } from 'ws';
import { describeConnection } from '../../jsonrpc/connection.contract.ts';
import { DEFAULT_CONNECTION_LIMITS, withDefaults } from '../../jsonrpc/limits.ts';
import { FrameConnection } from './frame-connection.ts';

describeConnection('WebSocket', async (limits) => {
  const server = new WebSocketServer({ host: '127.0.0.1', port: 0 });
  await once(server, 'listening');
  const accepted = once(server, 'connection') as Promise<[WebSocket, IncomingMessage]>;
  const client = new WebSocket(`ws://127.0.0.1:${(server.address() as AddressInfo).port}`);
  const [[response]] = (await Promise.all([once(client, 'upgrade'), once(client, 'open')])) as [[IncomingMessage], []];
  const right = new FrameConnection(client, response.socket, 'client', withDefaults(limits, DEFAULT_CONNECTION_LIMITS));
  const [socket, request] = await accepted;
  const left = new FrameConnection(socket, request.socket, 'server', withDefaults(limits, DEFAULT_CONNECTION_LIMITS));
  return {
    left,
    right,
    writeToRight: (text) => socket.send(text),
    stallRight: () => client.pause(),
    dispose: async () => {
      socket.terminate();
      client.terminate();
      await new Promise((resolve) => server.close(resolve));
    },
  };
});
