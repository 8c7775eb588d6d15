import type { TrafficEntry } from '../../../traffic/traffic.ts';

export type IsShown = (entry: TrafficEntry) => boolean;

/**
 * Words that all must fit: `in` or `out` for the direction, `agent:NAME`, `method:NAME`, and any other text that the
 * message contains. Upper and lower case are the same.
 */
export function parseFilter(text: string): IsShown {
  const tests = text
    .toLowerCase()
    .split(/\s+/)
    .filter((word) => word !== '')
    .map(testOf);
  return (entry) => tests.every((fits) => fits(entry));
}

function testOf(word: string): IsShown {
  const [, name, value = ''] = /^(agent|method):(.*)$/.exec(word) ?? [];
  if (word === 'in') return ({ direction }) => direction === 'received';
  if (word === 'out') return ({ direction }) => direction === 'sent';
  if (name === 'method') return ({ method = '' }) => method.toLowerCase().includes(value);
  if (name === 'agent') {
    return ({ adapter, client }) =>
      [adapter, client.id, client.name].some((each) => each.toLowerCase().includes(value));
  }
  return (entry) => `${entry.method ?? ''} ${JSON.stringify(entry.message)}`.toLowerCase().includes(word);
}
