import { describe, expect, it } from 'vitest';
import { Recorder } from '../../../testing/recorder.ts';
import { withDefaults } from '../../jsonrpc/limits.ts';
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
      const reader = new LineReader(recorder, withDefaults({}));
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
    const reader = new LineReader(recorder, withDefaults({ maxMessageBytes: 50_000 }));
    const line = `{"jsonrpc":"2.0","id":5,"method":"${'x'.repeat(100_000)}"}\n`;
    for (const chunk of chunksOf(line, [1])) reader.push(chunk);
    reader.push(Buffer.from('{"jsonrpc":"2.0","method":"next"}\n'));
    expect(recorder.malformations.map(({ id }) => id)).toEqual([5]);
    expect(recorder.messages).toEqual([{ jsonrpc: '2.0', method: 'next' }]);
  });
});
