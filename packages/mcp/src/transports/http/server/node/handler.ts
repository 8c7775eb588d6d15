import type { IncomingMessage, ServerResponse } from 'node:http';
import type { ServedRequests } from '../../../../protocol/stateless-response.ts';
import { checkArguments } from '../check-options.ts';
import { type EndpointOptions, HttpEndpoint, type HttpStats } from '../endpoint.ts';
import { NodeCall } from './node-call.ts';

export interface HttpHandlerOptions extends EndpointOptions {}

/** Responds to every request it gets, whatever its path. */
export interface HttpHandler {
  /**
   * `body` is the parsed body if a body parser has read the request, as in Fastify. Without it, `request.body` is used if
   * the request was read, as in Express; a function, such as Express's `next`, is ignored.
   */
  (request: IncomingMessage, response: ServerResponse, body?: unknown): void;
  /** What this process holds now, for metrics. */
  stats(): HttpStats;
  /** Ends every response and session of this process. Sessions stay in the store. */
  close(): Promise<void>;
}

/** Makes a handler for node:http, or any framework on it, that serves MCP over Streamable HTTP, all revisions. */
export function createHttpHandler(server: ServedRequests, options: HttpHandlerOptions = {}): HttpHandler {
  checkArguments('createHttpHandler', server, options);
  return httpHandler(server, options);
}

/** Without the checks, which `serveHttp` makes itself. */
export function httpHandler(server: ServedRequests, options: HttpHandlerOptions): HttpHandler {
  const endpoint = new HttpEndpoint(server, options);
  const handle = (request: IncomingMessage, response: ServerResponse, body?: unknown) => {
    // Something before this handler has responded.
    if (response.headersSent || response.writableEnded) return;
    endpoint.handle(new NodeCall(request, response, parsedBody(request, body)));
  };
  return Object.assign(handle, { stats: () => endpoint.stats(), close: () => endpoint.close() });
}

function parsedBody(request: IncomingMessage, given: unknown): unknown {
  if (given !== undefined && typeof given !== 'function') return given;
  // Some parsers set an empty body on requests that they leave to others.
  return request.readableDidRead ? (request as { body?: unknown }).body : undefined;
}
