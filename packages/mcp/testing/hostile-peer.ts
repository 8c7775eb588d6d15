import { decode, encode } from '../src/jsonrpc/codec.ts';
import type { Connection, Outgoing, Receiver } from '../src/jsonrpc/connection.ts';
import { ConnectionClosed } from '../src/jsonrpc/errors.ts';
import type { Message } from '../src/jsonrpc/message.ts';
import type { Random } from './random.ts';

type Json = { [member: string]: unknown };

/** Texts that a hostile server sends in reaction to one message: mostly a response, and other things around it. */
export function hostileTexts(random: Random, message: Message): string[] {
  const texts: string[] = [];
  while (random.chance(0.2)) texts.push(unaskedText(random, message));
  if (message.method === undefined || message.id === undefined) return texts;
  if (message.method === 'subscriptions/listen' && random.chance(0.9)) {
    texts.push(JSON.stringify(spoil(random, acknowledgement(message.id))));
    return texts; // the stream stays open
  }
  if (random.chance(0.08)) return texts; // no response
  texts.push(responseText(random, message.id, message.method));
  if (random.chance(0.1)) texts.push(responseText(random, message.id, message.method));
  while (random.chance(0.1)) texts.push(unaskedText(random, message));
  return texts;
}

/** A connection to a hostile server in memory. It sends texts, as a wire does, at once or a little later. */
export function hostilePeer(random: Random): Connection {
  let receiver: Receiver | undefined;
  const deliver = (text: string) => {
    if (receiver !== undefined) decode(text, receiver);
  };
  const close = async (reason = 'closed') => {
    const closed = receiver;
    receiver = undefined;
    closed?.closed(new ConnectionClosed(reason));
  };
  return {
    start: (started) => {
      receiver = started;
    },
    send: (outgoing: Outgoing) => {
      const message = JSON.parse(encode(outgoing)) as Message;
      for (const text of hostileTexts(random, message)) {
        if (random.chance(0.5)) setImmediate(() => deliver(text));
        else setTimeout(() => deliver(text), random.below(20));
      }
      if (random.chance(0.01)) setImmediate(() => void close('the server disconnected'));
    },
    drained: async () => {},
    close,
  };
}

const SUBSCRIPTION_KEY = 'io.modelcontextprotocol/subscriptionId';
const TOOL = { name: 't', inputSchema: { type: 'object' } };
const SCHEMAS: readonly unknown[] = [
  { type: 'object' },
  { type: 'object', properties: { text: { type: 'string', pattern: '^(a+)+$' } } },
  { $ref: '#' },
  { type: 'object', $ref: '#/$defs/nowhere' },
  { anyOf: [{ $ref: '#' }, { $ref: '#' }] },
  { $schema: 'http://json-schema.org/draft-07/schema#', dependencies: 5 },
  { type: 'object', properties: { a: { enum: Array.from({ length: 40 }, (_, n) => ({ n })) } } },
  5,
  { $async: true },
];

/** A good result of each method, before it is spoiled. */
const RESULTS: { readonly [method: string]: (random: Random) => Json } = {
  initialize: () => ({
    protocolVersion: '2025-11-25',
    capabilities: { tools: { listChanged: true }, resources: { subscribe: true }, logging: {} },
    serverInfo: { name: 's', version: '1' },
  }),
  'server/discover': () => ({
    resultType: 'complete',
    supportedVersions: ['2026-07-28', '2025-11-25'],
    capabilities: { tools: { listChanged: true }, resources: { subscribe: true } },
  }),
  'tools/list': (random) => ({
    tools: [TOOL, { ...TOOL, name: 'u', outputSchema: random.pick(SCHEMAS) }],
    ...(random.chance(0.3) && { nextCursor: String(random.below(1e9)) }),
  }),
  'tools/call': (random) => ({
    ...random.pick<Json>([
      { content: [{ type: 'text', text: 'x' }], structuredContent: { text: `${'a'.repeat(30)}b` } },
      { content: [] },
      { resultType: 'task', taskId: 'task', pollIntervalMs: random.below(30) },
      { resultType: 'input_required', requestState: 's', inputRequests: { a: question(random) } },
    ]),
  }),
  'tasks/get': (random) => ({
    status: random.pick(['working', 'completed', 'failed', 'input_required', 'cancelled', 'odd']),
    result: { content: [] },
    inputRequests: { [String(random.below(5))]: question(random) },
    error: { code: -1, message: 'failed' },
  }),
  'prompts/list': () => ({ prompts: [{ name: 'p' }] }),
  'prompts/get': () => ({ messages: [{ role: 'user', content: { type: 'text', text: 'x' } }] }),
  'resources/list': () => ({ resources: [{ uri: 'a:b', name: 'r' }] }),
  'resources/templates/list': () => ({ resourceTemplates: [{ uriTemplate: 'a:{b}', name: 'r' }] }),
  'resources/read': () => ({ contents: [{ uri: 'a:b', text: 'x' }] }),
  'completion/complete': () => ({ completion: { values: ['x'] } }),
};

function question(random: Random): Json {
  return random.pick<Json>([
    { method: 'elicitation/create', params: { message: 'm', requestedSchema: { type: 'object', properties: {} } } },
    { method: 'roots/list' },
    { method: 'sampling/createMessage', params: { messages: [], maxTokens: 1 } },
    { method: 'unknown' },
  ]);
}

function responseText(random: Random, id: string | number, method: string): string {
  if (random.chance(0.03)) return random.text(40);
  if (random.chance(0.02)) return `${'['.repeat(5000)}${']'.repeat(5000)}`;
  const result = spoiled(random, RESULTS[method]?.(random) ?? {});
  const responses: readonly unknown[] = [
    {
      jsonrpc: '2.0',
      id,
      error: spoiled(random, { code: -32603, message: 'no', data: { supported: ['2026-07-28'] } }),
    },
    { jsonrpc: '2.0', id, result, error: null },
    { jsonrpc: '2.0', id: random.pick<unknown>([String(id), null, {}, -1, 1.5, 'x']), result },
    { jsonrpc: '2.0', id },
    { id, result },
    [{ jsonrpc: '2.0', id, result }, oddValue(random)],
    [],
    { jsonrpc: '2.0', id, error: { code: -32022, message: 'v', data: { supported: oddValue(random) } } },
    { jsonrpc: '2.0', id, error: { code: -32020, message: 'Header mismatch' } },
    oddValue(random),
  ];
  return JSON.stringify(random.chance(0.75) ? { jsonrpc: '2.0', id, result } : random.pick(responses));
}

function acknowledgement(id: unknown): Json {
  const notifications = { toolsListChanged: true, resourceSubscriptions: ['a:b'] };
  const params = { notifications, _meta: { [SUBSCRIPTION_KEY]: id } };
  return { jsonrpc: '2.0', method: 'notifications/subscriptions/acknowledged', params };
}

/** Notifications and requests of the server. */
function unaskedText(random: Random, { id, params }: Message & { params?: unknown }): string {
  const { progressToken } = ((params as Json | undefined)?._meta ?? {}) as Json;
  const message = random.pick<Json>([
    { method: 'notifications/progress', params: { progressToken, progress: 1, total: 2 } },
    { method: 'notifications/cancelled', params: { requestId: id } },
    { method: 'notifications/tools/list_changed' },
    { method: 'notifications/message', params: { level: 'info', data: 1 } },
    { method: 'notifications/resources/updated', params: { uri: 'a:b' } },
    acknowledgement(id),
    { id: random.below(5), method: 'ping' },
    { id: random.below(5), ...question(random) },
    { id: 'x', method: 'tools/call', params: {} },
  ]);
  return JSON.stringify({ jsonrpc: '2.0', ...(spoiled(random, message) as Json) });
}

/** The value as it is, or with some of its parts replaced, removed or added. */
function spoiled(random: Random, value: unknown): unknown {
  if (random.chance(0.5)) return value;
  return spoil(random, value);
}

function spoil(random: Random, value: unknown): unknown {
  if (random.chance(0.12)) return oddValue(random);
  if (Array.isArray(value)) {
    const items = value.map((item) => spoil(random, item));
    return random.chance(0.1) ? [...items, oddValue(random)] : items;
  }
  if (typeof value !== 'object' || value === null) return value;
  const entries = Object.entries(value)
    .filter(() => !random.chance(0.08))
    .map(([name, member]) => [name, spoil(random, member)] as const);
  if (random.chance(0.1)) entries.push([random.pick(['__proto__', 'toString', 'constructor', 'x']), oddValue(random)]);
  return Object.fromEntries(entries);
}

function oddValue(random: Random): unknown {
  return random.pick<() => unknown>([
    () => null,
    () => true,
    () => random.pick([0, -1, 5, 1.5, 1e308, 2 ** 53]),
    () => random.text(20),
    () => 'x'.repeat(5000),
    () => [],
    () => ({}),
    () => [null],
    () => JSON.parse('{"toString":1,"then":1}'),
    () => JSON.parse('{"__proto__":{"a":1}}'),
    () => Array.from({ length: 3000 }, () => null),
    () => {
      let nested: unknown = {};
      for (let depth = 0; depth < 400; depth += 1) nested = random.chance(0.5) ? [nested] : { nested };
      return nested;
    },
  ])();
}
