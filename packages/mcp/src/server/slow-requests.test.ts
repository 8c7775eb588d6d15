import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { Mailbox } from '../../testing/mailbox.ts';
import { processorTime } from '../../testing/processor-time.ts';
import { decode, encode } from '../jsonrpc/codec.ts';
import type { Receiver } from '../jsonrpc/connection.ts';
import { Server } from './server.ts';

const META = {
  'io.modelcontextprotocol/protocolVersion': '2026-07-28',
  'io.modelcontextprotocol/clientCapabilities': { elicitation: {} },
};
/** Just within the limits of a message. */
const LONG = 'A'.repeat(15_900_000);
const members = <T>(value: T) => Object.fromEntries(Array.from({ length: 290_000 }, (_, n) => [`k${n}`, value]));
const uris = (count: number, length: number) =>
  Array.from({ length: count }, (_, n) => `a:///${String(n).padStart(length - 5, '/?&=x')}`);

const REQUESTS: readonly (readonly [string, string, object])[] = [
  ['a long name of a tool', 'tools/call', { name: LONG }],
  ['a long cursor', 'tools/list', { cursor: LONG }],
  ['a long state', 'tools/call', { name: 'ask', requestState: `x.${LONG}` }],
  ['a state with many dots', 'tools/call', { name: 'ask', requestState: '.'.repeat(LONG.length) }],
  ['a state with a long body', 'tools/call', { name: 'ask', requestState: `${LONG}.${'A'.repeat(43)}` }],
  ['many responses', 'tools/call', { name: 'ask', inputResponses: members(0) }],
  ['a long response', 'tools/call', { name: 'ask', inputResponses: { elicitation: accepted({ text: LONG }) } }],
  ['many fields in a response', 'tools/call', { name: 'ask', inputResponses: { elicitation: accepted(members('')) } }],
  ['many arguments of a tool', 'tools/call', { name: 'strict', arguments: members(0) }],
  ['many items of an argument', 'tools/call', { name: 'strict', arguments: { list: Array(290_000).fill(0) } }],
  ['many arguments of a prompt', 'prompts/get', { name: 'p', arguments: members('x') }],
  ['many arguments for a completion', 'completion/complete', completion({ arguments: members('x') })],
  ['a long value to complete', 'completion/complete', completion({}, LONG)],
  ['a long URI', 'resources/read', { uri: `a:///${LONG}` }],
  ['the longest URI', 'resources/read', { uri: `a:///${'/?&=%41'.repeat(1169)}` }],
  ['a thousand long URIs', 'subscriptions/listen', { notifications: { resourceSubscriptions: uris(1000, 8192) } }],
  ['many URIs', 'subscriptions/listen', { notifications: { resourceSubscriptions: uris(290_000, 50) } }],
  ['many ids of tasks', 'subscriptions/listen', { notifications: { taskIds: uris(290_000, 50) } }],
  ['a long id of a task', 'tasks/get', { taskId: LONG }],
  ['an unknown version', 'tools/list', { _meta: { ...META, 'io.modelcontextprotocol/protocolVersion': LONG } }],
  [
    'many capabilities',
    'tools/list',
    {
      _meta: { ...META, 'io.modelcontextprotocol/clientCapabilities': members(0) },
    },
  ],
  ['an unknown method', LONG, {}],
];

function accepted(content: object): object {
  return { action: 'accept', content };
}

function completion(context: object, value = ''): object {
  return { ref: { type: 'ref/prompt', name: 'p' }, argument: { name: 'who', value }, context };
}

let server: Server;
let receiver: Receiver;
const responses = new Mailbox<string>();
beforeAll(() => {
  server = new Server({ name: 's', version: '1' }, { tasks: {}, onError: () => {} });
  server.tool({ name: 'ask' }, async (_args, { elicit }) => {
    const form = {
      message: 'm',
      requestedSchema: { type: 'object', properties: { text: { type: 'string' } } },
    } as const;
    await elicit(form);
    await elicit(form);
    return 'asked';
  });
  const item = { type: 'object', properties: { a: { type: 'string' } }, required: ['a'], additionalProperties: false };
  const inputSchema = {
    type: 'object',
    properties: { list: { type: 'array', items: item } },
    additionalProperties: item,
  };
  server.tool({ name: 'strict', inputSchema }, () => 'fine');
  server.prompt({ name: 'p', arguments: [{ name: 'who', complete: (value) => [value] }] }, () => 'text');
  for (let n = 0; n < 5; n += 1) {
    server.resourceTemplate({ uriTemplate: `a:///{a${n}}/{b}{?c,d*}`, name: `t${n}` }, () => undefined);
  }
  server.connect({
    start: (started) => {
      receiver = started;
    },
    send: (message) => responses.put(encode(message)),
    drained: async () => {},
    close: async () => {},
  });
});
afterAll(() => server.close());

describe('no request within the limits of a message keeps the server from others for a second', () => {
  it.each(REQUESTS)('%s', async (_, method, params) => {
    const text = JSON.stringify({ jsonrpc: '2.0', id: 1, method, params: { _meta: META, ...params } });
    const start = processorTime();
    decode(text, receiver);
    await responses.take();
    expect(processorTime() - start).toBeLessThan(1000);
  });
});
