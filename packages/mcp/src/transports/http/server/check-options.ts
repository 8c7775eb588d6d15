import {
  describeValue,
  type OptionNames,
  requireChoice,
  requireFunction,
  requireKnownOptions,
  requireLimit,
  requireMembers,
  requireObject,
  requireServer,
} from '../../../jsonrpc/argument-checks.ts';
import type { ServedRequests } from '../../../protocol/stateless-response.ts';
import { checkCallerRules, isOrigin, ORIGIN_RULE } from '../../check-caller-rules.ts';
import type { Cors } from './access/cors.ts';
import type { EndpointOptions } from './endpoint-options.ts';
import { HTTP_LIMITS, type HttpLimits } from './limits.ts';

type OtherOptions = Omit<EndpointOptions, keyof HttpLimits>;

const OTHER_NAMES: OptionNames<OtherOptions> = {
  allowedHosts: true,
  preset: true,
  allowedOrigins: true,
  authorize: true,
  clientOf: true,
  cors: true,
  sessions: true,
  responseFormat: true,
  httpSse: true,
  store: true,
  keepAliveMs: true,
  retryMs: true,
  onError: true,
};
const NUMBERS = { ...HTTP_LIMITS, keepAliveMs: true, retryMs: true };
const STORE = ['create', 'find', 'update', 'delete', 'deleteUnused', 'append', 'locate', 'follow', 'renew'] as const;

/**
 * Throws a TypeError or a RangeError for mistakes in the arguments of `serveHttp`, `createHttpHandler` and
 * `createFetchHandler`. `ownNames` are options of the callee alone.
 */
export function checkArguments(callee: string, server: unknown, options: EndpointOptions, ownNames = {}): void {
  requireServer(callee, server);
  const example = callee === 'serveHttp' ? '{ port: 3000 }' : '{ authorize }';
  requireObject(callee, options, 'options second', `${callee}(server, ${example})`);
  requireKnownOptions(callee, options, { ...OTHER_NAMES, ...HTTP_LIMITS, ...ownNames });
  const { authorize, clientOf, onError, cors, store, sessions = 'stored', responseFormat = 'json' } = options;
  if (authorize !== undefined) requireFunction(callee, 'authorize', authorize);
  if (clientOf !== undefined) requireFunction(callee, 'clientOf', clientOf);
  if (onError !== undefined) requireFunction(callee, 'onError', onError);
  requireChoice(callee, 'sessions', sessions, ['stored', 'none']);
  if (options.preset !== undefined) requireChoice(callee, 'preset', options.preset, ['local', 'public']);
  requireChoice(callee, 'responseFormat', responseFormat, ['json', 'sse']);
  if (cors !== undefined) checkCors(callee, cors);
  if (store !== undefined) {
    requireMembers(`${callee}: store`, 'an HttpStore', store, STORE);
    if (store.stateSecret !== undefined && (server as ServedRequests).sharesState === false) {
      const why = 'its processes would refuse the state that clients carry from one to another';
      throw new TypeError(
        `${callee}: the store is shared, but the server has a secret of its own, so ${why}. Give new Server({ bus }) of the same openRedisStores, or stateSecret`,
      );
    }
  }
  for (const name of Object.keys(NUMBERS)) requireLimit(callee, name, options[name as keyof typeof NUMBERS]);
  checkCallerRules(callee, options);
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
  throw new TypeError(`${callee}: cors.origins: ${describeValue(wrong)} is not ${ORIGIN_RULE}`);
}
