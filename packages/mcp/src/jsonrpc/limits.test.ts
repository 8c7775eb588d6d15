import { describe, expect, it } from 'vitest';
import { processorTime } from '../../testing/processor-time.ts';
import { Recorder } from '../../testing/recorder.ts';
import { decode } from './codec.ts';
import { type ConnectionLimits, DEFAULT_CONNECTION_LIMITS, withDefaults } from './limits.ts';

const wrap = (params: string) => `{"jsonrpc":"2.0","id":7,"method":"ask","params":${params}}`;
/** The envelope has four members and one object. */
const ENVELOPE_VALUES = 4;
/** `count` values in all. */
const wide = (count: number, item = '1') =>
  wrap(
    `[${Array(count - ENVELOPE_VALUES)
      .fill(item)
      .join(',')}]`,
  );
/** `depth` levels in all. */
const deep = (depth: number) => wrap(`${'['.repeat(depth - 1)}${']'.repeat(depth - 1)}`);

function decoded(text: string, limits: ConnectionLimits = {}): Recorder {
  const recorder = new Recorder();
  decode(text, recorder, undefined, withDefaults(limits, DEFAULT_CONNECTION_LIMITS));
  return recorder;
}

function expectRefused({ messages, malformations }: Recorder, message: string): void {
  expect(messages).toEqual([]);
  expect(malformations).toEqual([{ id: 7, error: { code: -32600, message } }]);
}

describe('the limits of a message', () => {
  it('admit a message at each of them', () => {
    expect(decoded(wide(300_000)).messages).toHaveLength(1);
    expect(decoded(deep(1000)).messages).toHaveLength(1);
    const frame = wrap('[""]').length;
    expect(decoded(wrap(`["${'x'.repeat(16_777_216 - frame)}"]`)).messages).toHaveLength(1);
  });

  it('refuse a message beyond one of them, with its id', () => {
    expectRefused(decoded(wide(300_001)), 'Message holds more than the limit of 300000 values');
    expectRefused(decoded(deep(1001)), 'Message is nested deeper than the limit of 1000 levels');
    const frame = wrap('[""]').length;
    const large = wrap(`["${'x'.repeat(16_777_217 - frame)}"]`);
    expectRefused(decoded(large), 'Message is larger than the limit of 16777216 bytes');
  });

  it('can be changed', () => {
    expectRefused(decoded(wide(9), { maxValues: 8 }), 'Message holds more than the limit of 8 values');
    expectRefused(decoded(deep(9), { maxDepth: 8 }), 'Message is nested deeper than the limit of 8 levels');
    expect(decoded(wide(600_000), { maxValues: 600_000 }).messages).toHaveLength(1);
  });

  it('do not count what stands in strings, whatever it escapes', () => {
    const text = ['[[[{{{,,,', '\\"[[[\\\\', '"[{,', '\\', '\u2028 é 😀'].map((each) =>
      JSON.stringify(each.repeat(50)),
    );
    for (const item of text) {
      expect(decoded(wrap(`[${item},${item}]`), { maxValues: 6, maxDepth: 2 }).messages).toHaveLength(1);
      expectRefused(
        decoded(wrap(`[${item},${item},[]]`), { maxValues: 6, maxDepth: 3 }),
        'Message holds more than the limit of 6 values',
      );
    }
  });

  it('a response beyond them fails its request with a local error', () => {
    const response = `{"jsonrpc":"2.0","id":3,"result":${'['.repeat(3000)}${']'.repeat(3000)}}`;
    expect(decoded(response).refusals).toMatchObject([{ id: 3, reason: { name: 'LimitExceeded' } }]);
  });

  it.each([
    ['60 MB of empty arrays', `[${'[],'.repeat(20_000_000)}[]]`],
    ['16 MB of empty arrays', `[${'[],'.repeat(5_300_000)}[]]`],
    ['16 MB of opening brackets', '['.repeat(16_000_000)],
    ['the most values allowed, all objects of their own shape', shapes(DEFAULT_CONNECTION_LIMITS.maxValues / 2 - 10)],
    ['16 MB of quotes and backslashes', `["${'\\\\\\"'.repeat(4_000_000)}"]`],
    ['a number of 16 MB', `[${'1'.repeat(16_000_000)}]`],
  ])('keep the loop from being blocked by %s', (_what, text) => {
    const before = processorTime();
    decoded(text);
    // Includes collecting garbage in other threads.
    expect(processorTime() - before).toBeLessThan(1000);
  });
});

/** The slowest to parse of what is within the limits. */
function shapes(count: number): string {
  return wrap(`[${Array.from({ length: count }, (_, n) => `{"k${n}":0}`).join(',')}]`);
}
