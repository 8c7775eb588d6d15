import { describe, expect, it } from 'vitest';
import { Recorder } from '../../../testing/recorder.ts';
import { describeConnection } from '../../jsonrpc/connection.contract.ts';
import { memoryPair } from './pair.ts';

describeConnection(
  'memory by reference',
  async () => {
    const [left, right] = memoryPair();
    return { left, right, dispose: () => left.close() };
  },
  { noJson: 'objects are handed over as they are' },
);

describeConnection('memory by JSON', async () => {
  const [left, right] = memoryPair({ copy: 'json' });
  return { left, right, dispose: () => left.close() };
});

describe('memoryPair', () => {
  it('a reader that never starts has its connection closed when the queue is full', async () => {
    const [left, right] = memoryPair({ maxQueuedMessages: 3 });
    const [atLeft, atRight] = [new Recorder(), new Recorder()];
    left.start(atLeft);
    for (let n = 0; n < 5; n += 1) left.send({ jsonrpc: '2.0', method: 'tell' });
    right.start(atRight);
    await atLeft.until(({ closings }) => closings.length > 0);
    await atRight.until(({ closings }) => closings.length > 0);
    expect(atLeft.closings[0]?.message).toContain('The reader is too slow: 3 messages are waiting');
    expect(atRight.messages).toHaveLength(3);
  });

  it('by reference the very object arrives, by JSON a copy', async () => {
    for (const [copy, same] of [
      ['reference', true],
      ['json', false],
    ] as const) {
      const [left, right] = memoryPair({ copy });
      const atRight = new Recorder();
      right.start(atRight);
      const message = { jsonrpc: '2.0', method: 'tell', params: {} } as const;
      left.send(message);
      await atRight.until(({ messages }) => messages.length > 0);
      expect(atRight.messages[0] === message).toBe(same);
    }
  });
});
