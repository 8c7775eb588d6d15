export * from './http-serving.ts';
export * from './index.ts';
export type {
  AuthorizationChallenge,
  AuthorizedRequest,
  ClientAuthorization,
} from './transports/http/client/authorization.ts';
export { type ConnectHttpOptions, connectHttp } from './transports/http/client/connect.ts';
export {
  createHttpHandler,
  type HttpHandler,
  type HttpHandlerOptions,
  SERVE_HTTP_LIMITS,
  type ServedHttp,
  type ServeHttpOptions,
  serveHttp,
} from './transports/http/server/node/serve.ts';
