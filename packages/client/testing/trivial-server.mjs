// An MCP server on stdio in plain Node, with nothing that takes time to load.
import { createInterface } from 'node:readline';

const tool = (name, description, properties = {}, required = []) => ({
  name,
  description,
  inputSchema: { type: 'object', properties, required },
});
const tools = [
  tool('echo', 'Says it again', { text: { type: 'string' }, times: { type: 'integer' } }, ['text']),
  tool('fail', 'Fails'),
];
const answers = {
  initialize: ({ protocolVersion }) => ({
    protocolVersion: protocolVersion === '2024-11-05' ? protocolVersion : '2025-06-18',
    capabilities: { tools: {} },
    serverInfo: { name: 'trivial', version: '1.0.0' },
  }),
  ping: () => ({}),
  'tools/list': () => ({ tools }),
  'tools/call': ({ name, arguments: args }) =>
    name === 'fail'
      ? { content: [{ type: 'text', text: 'It failed' }], isError: true }
      : { content: [{ type: 'text', text: JSON.stringify(args) }] },
};

createInterface({ input: process.stdin }).on('line', (line) => {
  const { id, method, params } = JSON.parse(line);
  if (id === undefined) return;
  const answer = answers[method];
  const outcome =
    answer === undefined ? { error: { code: -32601, message: 'Method not found' } } : { result: answer(params ?? {}) };
  process.stdout.write(`${JSON.stringify({ jsonrpc: '2.0', id, ...outcome })}\n`);
});
