// Everything but the transports that load more than Node's core. One file once bundled: each file more costs a server
// a good part of a millisecond at its start.

export { Client, type ClientContext, type ClientOptions, type ConnectOptions } from './client/client.ts';
export type { Era } from './client/era.ts';
export type { ClientSession } from './client/session.ts';
export * from './jsonrpc/codec.ts';
export {
  type Connection,
  type ConnectionLimits,
  DEFAULT_MAX_BYTES,
  type Outgoing,
  type Receiver,
} from './jsonrpc/connection.ts';
export * from './jsonrpc/errors.ts';
export type { IncomingRequest } from './jsonrpc/incoming-request.ts';
export type * from './jsonrpc/message.ts';
export { DEFAULT_LIMITS, Peer, type PeerHandlers, type PeerLimits, type RequestOptions } from './jsonrpc/peer.ts';
export type { CallOptions } from './protocol/conversation.ts';
export {
  defineNotification,
  defineRequest,
  type NotificationDefinition,
  type RequestDefinition,
} from './protocol/definition.ts';
export type { Handler, Registration } from './protocol/handlers.ts';
export { SUPPORTED_VERSIONS } from './protocol/revisions/all.ts';
export type { JsonSchema } from './protocol/schema/validate.ts';
export type { SessionPersistence, SessionSnapshot } from './protocol/session-snapshot.ts';
export type * from './protocol/types.ts';
export type { RequestContext, RequestHandler } from './server/context.ts';
export type { Completer } from './server/features/completion.ts';
export type { PromptDefinition, PromptHandler } from './server/features/prompts.ts';
export type { ResourceReader, TemplateDefinition, TemplateReader } from './server/features/resources.ts';
export type { ToolOutcome } from './server/features/tool-result.ts';
export type { ToolDefinition, ToolHandler } from './server/features/tools.ts';
export type { Negotiation } from './server/handshake.ts';
export { Server, type ServerOptions } from './server/server.ts';
export type { ServerSession } from './server/session.ts';
export type { Caching } from './server/stateless/results.ts';
export { type MemoryTaskStoreOptions, memoryTaskStore } from './server/tasks/stores/memory.ts';
export type { TaskContext, TaskWork } from './server/tasks/task.ts';
export type {
  TaskDetails,
  TaskFacts,
  TaskMessage,
  TaskRecord,
  TaskStatus,
  TaskStore,
} from './server/tasks/task-store.ts';
export type { TaskOptions, TaskPersistence } from './server/tasks/tasks.ts';
export { type MemoryOptions, memoryPair } from './transports/memory/pair.ts';
export { type SdkTransport, sdkTransport } from './transports/sdk.ts';
export {
  type ChildConnection,
  type ChildExit,
  type ConnectStdioOptions,
  connectStdio,
} from './transports/stdio/connect.ts';
export { type ListenStdioOptions, listenStdio } from './transports/stdio/listen.ts';
