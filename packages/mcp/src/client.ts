export { Client, type ClientOptions, type ConnectOptions } from './client/client.ts';
export type { NegotiationMode } from './client/handshake.ts';
export { CLIENT_LIMITS, type ClientLimits } from './client/limits.ts';
export type { TypedToolResult } from './client/output-schemas.ts';
export type { ClientContext, ServerRequestHandlers } from './client/server-requests.ts';
export type { ClientSession } from './client/session.ts';
export {
  ConnectionClosed,
  ErrorCode,
  InvalidResponse,
  LimitExceeded,
  NetworkError,
  RequestTimeout,
  RpcError,
} from './jsonrpc/errors.ts';
export { type MessageObserver, ObservedConnection } from './jsonrpc/observed-connection.ts';
export type { CallOptions } from './protocol/conversation.ts';
export { HttpError } from './protocol/http-error.ts';
export { compileUriTemplate, type UriTemplate, type UriTemplateValue } from './protocol/uri-template.ts';
export type {
  AuthorizationChallenge,
  AuthorizedRequest,
  ClientAuthorization,
} from './transports/http/client/authorization.ts';
export { type ConnectHttpOptions, connectHttp } from './transports/http/client/connect.ts';
