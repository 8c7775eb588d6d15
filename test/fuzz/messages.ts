import type { Random } from '../../packages/mcp/testing/random.ts';
import { damaged, mutated, nested, oddText, smallNumber } from './json.ts';

const VERSIONS = ['2024-11-05', '2025-03-26', '2025-06-18', '2025-11-25', '2026-07-28', '1999-01-01'];

/** A client's message as the specification has it, for the server in victim.mjs. */
function goodMessage(random: Random, id: number): object {
  const request = (method: string, params?: object) => ({ jsonrpc: '2.0', id, method, params });
  const stateless = {
    'io.modelcontextprotocol/protocolVersion': '2026-07-28',
    'io.modelcontextprotocol/clientCapabilities': { elicitation: {} },
    'io.modelcontextprotocol/clientInfo': { name: 'fuzz', version: '0' },
  };
  return random.pick<() => object>([
    () =>
      request('initialize', {
        protocolVersion: random.pick(VERSIONS),
        capabilities: { elicitation: {}, sampling: {}, roots: { listChanged: true } },
        clientInfo: { name: 'fuzz', version: '0' },
      }),
    () => ({ jsonrpc: '2.0', method: 'notifications/initialized' }),
    () => request('ping'),
    () => request('tools/list', random.chance(0.5) ? {} : { cursor: oddText(random, 20) }),
    () => request('tools/call', { name: 'echo', arguments: { text: oddText(random, 100) } }),
    () => request('tools/call', { name: 'echo', arguments: { text: 'again' }, _meta: { progressToken: id } }),
    () => request('tools/call', { name: 'echo', arguments: { text: 'alone' }, _meta: stateless }),
    () =>
      request('tools/call', { name: 'chatty', arguments: { count: random.below(50) }, _meta: { progressToken: 1 } }),
    () => request('tools/call', { name: 'ask', arguments: {} }),
    () => request('tools/call', { name: 'ask', arguments: {}, _meta: stateless }),
    () => request('tools/call', { name: 'fail', arguments: {} }),
    () => request('tools/call', { name: 'odd', arguments: {} }),
    () => request('resources/list', {}),
    () => request('resources/read', { uri: random.pick(['fuzz://one', `fuzz://thing/${oddText(random, 300)}`]) }),
    () => request('resources/subscribe', { uri: 'fuzz://one' }),
    () => request('resources/templates/list', {}),
    () => request('prompts/get', { name: 'greet', arguments: { who: oddText(random, 20) } }),
    () =>
      request('completion/complete', {
        ref: { type: 'ref/prompt', name: 'greet' },
        argument: { name: 'who', value: oddText(random, 20) },
      }),
    () => request('logging/setLevel', { level: 'debug' }),
    () => request('server/discover', { _meta: stateless }),
    () => request('subscriptions/listen', { notifications: { toolsListChanged: true }, _meta: stateless }),
    () => request('tasks/get', { taskId: oddText(random, 20), _meta: stateless }),
    () => ({ jsonrpc: '2.0', method: 'notifications/cancelled', params: { requestId: random.below(id + 1) } }),
    () => ({ jsonrpc: '2.0', method: 'notifications/progress', params: { progressToken: 1, progress: 1 } }),
    () => ({ jsonrpc: '2.0', id: random.below(20), result: { action: 'accept', content: { name: 'x' } } }),
    () => ({ jsonrpc: '2.0', id: random.below(20), error: { code: 1, message: 'no' } }),
  ])();
}

/** Each message takes up to this many ids. */
export const IDS_PER_MESSAGE = 3;

/** What a broken or hostile client might send as one message. */
export function oddMessage(random: Random, id: number): Buffer {
  const good = goodMessage(random, id);
  const kind = random.fraction();
  if (kind < 0.1) return Buffer.from(JSON.stringify(good));
  if (kind < 0.6) return Buffer.from(JSON.stringify(mutated(random, good)));
  if (kind < 0.7) {
    return Buffer.from(
      JSON.stringify([good, mutated(random, goodMessage(random, id + 1)), goodMessage(random, id + 2)]),
    );
  }
  if (kind < 0.9) return damaged(random, JSON.stringify(good));
  if (kind < 0.93) return Buffer.from(nested(random));
  if (kind < 0.96)
    return Buffer.from(JSON.stringify({ ...good, params: { pad: 'x'.repeat(smallNumber(random, 300_000)) } }));
  return random.bytes(smallNumber(random, 2000));
}
