import { spawn } from 'node:child_process';
import { PassThrough } from 'node:stream';
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
