import {
  describeValue,
  requireChoice,
  requireFunction,
  requireObject,
  requireServer,
} from '../../../jsonrpc/argument-checks.ts';
import type { Cors } from './cors.ts';
import type { EndpointOptions } from './endpoint.ts';

/** Throws a TypeError for mistakes in the arguments of `serveHttp`, `createHttpHandler` and `createFetchHandler`. */
export function checkArguments(callee: string, server: unknown, options: EndpointOptions): void {
  requireServer(callee, server);
  const example = callee === 'serveHttp' ? '{ port: 3000 }' : '{ authorize }';
  requireObject(callee, options, 'options second', `${callee}(server, ${example})`);
  const { authorize, onError, cors, sessions = 'kept', answers = 'json' } = options;
  if (authorize !== undefined) requireFunction(callee, 'authorize', authorize);
  if (onError !== undefined) requireFunction(callee, 'onError', onError);
  requireChoice(callee, 'sessions', sessions, ['kept', 'none']);
  requireChoice(callee, 'answers', answers, ['json', 'sse']);
  if (cors !== undefined) checkCors(callee, cors);
}

function checkCors(callee: string, cors: Cors): void {
  const { origins } = Object(cors) as Partial<Cors>;
  if (origins === '*') return;
  if (!Array.isArray(origins)) {
    const takes = "{ origins: ['https://example.com'] } or { origins: '*' }";
    throw new TypeError(`${callee}: cors takes ${takes}, got ${describeValue(origins ?? cors)}`);
  }
  const wrong = origins.find((origin) => !isOrigin(origin));
  if (wrong === undefined && origins.length > 0) return;
  const rule = 'an origin is a scheme, a host and a port, like https://example.com:8080';
  throw new TypeError(`${callee}: cors.origins: ${describeValue(wrong)} is not an origin; ${rule}`);
}

/** Browsers send origins without a path; those of files and sandboxed pages are `null`. */
function isOrigin(origin: unknown): boolean {
  if (typeof origin !== 'string') return false;
  return origin === 'null' || /^[a-z][a-z0-9+.-]*:\/\/[^/?#]+$/.test(origin);
}
