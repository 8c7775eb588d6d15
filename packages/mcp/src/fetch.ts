export * from './http-serving.ts';
export * from './index.ts';
export {
  createFetchHandler,
  type FetchHandler,
  type FetchHandlerOptions,
} from './transports/http/server/fetch/handler.ts';
