import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { CLIENT_LIMITS } from '../packages/mcp/src/client/limits.ts';
import { CALL_LIMITS } from '../packages/mcp/src/client/stateless/calls.ts';
import { FOLLOWED_TASK_LIMITS } from '../packages/mcp/src/client/stateless/task.ts';
import { TOTAL_LIMITS } from '../packages/mcp/src/jsonrpc/in-flight.ts';
import { DEFAULT_CONNECTION_LIMITS, DEFAULT_LIMITS } from '../packages/mcp/src/jsonrpc/limits.ts';
import { RESPONSE_LIMITS } from '../packages/mcp/src/oauth/client/authorization-http.ts';
import { OAUTH_LIMITS } from '../packages/mcp/src/oauth/client/oauth-client.ts';
import { ISSUER_LIMITS } from '../packages/mcp/src/oauth/resource-server/issuer.ts';
import { TOKEN_LIMITS } from '../packages/mcp/src/oauth/resource-server/token.ts';
import { REDIS_LIMITS } from '../packages/mcp/src/redis-stores.ts';
import { EVENT_BUS_LIMITS } from '../packages/mcp/src/server/event-buses/memory.ts';
import { RESOURCE_LIMITS } from '../packages/mcp/src/server/features/resources.ts';
import { HANDSHAKE_LIMITS } from '../packages/mcp/src/server/handshake.ts';
import { ROUND_LIMITS } from '../packages/mcp/src/server/stateless/rounds.ts';
import { LISTEN_LIMITS } from '../packages/mcp/src/server/stateless/subscriptions.ts';
import { MEMORY_TASK_STORE_LIMITS } from '../packages/mcp/src/server/tasks/stores/memory.ts';
import { TASK_LIMITS } from '../packages/mcp/src/server/tasks/tasks.ts';
import { CALLER_LIMITS } from '../packages/mcp/src/transports/http/client/http-requester.ts';
import { REFUSAL_LIMITS } from '../packages/mcp/src/transports/http/client/response-body.ts';
import { HTTP_LIMITS, MEMORY_STORE_LIMITS } from '../packages/mcp/src/transports/http/server/limits.ts';
import { SERVE_HTTP_LIMITS } from '../packages/mcp/src/transports/http/server/node/serve.ts';
import { WEBSOCKET_LIMITS } from '../packages/mcp/src/transports/websocket/admission.ts';

const README = readFileSync(new URL('../packages/mcp/README.md', import.meta.url), 'utf8');
const rows = README.slice(README.indexOf('## Limits'))
  .split('\n')
  .filter((line) => line.startsWith('| '))
  .map((line) => line.split('|').map((cell) => cell.trim()))
  .map(([, options = '', where = '', defaults = '']) => ({ options, where, defaults }));

const { respondToCancelled: _notALimit, ...peerLimits } = DEFAULT_LIMITS;
const { maxSubscribedChars, ...resourceLimits } = RESOURCE_LIMITS;
const { maxListPages, maxListItems, maxListBytes, maxSchemaMs } = CLIENT_LIMITS;

/** Every default of the code, with a word of the column that says where the option is. */
const limits = [
  ['connections', DEFAULT_CONNECTION_LIMITS],
  ['limits', peerLimits],
  ['limits` of a server', TOTAL_LIMITS],
  ['limits', resourceLimits],
  ['tasks` of a server', TASK_LIMITS],
  ['limits` of a client', { maxListPages, maxListItems, maxListBytes, maxSchemaMs }],
  ['HTTP', HTTP_LIMITS],
  ['memoryStore', MEMORY_STORE_LIMITS],
  ['memoryTaskStore', MEMORY_TASK_STORE_LIMITS],
  ['serveHttp', SERVE_HTTP_LIMITS],
  ['WebSocket', WEBSOCKET_LIMITS],
  ['connectHttp', CALLER_LIMITS],
  ['oauthClient', OAUTH_LIMITS],
  ['openRedisStores', REDIS_LIMITS],
] as const;

/** Limits that are not options. Their rows have no name in the first column, or that of an option that they belong to. */
const fixedLimits = [
  ['limits', { maxSubscribedChars }],
  ['initialize', HANDSHAKE_LIMITS],
  ['stateless requests', ROUND_LIMITS],
  ['subscriptions/listen', LISTEN_LIMITS],
  ['memoryEventBus', EVENT_BUS_LIMITS],
  ['client', { ...CALL_LIMITS, ofTask: FOLLOWED_TASK_LIMITS.maxQuestions }],
  ['connectHttp', REFUSAL_LIMITS],
  ['oauthClient', RESPONSE_LIMITS],
  ['requireBearer', ISSUER_LIMITS],
  ['requireBearer', TOKEN_LIMITS],
] as const;

const entries = limits.flatMap(([where, defaults]) =>
  Object.entries(defaults).map(([option, value]) => [option, where, written(option, value)] as const),
);

test.each(entries)('%s (%s) is in the table of limits with its default, %s', (option, where, value) => {
  const found = rows.filter((row) => row.options.includes(`\`${option}\``) && row.where.includes(where));
  expect(found.map(({ defaults }) => defaults).join()).toMatch(new RegExp(`(^|[^\\d ])\\s*${value}(?![\\d])`));
});

const fixedEntries = fixedLimits.flatMap(([where, fixed]) =>
  Object.entries(fixed).map(([name, value]) => [name, where, written(name, value)] as const),
);

test.each(fixedEntries)(
  'the fixed limit %s (%s) is in the table of limits with its value, %s',
  (_name, where, value) => {
    const found = rows.filter((row) => row.where.includes(where));
    expect(found.map(({ defaults }) => defaults).join()).toMatch(new RegExp(`(^|[^\\d ])\\s*${value}(?![\\d])`));
  },
);

/** As the table has it. */
function written(option: string, value: number): string {
  if (value === Number.POSITIVE_INFINITY) return 'never';
  if (option.endsWith('Bytes')) {
    return value % 2 ** 20 === 0 ? `${value / 2 ** 20} MiB` : `${value / 2 ** 10} KiB`;
  }
  if (/(Ms|Timeout)$/.test(option)) return value === 3_600_000 ? 'one hour' : `${value / 1000} s`;
  return value < 10_000 ? String(value) : String(value).replace(/\B(?=(\d{3})+$)/g, ' ');
}
