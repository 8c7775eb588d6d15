import { Server } from '@hawser/mcp';
import { createFetchHandler, type FetchHandler } from '@hawser/mcp/fetch';
import type { Random } from '../../packages/mcp/testing/random.ts';
import { withoutEscapes } from '../../packages/mcp/testing/without-escapes.ts';
import { damaged, mutated, oddText } from './json.ts';
import { type FuzzTarget, type OpenTarget, Violation, within } from './target.ts';

const ENDPOINT = 'http://localhost/mcp';
const ANSWER_MS = 5000;
const REQUESTS_PER_CASE = 20;
const META = {
  'io.modelcontextprotocol/protocolVersion': '2026-07-28',
  'io.modelcontextprotocol/clientCapabilities': {
    elicitation: {},
    extensions: { 'io.modelcontextprotocol/tasks': {} },
  },
  'io.modelcontextprotocol/clientInfo': { name: 'fuzz', version: '0' },
};
const FORM = { type: 'object', properties: { name: { type: 'string' } }, required: ['name'] } as const;

type Json = { [member: string]: unknown };

/** A server with something of everything, behind a fetch handler. */
function open(): { server: Server; handler: FetchHandler } {
  const server = new Server(
    { name: 'victim', version: '1' },
    { capabilities: { logging: {} }, tasks: { ttlMs: 5000, maxTasks: 200 }, onError: () => {} },
  );
  server.tool({ name: 'echo' }, (args) => JSON.stringify(args));
  server.tool({ name: 'count' }, async (_args, context) => {
    for (const n of [1, 2, 3]) context.progress(n);
    await context.drained();
    return 'counted';
  });
  server.tool({ name: 'ask' }, async (_args, { elicit }) => {
    return JSON.stringify(await elicit({ message: 'Who?', requestedSchema: FORM }));
  });
  server.tool({ name: 'task' }, (_args, context) => context.task(async () => 'worked'));
  server.tool({ name: 'asking-task' }, (_args, context) =>
    context.task(async ({ questions }) => {
      return JSON.stringify(await questions.elicit({ message: 'Who?', requestedSchema: FORM }));
    }),
  );
  server.resource({ uri: 'fuzz://one', name: 'one' }, () => 'one');
  server.resourceTemplate({ uriTemplate: 'fuzz://thing/{name}', name: 'things' }, ({ name }) => name);
  server.prompt({ name: 'greet', arguments: [{ name: 'who', complete: (value) => [value] }] }, ({ who }) => `${who}`);
  return { server, handler: createFetchHandler(server, { keepAliveMs: 20, maxStreams: 50 }) };
}

const HEADERS = { 'content-type': 'application/json', accept: 'application/json, text/event-stream' };

/** Stateless requests, tasks and rounds of questions, with states, keys and ids that the server has given. */
export const statelessRequests: FuzzTarget = {
  name: 'stateless requests and tasks',
  open: async (): Promise<OpenTarget> => {
    const { server, handler } = open();
    const known = new Known();
    return {
      runCase: (random) =>
        withoutEscapes('the case', async () => {
          const sent = Array.from({ length: REQUESTS_PER_CASE }, () => sendOdd(random, handler, known));
          await within(ANSWER_MS, 'Odd requests', Promise.all(sent));
          await checkHonest(handler);
          return REQUESTS_PER_CASE;
        }),
      close: async () => {
        await handler.close();
        await server.close();
      },
    };
  },
};

/** What answers of the server have named, for later requests. */
class Known {
  readonly taskIds: string[] = ['none'];
  readonly states: string[] = ['x.y'];
  readonly keys: string[] = ['elicitation'];

  learn({ result }: { result?: Json }): void {
    const { taskId, requestState, inputRequests } = result ?? {};
    if (typeof taskId === 'string') remember(this.taskIds, taskId);
    if (typeof requestState === 'string') remember(this.states, requestState);
    for (const key of Object.keys((inputRequests as object | undefined) ?? {})) remember(this.keys, key);
  }
}

function remember(list: string[], item: string): void {
  list.push(item);
  if (list.length > 50) list.shift();
}

function goodRequest(random: Random, known: Known): { method: string; name?: string; params: Json } {
  const task = random.pick(known.taskIds);
  const answers = { [random.pick(known.keys)]: { action: 'accept', content: { name: 'x' } } };
  const call = (name: string, more: Json = {}) => ({
    method: 'tools/call',
    name,
    params: { name, arguments: { text: oddText(random, 50) }, ...more },
  });
  return random.pick([
    () => call('echo'),
    () => call('count', { _meta: { progressToken: 1 } }),
    () => call('ask'),
    () => call('ask', { inputResponses: answers, requestState: random.pick(known.states) }),
    () => call('task'),
    () => call('asking-task'),
    () => ({ method: 'tasks/get', name: task, params: { taskId: task } }),
    () => ({ method: 'tasks/update', name: task, params: { taskId: task, inputResponses: answers } }),
    () => ({ method: 'tasks/cancel', name: task, params: { taskId: task } }),
    () => ({ method: 'tools/list', params: { cursor: oddText(random, 20) } }),
    () => ({ method: 'resources/read', name: 'fuzz://one', params: { uri: 'fuzz://one' } }),
    () => ({
      method: 'completion/complete',
      params: { ref: { type: 'ref/prompt', name: 'greet' }, argument: { name: 'who', value: 'x' } },
    }),
    () => ({ method: 'server/discover', params: {} }),
    () => ({
      method: 'subscriptions/listen',
      params: {
        notifications: { toolsListChanged: true, resourceSubscriptions: ['fuzz://one'], taskIds: [task] },
      },
    }),
  ])();
}

/** Sends one request, and settles when it is answered; a stream is left after a moment. */
async function sendOdd(random: Random, handler: FetchHandler, known: Known): Promise<void> {
  const { method, name, params } = goodRequest(random, known);
  const _meta = { ...META, ...(params._meta as object | undefined) };
  const good = { jsonrpc: '2.0', id: random.below(1000), method, params: { ...params, _meta } };
  const isMutated = random.chance(0.6);
  const message = isMutated ? mutated(random, good) : good;
  const body = random.chance(0.1) ? damaged(random, JSON.stringify(message)) : JSON.stringify(message);
  const headers: Record<string, string> = {
    ...HEADERS,
    'mcp-protocol-version': '2026-07-28',
    'mcp-method': method,
    ...(name !== undefined && { 'mcp-name': name }),
  };
  if (random.chance(0.1)) headers[random.pick(Object.keys(headers))] = headerText(random);
  const abort = new AbortController();
  const response = await handler(
    new Request(ENDPOINT, { method: 'POST', headers, body: body as string, signal: abort.signal }),
  );
  await checkResponse(response, abort, method === 'subscriptions/listen', (answer) => known.learn(answer));
}

function headerText(random: Random): string {
  return random.pick(['', '2025-11-25', '=?base64?!?=', '__proto__', 'x'.repeat(3000), '\u00e9', ', ,', '2026-07-28']);
}

/** Reads a response, and throws a Violation unless it is well-formed. */
async function checkResponse(
  response: Response,
  abort: AbortController,
  mayStayOpen: boolean,
  learn: (answer: Json) => void,
): Promise<void> {
  if (response.status < 200 || response.status > 599) throw new Violation(`The status is ${response.status}`);
  if (response.status === 500) throw new Violation(`The server failed: ${await response.text()}`);
  const leave = mayStayOpen ? setTimeout(() => abort.abort(), 5) : undefined;
  const text = await response.text().catch(() => '');
  clearTimeout(leave);
  if (response.headers.get('content-type') === 'text/event-stream') {
    for (const line of text.split('\n')) if (/^data: ./.test(line)) learn(parse(line.slice('data: '.length)));
  } else if (text !== '') learn(parse(text));
}

function parse(text: string): Json {
  try {
    return JSON.parse(text);
  } catch {
    throw new Violation(`The server sent what is not JSON: ${text.slice(0, 200)}`);
  }
}

async function checkHonest(handler: FetchHandler): Promise<void> {
  const params = { name: 'echo', arguments: { honest: true }, _meta: META };
  const headers = {
    ...HEADERS,
    'mcp-protocol-version': '2026-07-28',
    'mcp-method': 'tools/call',
    'mcp-name': 'echo',
  };
  const body = JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'tools/call', params });
  const asked = handler(new Request(ENDPOINT, { method: 'POST', headers, body })).then((response) => response.text());
  const text = await within(ANSWER_MS, 'An honest request', asked);
  if (!text.includes('{\\"honest\\":true}')) throw new Violation(`An honest request got ${text.slice(0, 300)}`);
}

/** Sessions whose streams are left, resumed and resumed wrongly, with calls, cancellations and answers in between. */
export const resumedStreams: FuzzTarget = {
  name: 'sessions and resumed streams',
  open: async (): Promise<OpenTarget> => {
    const { server, handler } = open();
    return {
      runCase: (random) =>
        withoutEscapes('the case', async () => {
          const inputs = await within(ANSWER_MS, 'A session', runSession(random, handler));
          await checkHonest(handler);
          return inputs;
        }),
      close: async () => {
        await handler.close();
        await server.close();
      },
    };
  },
};

async function runSession(random: Random, handler: FetchHandler): Promise<number> {
  const protocolVersion = random.pick(['2025-03-26', '2025-06-18', '2025-11-25']);
  const session: Record<string, string> = { 'mcp-protocol-version': protocolVersion };
  const eventIds = ['1', '2'];
  const send = async (method: string, message: unknown, more: Record<string, string> = {}, leaveAfter = 20) => {
    const abort = new AbortController();
    const headers = { ...HEADERS, ...session, ...more };
    const body = method === 'POST' ? (typeof message === 'string' ? message : JSON.stringify(message)) : undefined;
    const request = new Request(ENDPOINT, {
      method,
      headers,
      signal: abort.signal,
      ...(body !== undefined && { body }),
    });
    const response = await handler(request);
    if (response.status === 500) throw new Violation(`The server failed: ${await response.text()}`);
    const id = response.headers.get('mcp-session-id');
    if (id !== null) session['mcp-session-id'] = id;
    const leave = setTimeout(() => abort.abort(), leaveAfter);
    const text = await response.text().catch(() => '');
    clearTimeout(leave);
    for (const [, eventId] of text.matchAll(/^id: (.+)$/gm)) remember(eventIds, eventId as string);
  };
  const capabilities = { elicitation: {}, sampling: {}, roots: {} };
  const clientInfo = { name: 'fuzz', version: '0' };
  await send('POST', {
    jsonrpc: '2.0',
    id: 0,
    method: 'initialize',
    params: { protocolVersion, capabilities, clientInfo },
  });
  await send('POST', { jsonrpc: '2.0', method: 'notifications/initialized' });
  const steps = 5 + random.below(10);
  for (let step = 1; step <= steps; step += 1) {
    await random.pick<() => Promise<void>>([
      () => send('POST', oddCall(random, step), {}, random.below(30)),
      () => send('POST', mutated(random, oddCall(random, step)), {}, random.below(30)),
      () => send('POST', [oddCall(random, step), mutated(random, oddCall(random, step + 100))], {}, random.below(30)),
      () =>
        send('POST', { jsonrpc: '2.0', method: 'notifications/cancelled', params: { requestId: random.below(15) } }),
      () => send('POST', mutated(random, { jsonrpc: '2.0', id: random.below(5), result: { action: 'accept' } })),
      () => send('GET', undefined, {}, random.below(20)),
      () => send('GET', undefined, { 'last-event-id': random.pick(eventIds) }, random.below(20)),
      () => send('GET', undefined, { 'last-event-id': oddEventId(random, eventIds) }, random.below(20)),
      () => send('DELETE', undefined, { 'mcp-session-id': random.pick(['none', session['mcp-session-id'] ?? '']) }),
    ])();
  }
  await send('DELETE', undefined);
  return steps + 3;
}

function oddCall(random: Random, id: number): object {
  const name = random.pick(['echo', 'count', 'ask', 'task']);
  const params = { name, arguments: {}, ...(random.chance(0.5) && { _meta: { progressToken: id } }) };
  return {
    jsonrpc: '2.0',
    id,
    method: random.pick(['tools/call', 'tools/call', 'ping', 'resources/subscribe']),
    params,
  };
}

function oddEventId(random: Random, known: readonly string[]): string {
  return random.pick([
    '',
    '0',
    '-1',
    'NaN',
    'Infinity',
    '1e3',
    '99999999999999999999',
    '__proto__',
    'x'.repeat(2000),
    `${random.pick(known)}0`,
    ` ${random.pick(known)}`,
    '\u00e9',
  ]);
}
