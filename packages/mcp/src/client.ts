export { Client, type ClientOptions, type ConnectOptions } from './client/client.ts';
export type { NegotiationMode } from './client/handshake.ts';
export { CLIENT_LIMITS, type ClientLimits } from './client/limits.ts';
export type { ClientContext, ServerRequestHandlers } from './client/server-requests.ts';
export type { ClientSession, TypedToolResult } from './client/session.ts';
export { type MessageObserver, ObservedConnection } from './jsonrpc/observed-connection.ts';
export type { CallOptions } from './protocol/conversation.ts';
export { HttpError } from './protocol/http-error.ts';
export { compileUriTemplate, type UriTemplate, type UriTemplateValue } from './protocol/uri-template.ts';
