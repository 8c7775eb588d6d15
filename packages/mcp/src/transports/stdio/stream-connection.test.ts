import { spawn } from 'node:child_process';
import { PassThrough } from 'node:stream';
import { describe, expect, it } from 'vitest';
import { Recorder } from '../../../testing/recorder.ts';
import { describeConnection } from '../../jsonrpc/connection.contract.ts';
import { StreamConnection } from './stream-connection.ts';

describeConnection('stdio over streams', async (limits) => {
  const [toRight, toLeft] = [new PassThrough(), new PassThrough()];
  const left = new StreamConnection(toLeft, toRight, { ...limits, inputEnd: 'over' });
  const right = new StreamConnection(toRight, toLeft, { ...limits, inputEnd: 'over' });
  return {
    left,
    right,
    writeToRight: (text) => void toRight.write(`${text}\n`),
    stallRight: () => void toRight.pause(),
    dispose: async () => {
      await Promise.all([left.close(), right.close()]);
    },
  };
});

describeConnection('stdio over the pipes of a real process', async (limits) => {
  // `cat` in both directions: what is written to one process comes out of it unchanged.
  const [rightward, leftward] = [spawn('cat'), spawn('cat')];
  const left = new StreamConnection(leftward.stdout, rightward.stdin, { ...limits, inputEnd: 'over' });
  const right = new StreamConnection(rightward.stdout, leftward.stdin, { ...limits, inputEnd: 'over' });
  return {
    left,
    right,
    writeToRight: (text) => void rightward.stdin.write(`${text}\n`),
    stallRight: () => void rightward.stdout.pause(),
    dispose: async () => {
      await Promise.all([left.close(), right.close()]);
      rightward.kill();
      leftward.kill();
    },
  };
});

describe('drained', () => {
  const flood = { jsonrpc: '2.0' as const, method: 'flood', params: { text: 'x'.repeat(100_000) } };

  it('leaves no listener behind, however many wait', async () => {
    const [input, output] = [new PassThrough(), new PassThrough()];
    const connection = new StreamConnection(input, output);
    connection.start(new Recorder());
    const listeners = () => ['drain', 'close'].map((event) => output.listenerCount(event));
    const before = listeners();
    for (let n = 0; n < 20; n += 1) {
      connection.send(flood);
      const waiting = Array.from({ length: 20 }, () => connection.drained());
      expect(output.listenerCount('drain')).toBe(1);
      output.resume();
      await Promise.all(waiting);
      output.pause();
    }
    expect(listeners()).toEqual(before);
    await connection.close();
  });

  it('settles when the connection ends while its reader does not read', async () => {
    const [input, output] = [new PassThrough(), new PassThrough()];
    const connection = new StreamConnection(input, output);
    connection.start(new Recorder());
    connection.send(flood);
    const drained = connection.drained();
    input.destroy(new Error('gone'));
    await drained;
  });
});

describe('a flood of lines that are not messages', () => {
  it('leaves turns for other work of the process', async () => {
    const [input, output] = [new PassThrough({ highWaterMark: 2 ** 24 }), new PassThrough()];
    output.resume();
    const connection = new StreamConnection(input, output);
    const recorder = new Recorder();
    const chunks = 6;
    const lines = 8000;
    for (let n = 0; n < chunks; n += 1) input.write('x\n'.repeat(lines));
    connection.start(recorder);
    await new Promise((resolve) => setImmediate(resolve));
    expect(recorder.malformations.length).toBeGreaterThan(0);
    expect(recorder.malformations.length).toBeLessThan(chunks * lines);
    while (recorder.malformations.length < chunks * lines) await new Promise((resolve) => setImmediate(resolve));
    await connection.close();
  });
});
