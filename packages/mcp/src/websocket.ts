export * from './index.ts';
export type {
  Authorize,
  AuthorizeMessage,
  AuthorizeRequest,
  Refusal,
  ResourceMetadata,
} from './transports/authorization.ts';
export { type ConnectWebSocketOptions, connectWebSocket } from './transports/websocket/connect.ts';
export { type ListenWebSocketOptions, listenWebSocket, type WebSocketListener } from './transports/websocket/listen.ts';
export { keepWebSocket, type ReconnectOptions } from './transports/websocket/reconnect.ts';
export { type ServeWebSocketOptions, serveWebSocket } from './transports/websocket/serve.ts';
