// How each rule about requests is broken. A fault gets a request and the right outcome, and returns another one, or undefined
// to leave it. An outcome is a result, `{ error: code, message, data }`, SILENT, TWICE or DEAD.
export const SILENT = Symbol('no answer');
/** The right answer, two times. */
export const TWICE = Symbol('two answers');
/** The connection breaks. */
export const DEAD = Symbol('end');

/** Another outcome for a method, if the params are such. */
const on =
  (method, outcome, isMeant = () => true) =>
  (request, right) => {
    if (request.method !== method || !isMeant(request.params, request, right)) return undefined;
    return typeof outcome === 'function' ? outcome(right, request) : outcome;
  };

const LISTS = {
  tools: ['tools/list', 'tools'],
  resources: ['resources/list', 'resources'],
  'resource-templates': ['resources/templates/list', 'resourceTemplates'],
  prompts: ['prompts/list', 'prompts'],
};

const listFaults = Object.entries(LISTS).flatMap(([many, [method, name]]) => [
  [`${many}-bad-cursor`, on(method, { [name]: [] }, ({ cursor }) => cursor === 'hawser-no-such-cursor')],
  [`${many}-cursor-type`, on(method, { [name]: [] }, ({ cursor }) => cursor === 5)],
  [
    `${many}-pagination`,
    on(
      method,
      (right) => ({ ...(right.error === undefined ? right : { [name]: [] }), nextCursor: 'again' }),
      ({ cursor }) => cursor === undefined || cursor === 'again',
    ),
  ],
  [`${many}-without-params`, on(method, { error: -32602 }, (_, { hasParams }) => !hasParams)],
  [
    `${many}-order`,
    on(
      method,
      (right, { conversation }) => {
        conversation.lists = (conversation.lists ?? 0) + 1;
        return conversation.lists % 2 === 0 ? { [name]: [...right[name], { name: 'new', uri: 'test://new' }] } : right;
      },
      (_, __, right) => right[name] !== undefined,
    ),
  ],
  [
    `${many}-declared`,
    on(method, {}, ({ cursor }, { conversation }) => cursor === undefined && conversation.revision !== undefined),
  ],
]);

const REVISIONS = ['2024-11-05', '2025-03-26', '2025-06-18', '2025-11-25'];
const inRevision =
  (revision) =>
  (_, { conversation }) =>
    conversation.revision === revision;
const revisionFaults = REVISIONS.flatMap((revision) => [
  [`revision-${revision}-ping`, on('hawser/no-such-method', { error: -32603 }, inRevision(revision))],
  [`revision-${revision}-tools`, on('tools/list', { tools: [] }, inRevision(revision))],
]);

const done = { content: [{ type: 'text', text: 'done' }] };
const read = (more) =>
  on(
    'resources/read',
    ({ contents }) => ({ contents: [{ ...contents[0], ...more }] }),
    ({ uri }) => uri === 'test://two',
  );
const call = (name, change) => on('tools/call', change, (params) => params.name === name);
const weather = (more) => call('weather', (right) => ({ ...right, ...more }));
const isUnknown = ({ name }) => name === 'hawser-no-such-tool';
const isIn = ({ name }) => typeof name === 'string' && name in {};
const withId = (id, outcome) => (request) => (request.id === id ? outcome : undefined);

export const FAULTS = {
  ...Object.fromEntries([...listFaults, ...revisionFaults]),
  'method-empty': on('', {}),
  'method-case': on('PING', {}),
  'method-reserved': on('rpc.hawser', {}),
  'method-long': ({ method }) => (method.length > 1000 ? { error: -32603 } : undefined),
  'params-null': (request) => (request.rawParams === null ? SILENT : undefined),
  'params-array': (request) => (Array.isArray(request.rawParams) ? SILENT : undefined),
  'notification-with-id': on('notifications/hawser-unknown', SILENT),
  'cancel-as-request': on('notifications/cancelled', {}),
  'unknown-method': ({ method }) => (method === 'hawser/no-such-method' ? { error: -32603 } : undefined),
  'unknown-method-prototype': on('toString', {}),
  'unknown-members': on('ping', { error: -32602 }, ({ unknown }) => unknown !== undefined),
  'meta-progress-token': on('ping', { error: -32602 }, ({ _meta }) => _meta?.progressToken !== undefined),
  'two-connections': withId('same', {}),
  'one-answer': withId('many-7', TWICE),
  'burst-answered': withId('burst-7', SILENT),
  'id-duplicate': withId('twin', TWICE),
  'ping-between': on('ping', { error: -32603 }, (_, { conversation }) => conversation.before?.startsWith('between-')),
  ping: on('ping', { pong: true }),
  'result-type': on('ping', 'pong', (_, { id }) => String(id).startsWith('observed-')),
  'answers-once': on('prompts/list', TWICE, (_, { id }) => String(id).startsWith('observed-')),

  'unknown-tool': on('tools/call', { ...done, isError: true }, isUnknown),
  'unknown-tool-prototype': on('tools/call', done, isIn),
  'unknown-tool-named': on('tools/call', { error: -32602, message: 'Refused' }, isUnknown),
  'tool-call-without-name': on('tools/call', { error: -32603 }, ({ name }) => name === undefined),
  'tool-name-type': on('tools/call', { error: -32603 }, ({ name }) => name === 5),
  'tool-name-null': on('tools/call', { error: -32603 }, ({ name }) => name === null),
  'tool-name-case': on('tools/call', done, ({ name }) => /^[A-Z]+$/.test(name)),
  'tool-arguments-missing': on(
    'tools/call',
    done,
    ({ name, arguments: given }) =>
      name === 'echo' && given?.text === undefined && !Array.isArray(given) && typeof given !== 'string',
  ),
  'tool-arguments-type': on(
    'tools/call',
    done,
    ({ name, arguments: given }) => name === 'echo' && typeof given?.text === 'object',
  ),
  'tool-arguments-array': on('tools/call', done, ({ arguments: given }) => Array.isArray(given)),
  'tool-arguments-text': on('tools/call', done, ({ arguments: given }) => typeof given === 'string'),
  'tool-result': call('now', { content: 'done' }),
  'tool-is-error': weather({ isError: 'no' }),
  'tool-result-meta': weather({ _meta: { _private: 1 } }),
  'tool-structured-type': weather({ structuredContent: [21] }),
  'tool-structured-valid': weather({ structuredContent: { degrees: 'warm' } }),
  'tool-structured-missing': weather({ structuredContent: undefined }),
  'tool-structured-text': weather({ content: [] }),
  'lists-concurrent': withId('list-7', TWICE),
  'calls-concurrent': withId('call-3', TWICE),
  'call-cancelled': withId('cancelled', TWICE),
  'call-cancel-other': withId('two', DEAD),
  'call-ping-during': withId('long', DEAD),
  'call-id-zero': on('tools/call', DEAD, (_, { id }) => id === 0),
  'call-without-arguments': on('tools/call', { ...done, isError: true }, ({ arguments: given }) => given === undefined),
  'task-unknown-get': on('tasks/get', {}),
  'task-unknown-result': on('tasks/result', {}),
  'task-unknown-cancel': on('tasks/cancel', {}),
  'tasks-list': on('tasks/list', { tasks: 'none' }),
  'tasks-undeclared': on('tasks/get', {}),

  'resource-read-without-uri': on('resources/read', { error: -32603 }, ({ uri }) => uri === undefined),
  'resource-uri-type': on('resources/read', { error: -32603 }, ({ uri }) => uri === 5),
  'resource-uri-relative': on('resources/read', { contents: [] }, ({ uri }) => /^hawser /.test(uri)),
  'unknown-resource': on('resources/read', { contents: [] }, ({ uri }) => /^hawser-check:/.test(uri)),
  'unknown-resource-named': on('resources/read', { error: -32002, message: 'Refused' }, ({ uri }) =>
    /^hawser-check:/.test(uri),
  ),
  'resource-contents': on('resources/read', { contents: [{ text: 'x' }] }, ({ uri }) => uri === 'test://one'),
  'resource-content-uri': read({ uri: 'two' }),
  'resource-content-mime-type': read({ mimeType: 'png' }),
  'resource-content-blob': read({ blob: '<svg>' }),
  'resource-content-meta': read({ _meta: { _private: 1 } }),
  'resource-subscribe': on('resources/subscribe', { error: -32601 }),
  'resource-subscribe-without-uri': on('resources/subscribe', {}, ({ uri }) => uri === undefined),
  'unknown-prompt': on('prompts/get', { messages: [] }, ({ name }) => name === 'hawser-no-such-prompt'),
  'unknown-prompt-prototype': on('prompts/get', { messages: [] }, isIn),
  'prompt-get-without-name': on('prompts/get', { error: -32603 }, ({ name }) => name === undefined),
  'prompt-name-type': on('prompts/get', { error: -32603 }, ({ name }) => name === 5),
  'prompt-argument-missing': on(
    'prompts/get',
    { messages: [] },
    ({ name, arguments: given }) => name === 'greet' && given === undefined,
  ),
  'prompt-arguments-array': on('prompts/get', { messages: [] }, ({ arguments: given }) => Array.isArray(given)),
  'prompt-messages': on(
    'prompts/get',
    { messages: [{ role: 'system', content: { type: 'text', text: 'x' } }] },
    ({ name }) => name === 'plain',
  ),
  'prompt-description': on(
    'prompts/get',
    (right) => ({ ...right, description: 5 }),
    ({ name }) => name === 'plain',
  ),
  'logging-level': on('logging/setLevel', { error: -32601 }, ({ level }) => level === 'warning'),
  'logging-level-unknown': on('logging/setLevel', {}, ({ level }) => level === 'loud'),
  'logging-level-missing': on('logging/setLevel', {}, ({ level }) => level === undefined),
  'logging-levels': on('logging/setLevel', { error: -32602 }, ({ level }) => level === 'notice'),
  'completion-unknown-prompt': on(
    'completion/complete',
    { completion: { values: ['x'] } },
    ({ ref, argument }) => /^hawser/.test(ref?.name) && argument,
  ),
  'completions-undeclared': on('completion/complete', { completion: { values: [] } }),
  'completion-shape': on('completion/complete', { completion: { values: [1] } }, ({ ref }) => ref?.name === 'greet'),
  'completion-limit': on(
    'completion/complete',
    { completion: { values: Array(101).fill('x') } },
    ({ ref }) => ref?.name === 'greet',
  ),
  'completion-context': on('completion/complete', { error: -32602 }, ({ context }) => context !== undefined),
  'completion-reference-type': on(
    'completion/complete',
    { completion: { values: [] } },
    ({ ref }) => ref?.type === 'ref/hawser',
  ),
  'completion-without-argument': on(
    'completion/complete',
    { completion: { values: [] } },
    ({ argument }) => argument === undefined,
  ),
};
