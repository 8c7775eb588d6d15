// An MCP server on stdio in plain Node whose tools ask, report progress and wait. `node asking-server.mjs FILE` writes
// what it was sent to FILE, one message a line; with `chatter` after that it sends notifications without end.
import { appendFileSync } from 'node:fs';
import { createInterface } from 'node:readline';

const [, , log, chatter] = process.argv;
const send = (message) => process.stdout.write(`${JSON.stringify({ jsonrpc: '2.0', ...message })}\n`);
const said = (text, more = {}) => ({ content: [{ type: 'text', text }], ...more });
const object = (properties, required = []) => ({ type: 'object', properties, required });

/** By the id of our question: the call that waits for it. */
const asked = new Map();
const form = object(
  {
    name: { type: 'string', title: 'Your name' },
    seats: { type: 'integer' },
    meal: { type: 'string', enum: ['fish', 'soup'], default: 'soup' },
    extras: {
      type: 'array',
      items: {
        anyOf: [
          { const: 'bread', title: 'Bread' },
          { const: 'salt', title: 'Salt' },
        ],
      },
    },
  },
  ['name', 'seats'],
);

const tools = {
  book: {
    description: 'Asks who wants a table',
    inputSchema: object({}),
    call: (id) => {
      asked.set(`ask-${id}`, id);
      send({ id: `ask-${id}`, method: 'elicitation/create', params: { message: 'A table?', requestedSchema: form } });
    },
  },
  wait: {
    description: 'Reports progress and never ends',
    inputSchema: object({ mode: { type: 'string', enum: ['slow', 'slower'] }, loud: { type: 'boolean' } }),
    call: (_id, _args, { progressToken }) => {
      const params = { progressToken, progress: 1, total: 4, message: 'a quarter' };
      if (progressToken !== undefined) send({ method: 'notifications/progress', params });
      process.stderr.write('waiting\n');
    },
  },
  announce: {
    description: 'Sends notifications',
    inputSchema: object({}),
    call: (id) => {
      send({ method: 'notifications/tools/list_changed' });
      send({ method: 'custom/happened', params: { what: 'tea' } });
      send({ id, result: said('announced') });
    },
  },
};

const answers = {
  initialize: () => ({
    protocolVersion: '2025-06-18',
    capabilities: { tools: { listChanged: true } },
    serverInfo: { name: 'asking', version: '1.0.0' },
  }),
  ping: () => ({}),
  'tools/list': () => ({ tools: Object.entries(tools).map(([name, { call: _, ...tool }]) => ({ name, ...tool })) }),
};

createInterface({ input: process.stdin }).on('line', (line) => {
  if (log !== undefined) appendFileSync(log, `${line}\n`);
  const { id, method, params = {}, result } = JSON.parse(line);
  if (asked.has(id)) {
    send({ id: asked.get(id), result: said(JSON.stringify(result)) });
    asked.delete(id);
  } else if (method === 'tools/call') {
    tools[params.name].call(id, params.arguments, params._meta ?? {});
  } else if (method === 'notifications/initialized') {
    send({ method: 'custom/ready', params: { at: 'once' } });
    if (chatter !== undefined) setInterval(() => send({ method: 'custom/tick' }), 20).unref();
  } else if (id !== undefined) {
    const answer = answers[method];
    send(answer ? { id, result: answer(params) } : { id, error: { code: -32601, message: 'Method not found' } });
  }
});
