// The server and what every program needs. Runs wherever JavaScript runs: nothing here needs Node. Each export is named, and
// the report of the API (api-report.txt) shows every change of it.

export { decode, decodeValue, encode, Prepared } from './jsonrpc/codec.ts';
export type { Connection, MessageSink, Outgoing, Receiver, SendHints } from './jsonrpc/connection.ts';
export {
  ConnectionClosed,
  ErrorCode,
  ErrorFromPeer,
  InvalidResponse,
  LimitExceeded,
  NetworkError,
  NotSerializable,
  RequestTimeout,
  RpcError,
} from './jsonrpc/errors.ts';
export type { IncomingRequest } from './jsonrpc/in-flight.ts';
export { type ConnectionLimits, DEFAULT_CONNECTION_LIMITS, DEFAULT_LIMITS, type PeerLimits } from './jsonrpc/limits.ts';
export type {
  ErrorObject,
  Failure,
  Malformed,
  Message,
  Notification,
  Params,
  Request,
  RequestId,
  Response,
  Success,
} from './jsonrpc/message.ts';
export type { MessageObserver } from './jsonrpc/observed-connection.ts';
export { Peer, type PeerHandlers } from './jsonrpc/peer.ts';
export type { RequestOptions } from './jsonrpc/pending-requests.ts';
export type { ChangeMark } from './protocol/change-mark.ts';
export type { CallOptions } from './protocol/conversation.ts';
export {
  defineNotification,
  defineRequest,
  type NotificationDefinition,
  type RequestDefinition,
} from './protocol/definition.ts';
export type { Handler, Registration } from './protocol/handlers.ts';
export { HttpError } from './protocol/http-error.ts';
export type { FromJsonSchema, InputOf, OutputOf, Schema } from './protocol/infer-schema.ts';
export type { TemplateVariables } from './protocol/infer-template.ts';
export type { Origin, Principal, RequestHeaders } from './protocol/origin.ts';
export { ALL_VERSIONS, SUPPORTED_VERSIONS } from './protocol/revisions/all.ts';
export type { JsonSchema } from './protocol/schema/validate.ts';
export type { SessionPersistence, SessionSnapshot } from './protocol/session-snapshot.ts';
export { StoreUnavailable } from './protocol/store-unavailable.ts';
export type {
  Annotations,
  CallToolResult,
  ClientCapabilities,
  CompleteParams,
  CompleteResult,
  ContentBlock,
  CreateMessageParams,
  CreateMessageResult,
  ElicitParams,
  ElicitResult,
  EmbeddedResource,
  GetPromptResult,
  HealthResult,
  Icon,
  Implementation,
  InitializeParams,
  InitializeResult,
  LogLevel,
  LogMessage,
  MediaContent,
  Meta,
  Progress,
  ProgressToken,
  Prompt,
  PromptArgument,
  PromptMessage,
  Resource,
  ResourceContents,
  ResourceLink,
  ResourceTemplate,
  Root,
  SamplingContent,
  SamplingMessage,
  ServerCapabilities,
  SessionState,
  StandardNotifications,
  TextContent,
  Tool,
  ToolAnnotations,
} from './protocol/types.ts';
export type { CheckedElicitResult, Elicit, ElicitForm, Questions } from './server/asking.ts';
export type { NotificationHandler, Notify, RequestContext, RequestHandler } from './server/context.ts';
export type { ErrorHandler, ErrorSource } from './server/error-report.ts';
export type {
  BusListener,
  Change,
  EventBus,
  ListName,
  PublishedChange,
  ReadChanges,
} from './server/event-bus.ts';
export { memoryEventBus } from './server/event-buses/memory.ts';
export type { Completer } from './server/features/completion.ts';
export type { Listable, ListedRegistration, Visible } from './server/features/listing.ts';
export type {
  PromptArgumentDefinition,
  PromptArguments,
  PromptDefinition,
  PromptHandler,
  PromptOutcome,
  PromptRegistration,
  PromptSchemaDefinition,
} from './server/features/prompts.ts';
export type {
  ResourceDefinition,
  ResourceLimits,
  ResourceOutcome,
  ResourceReader,
  ResourceRegistration,
  TemplateDefinition,
  TemplateReader,
  TemplateRegistration,
} from './server/features/resources.ts';
export type {
  StructuredOutcome,
  ToolDefinition,
  ToolHandler,
  ToolOutcome,
  ToolRegistration,
} from './server/features/tools.ts';
export type { Negotiation } from './server/handshake.ts';
export type { Middleware, Next, ServerRequest } from './server/middleware.ts';
export type { Observe } from './server/observation.ts';
export { Server, type ServerStats } from './server/server.ts';
export { SERVER_LIMIT_PRESETS, type ServerLimits, type ServerOptions } from './server/server-options.ts';
export type { ServerSession } from './server/session.ts';
export type { Caching } from './server/stateless/stateless-requests.ts';
export type { OnSubscribers } from './server/subscribers.ts';
export type { RestartableWork } from './server/tasks/restartable-work.ts';
export { type MemoryTaskStoreOptions, memoryTaskStore } from './server/tasks/stores/memory.ts';
export type { TaskContext, TaskWork } from './server/tasks/task.ts';
export type {
  Stop,
  TaskDetails,
  TaskFacts,
  TaskMessage,
  TaskReceiver,
  TaskRecord,
  TaskRestart,
  TaskStatus,
  TaskStore,
  TaskWatcher,
} from './server/tasks/task-store.ts';
export type { TaskOptions, TaskPersistence } from './server/tasks/tasks.ts';
export { type MemoryOptions, memoryPair } from './transports/memory/pair.ts';
export { type SdkTransport, sdkTransport } from './transports/sdk.ts';
