// What `http.ts` and `fetch.ts` have in common: everything that serves HTTP, but for where it runs.

export type {
  Authorize,
  AuthorizeMessage,
  AuthorizeRequest,
  Refusal,
  ResourceMetadata,
} from './transports/authorization.ts';
export type { Cors } from './transports/http/server/access/cors.ts';
export type { HttpStats } from './transports/http/server/endpoint-options.ts';
export type { LimitedRequest } from './transports/http/server/http-call.ts';
export {
  HTTP_LIMIT_PRESETS,
  HTTP_LIMITS,
  type HttpLimits,
  type LimitPreset,
  MEMORY_STORE_LIMITS,
} from './transports/http/server/limits.ts';
export type {
  CallLease,
  EventPlace,
  Follower,
  HttpStore,
  NewEvent,
  SessionOptions,
  StopFollower,
  StopFollowing,
  StoredEvent,
  StoredState,
  StreamStart,
} from './transports/http/store.ts';
export { type MemoryStoreOptions, memoryStore } from './transports/http/stores/memory.ts';
