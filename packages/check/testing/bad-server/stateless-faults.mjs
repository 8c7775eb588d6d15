// How each rule about requests of revision 2026-07-28 is broken; see faults.mjs. Results are without their envelope.
import { TWICE } from './faults.mjs';

const META = 'io.modelcontextprotocol/';
const on =
  (method, outcome, isMeant = () => true) =>
  (request, right) => {
    if (request.method !== method || !isMeant(request.params, request)) return undefined;
    return typeof outcome === 'function' ? outcome(right, request) : outcome;
  };
const done = { content: [{ type: 'text', text: 'done' }] };
const now = (outcome) =>
  on('tools/call', outcome, ({ name, inputResponses }) => name === 'now' && inputResponses === undefined);
const without =
  (...names) =>
  (right) => ({ ...right, ...Object.fromEntries(names.map((name) => [name, undefined])) });

const lists = {
  tools: 'tools/list',
  prompts: 'prompts/list',
  resources: 'resources/list',
  'resources-templates': 'resources/templates/list',
};
const listFaults = Object.entries(lists).flatMap(([name, method]) => [
  [`stateless-${name}-caching`, on(method, without('ttlMs'))],
  [`stateless-${name}-result-type`, on(method, without('resultType'))],
  [
    `stateless-${name}-bad-cursor`,
    on(
      method,
      (_, { params }) => ({ cursorWas: params.cursor }),
      ({ cursor }) => cursor !== undefined,
    ),
  ],
]);

export const STATELESS_FAULTS = {
  ...Object.fromEntries(listFaults),
  'stateless-discover': on('server/discover', (right) => ({ ...right, supportedVersions: '2026-07-28' })),
  'stateless-server-info': on('server/discover', without('_meta')),
  'stateless-capabilities': on('server/discover', (right) => ({
    ...right,
    capabilities: { ...right.capabilities, extensions: { tasks: {} } },
  })),
  'stateless-result-type': on('server/discover', without('resultType')),
  'stateless-discover-caching': on('server/discover', (right) => ({ ...right, ttlMs: -1 })),
  'stateless-read-caching': on('resources/read', without('cacheScope'), ({ uri }) => uri === 'test://one'),
  'stateless-list-per-connection': on('tools/list', (right, { conversation }) => ({
    ...right,
    tools: [...(right.tools ?? []), { name: `t${conversation.number}` }],
  })),
  'stateless-client-info-optional': on(
    'server/discover',
    { error: -32602 },
    ({ _meta }) => _meta[`${META}clientInfo`] === undefined,
  ),
  'stateless-unknown-meta': on(
    'server/discover',
    { error: -32602 },
    ({ _meta }) => _meta[`${META}clientCapabilities`]?.hawserUnknown !== undefined,
  ),
  'stateless-unknown-method': ({ method }) => (method.startsWith('hawser/') ? { error: -32603 } : undefined),
  'stateless-unknown-tool': on('tools/call', done, ({ name }) => name.startsWith('hawser')),
  'stateless-unknown-prompt': on('prompts/get', { messages: [] }, ({ name }) => name.startsWith('hawser')),
  'stateless-unknown-resource': on('resources/read', { error: -32002 }, ({ uri }) => uri.startsWith('hawser')),
  'stateless-ping-removed': on('ping', {}),
  'stateless-set-level-removed': on('logging/setLevel', {}),
  'stateless-subscribe-removed': on('resources/subscribe', {}),
  'stateless-concurrent': ({ id }) => (id === 'at-once-7' ? TWICE : undefined),
  'stateless-tasks-undeclared': on('tasks/get', {}),
  'stateless-task-unknown': on(
    'tasks/get',
    {},
    ({ _meta }) => _meta[`${META}clientCapabilities`].extensions !== undefined,
  ),
  'stateless-task-capability': on('tasks/get', { error: -32602 }),
  'stateless-call-result-type': now({ ...done, resultType: 'finished' }),
  'stateless-call-content': now({ resultType: 'complete', content: 'done' }),
  'stateless-input-undeclared': now({
    resultType: 'input_required',
    inputRequests: { a: { method: 'elicitation/create', params: {} } },
  }),
  'stateless-input-empty': now({ resultType: 'input_required' }),
  'stateless-task-undeclared': now({ resultType: 'task', taskId: 'x' }),
  'stateless-missing-capability': now({ error: -32021 }),
  'stateless-error-codes': now({ error: -32042 }),
  'stateless-input-unexpected': on(
    'tools/call',
    { error: -32602 },
    ({ inputResponses }) => inputResponses !== undefined,
  ),
  'listen-without-filter': on('subscriptions/listen', {}, ({ notifications }) => notifications === undefined),
};
