import { describe, expect, it } from 'vitest';
import { Recorder } from '../../../testing/recorder.ts';
import { DEFAULT_CONNECTION_LIMITS, withDefaults } from '../../jsonrpc/limits.ts';
import { LineReader } from './line-reader.ts';

describe('a line in many chunks', () => {
  /** Chunks as a stream delivers them: each a Buffer with memory of its own. */
  function* chunksOf(line: string, sizes: readonly number[]): Generator<Buffer> {
    for (let at = 0, n = 0; at < line.length; n += 1) {
      const size = sizes[n % sizes.length] as number;
      yield Buffer.from(line.slice(at, at + size));
      at += size;
    }
  }

  it.each([[[1]], [[1, 20_000]], [[16_384, 1, 16_383]], [[3, 16_384]]])(
    'of %j bytes takes about its own size in memory',
    (sizes) => {
      const text = 'x'.repeat(3_000_000);
      const line = `${JSON.stringify({ jsonrpc: '2.0', method: 'tell', params: { text } })}\n`;
      const recorder = new Recorder();
      const reader = new LineReader(recorder, withDefaults({}, DEFAULT_CONNECTION_LIMITS));
      const memory = () => process.memoryUsage().heapUsed + process.memoryUsage().external;
      const before = memory();
      let most = 0;
      let count = 0;
      for (const chunk of chunksOf(line, sizes)) {
        reader.push(chunk);
        count += 1;
        if (count % 100_000 === 0) most = Math.max(most, memory() - before);
      }
      expect(most).toBeLessThan(100_000_000);
      expect(recorder.messages).toEqual([{ jsonrpc: '2.0', method: 'tell', params: { text } }]);
    },
  );

  it('that is too long is reported once, and the next line is read', () => {
    const recorder = new Recorder();
    const reader = new LineReader(recorder, withDefaults({ maxMessageBytes: 50_000 }, DEFAULT_CONNECTION_LIMITS));
    const line = `{"jsonrpc":"2.0","id":5,"method":"${'x'.repeat(100_000)}"}\n`;
    for (const chunk of chunksOf(line, [1])) reader.push(chunk);
    reader.push(Buffer.from('{"jsonrpc":"2.0","method":"next"}\n'));
    expect(recorder.malformations.map(({ id }) => id)).toEqual([5]);
    expect(recorder.messages).toEqual([{ jsonrpc: '2.0', method: 'next' }]);
  });
});

describe('a line with replacement characters', () => {
  const valid = Buffer.from('{"jsonrpc":"2.0","method":"tell","params":{"text":"\ufffd"}}\n');
  const message = { jsonrpc: '2.0', method: 'tell', params: { text: '\ufffd' } };
  const quote = valid.indexOf('\ufffd');
  /** The character and a byte that is no UTF-8. */
  const invalid = Buffer.concat([valid.subarray(0, quote), Buffer.from([0xff]), valid.subarray(quote)]);

  it.each([
    ['in one chunk', valid.length + invalid.length],
    ['byte by byte', 1],
  ])('is read if they were sent, and refused if they stand for invalid bytes, %s', (_, size) => {
    const recorder = new Recorder();
    const reader = new LineReader(recorder, withDefaults({}, DEFAULT_CONNECTION_LIMITS));
    const bytes = Buffer.concat([valid, invalid, valid]);
    for (let at = 0; at < bytes.length; at += size) reader.push(Buffer.from(bytes.subarray(at, at + size)));
    expect(recorder.messages).toEqual([message, message]);
    expect(recorder.malformations.map(({ error }) => error.message)).toEqual([
      'Parse error: the line is not valid UTF-8',
    ]);
  });
});
