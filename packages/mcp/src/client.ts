export { Client, type ClientContext, type ClientOptions, type ConnectOptions } from './client/client.ts';
export type { Era } from './client/era.ts';
export type { ClientSession } from './client/session.ts';
export type { CallOptions } from './protocol/conversation.ts';
