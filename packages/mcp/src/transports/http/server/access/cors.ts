import type { HttpCall } from '../http-call.ts';

/** Lets web pages of other origins call the server. */
export interface Cors {
  /** Origins such as `https://example.com`, or `*` for every page. */
  readonly origins: readonly string[] | '*';
  /** Seconds for which a browser may keep the response to a preflight request. Default 600. */
  readonly maxAge?: number;
}

const METHODS = 'POST, GET, DELETE';
const REQUEST_HEADERS =
  'Content-Type, Accept, Authorization, Mcp-Session-Id, MCP-Protocol-Version, Mcp-Method, Mcp-Name, Last-Event-ID';
const EXPOSED_HEADERS = 'Mcp-Session-Id, WWW-Authenticate';
const PARAMETER_HEADER = /^mcp-param-[\w!#$%&'*+.^`|~-]{1,100}$/i;
const MAX_PARAMETER_HEADERS = 50;

export function allowsOrigin({ origins }: Cors, origin: string): boolean {
  return origins === '*' || origins.includes(origin);
}

/** Adds the headers that let the page read the response. */
export function addCorsHeaders(cors: Cors, call: HttpCall): void {
  const { origin } = call.headers;
  call.setHeader('Vary', 'Origin');
  if (typeof origin !== 'string' || !allowsOrigin(cors, origin)) return;
  call.setHeader('Access-Control-Allow-Origin', cors.origins === '*' ? '*' : origin);
  call.setHeader('Access-Control-Expose-Headers', EXPOSED_HEADERS);
}

export function isPreflight({ method, headers }: HttpCall): boolean {
  return method === 'OPTIONS' && headers['access-control-request-method'] !== undefined;
}

export function respondToPreflight({ maxAge = 600 }: Cors, call: HttpCall): void {
  const wanted = call.headers['access-control-request-headers'];
  const names = typeof wanted === 'string' ? wanted.split(',').map((name) => name.trim()) : [];
  // The arguments of a tool decide the names of these headers, so they are allowed as they are asked for.
  const parameters = names.filter((name) => PARAMETER_HEADER.test(name)).slice(0, MAX_PARAMETER_HEADERS);
  const headers = {
    'Access-Control-Allow-Methods': METHODS,
    'Access-Control-Allow-Headers': [REQUEST_HEADERS, ...parameters].join(', '),
    'Access-Control-Max-Age': String(maxAge),
  };
  call.send(204, headers, '');
}
