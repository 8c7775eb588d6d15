import {
  type OptionNames,
  requireFunction,
  requireKnownOptions,
  requireLimit,
  requireObject,
  requireServer,
} from '../../jsonrpc/argument-checks.ts';
import type { Connection } from '../../jsonrpc/connection.ts';
import { DEFAULT_CONNECTION_LIMITS } from '../../jsonrpc/limits.ts';
import { checkCallerRules } from '../check-caller-rules.ts';
import { type ListenWebSocketOptions, listenWebSocket, type WebSocketListener } from './listen.ts';

export interface ServeWebSocketOptions extends Omit<ListenWebSocketOptions, 'accept'> {}

const NAMES: OptionNames<ServeWebSocketOptions> = {
  ...DEFAULT_CONNECTION_LIMITS,
  allowedHosts: true,
  allowedOrigins: true,
  path: true,
  authorize: true,
  refusal: true,
  maxConnections: true,
  maxConnectionsPerClient: true,
  onError: true,
  host: true,
  port: true,
  server: true,
  listener: true,
  subprotocol: true,
  pingInterval: true,
  maxUnauthenticated: true,
  handshakeTimeout: true,
};

const NUMBERS = [
  'maxMessageBytes',
  'maxValues',
  'maxDepth',
  'maxQueuedBytes',
  'maxConnections',
  'maxConnectionsPerClient',
  'maxUnauthenticated',
  'handshakeTimeout',
  'pingInterval',
] as const;

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
  requireObject('serveWebSocket', options, 'options second', 'serveWebSocket(server, { port: 3000 })');
  requireKnownOptions('serveWebSocket', options, NAMES);
  if (options.authorize !== undefined) requireFunction('serveWebSocket', 'authorize', options.authorize);
  for (const name of NUMBERS) requireLimit('serveWebSocket', name, options[name]);
  checkCallerRules('serveWebSocket', options);
  return listenWebSocket({
    onError: (error) => server.reportError(error),
    ...options,
    accept: (connection) => void server.connect(connection),
  });
}
