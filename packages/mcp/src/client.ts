export { Client, type ClientContext, type ClientOptions } from './client/client.ts';
export type { ClientSession } from './client/session.ts';
export { ConnectionClosed, ErrorCode, RequestTimeout, RpcError } from './jsonrpc/errors.ts';
export type { CallOptions } from './protocol/conversation.ts';
export type { NotificationDefinition, RequestDefinition } from './protocol/definition.ts';
export { defineNotification, defineRequest } from './protocol/definition.ts';
export type { Registration } from './protocol/handlers.ts';
export type * from './protocol/types.ts';
