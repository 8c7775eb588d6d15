// What the server sends without being asked, for each rule that this breaks. A push gets the message before it.
const notify = (method, params) => ({ jsonrpc: '2.0', method: `notifications/${method}`, ...(params && { params }) });
const request = (method, id = 'server-1') => ({ jsonrpc: '2.0', id, method, params: {} });
const after =
  (method, pushed, isMeant = () => true) =>
  (message, conversation) =>
    message.method === method && isMeant(conversation, message) ? [pushed] : [];
const initialized = 'notifications/initialized';
const hasNothing = ({ declared }) => Object.keys(declared).length === 0;
const hasRoots = ({ declared }) => declared.roots !== undefined;

const reports =
  (tokens, values = [1, 2, 3], total = 3) =>
  (message) => {
    const { name, _meta } = message.params ?? {};
    if (message.method !== 'tools/call' || name !== 'steps') return [];
    const token = tokens(_meta?.progressToken);
    if (token === undefined) return [];
    return values.map((progress) => notify('progress', { progressToken: token, progress, total, message: 'a step' }));
  };
const sameToken = (token) => token;

/** Before the answer. Without a rule, one tool reports its progress. */
export const PUSHES_BEFORE = {
  none: reports(sameToken),
  'progress-unasked': reports((token) => token ?? 'made-up'),
  'progress-token': reports((token) => (typeof token === 'string' ? 'another' : token)),
  'progress-increases': reports(sameToken, [1, 1, 2]),
  'progress-shape': reports(sameToken, [1, 2, 3], '3'),
  'progress-token-zero': reports((token) => token || undefined),
  'stateless-log-unasked': (message) =>
    message.params?._meta?.['io.modelcontextprotocol/protocolVersion'] && message.method === 'tools/list'
      ? [notify('message', { level: 'info', data: 'x' })]
      : [],
};

/** After the answer. */
export const PUSHES_AFTER = {
  'requests-before-initialized': after('initialize', request('roots/list'), hasRoots),
  'roots-undeclared': after(initialized, request('roots/list'), hasNothing),
  'sampling-undeclared': after(initialized, request('sampling/createMessage'), hasNothing),
  'elicitation-undeclared': after(initialized, request('elicitation/create'), hasNothing),
  'server-request-ids': after(initialized, request('roots/list', 1.5), hasRoots),
  'server-messages-shape': after(initialized, { jsonrpc: '1.0', method: 'notifications/hawser' }),
  'answers-unasked': after('tools/list', { jsonrpc: '2.0', id: 'stray', result: {} }),
  'log-declared': after('tools/list', notify('message', { level: 'error', data: 'x' })),
  'log-shape': after('tools/list', notify('message', { level: 'loud', data: 'x' })),
  'log-threshold': after('tools/list', notify('message', { level: 'debug', data: 'x' })),
  'tools-list-changed-declared': after('tools/list', notify('tools/list_changed')),
  'resources-list-changed-declared': after('tools/list', notify('resources/list_changed')),
  'prompts-list-changed-declared': after('tools/list', notify('prompts/list_changed')),
  'updated-unsubscribed': after('tools/list', notify('resources/updated', { uri: 'test://one' })),
  'progress-without-token': after('tools/list', notify('progress', { progressToken: 1, progress: 1 })),
  'cancelled-never-asked': after('tools/list', notify('cancelled', { requestId: 'never' })),
  'progress-after-answer': reports((token) => (typeof token === 'string' ? token : undefined)),
};
