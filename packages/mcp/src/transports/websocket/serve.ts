import { requireFunction, requireServer } from '../../jsonrpc/argument-checks.ts';
import type { Connection } from '../../jsonrpc/connection.ts';
import { type ListenWebSocketOptions, listenWebSocket, type WebSocketListener } from './listen.ts';

export interface ServeWebSocketOptions extends Omit<ListenWebSocketOptions, 'accept'> {}

/** What serveWebSocket needs of a server. */
export interface WebSocketServed {
  connect(connection: Connection): unknown;
  reportError(error: Error): void;
}

/** Serves MCP to WebSocket clients. Handlers see in `context.principal` what `authorize` returned. */
export async function serveWebSocket(
  server: WebSocketServed,
  options: ServeWebSocketOptions = {},
): Promise<WebSocketListener> {
  requireServer('serveWebSocket', server);
  if (options.authorize !== undefined) requireFunction('serveWebSocket', 'authorize', options.authorize);
  return listenWebSocket({
    onError: (error) => server.reportError(error),
    ...options,
    accept: (connection) => void server.connect(connection),
  });
}
