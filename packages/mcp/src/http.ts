export { type ConnectHttpOptions, connectHttp } from './transports/http/client/connect.ts';
export { type HttpListener, type ListenHttpOptions, listenHttp } from './transports/http/server/listen.ts';
export type { EventPlace, HttpStore, NewEvent, StoredEvent } from './transports/http/store.ts';
export { type MemoryStoreOptions, memoryStore } from './transports/http/stores/memory.ts';
