import { connect } from 'node:net';
import { listenStdio } from '@hawser/mcp/stdio';
import { controlClient } from './connected-client.ts';
import type { ControlClient } from './control-client.ts';
import { MAX_MESSAGE_BYTES } from './listen.ts';

/** Undefined if no bridge listens there. */
export async function connectControl(path: string): Promise<ControlClient | undefined> {
  const socket = connect(path);
  const problem = await new Promise<NodeJS.ErrnoException | undefined>((resolve) => {
    socket.once('connect', () => resolve(undefined));
    socket.on('error', resolve);
  });
  if (problem === undefined) {
    return controlClient(listenStdio({ input: socket, output: socket, maxMessageBytes: MAX_MESSAGE_BYTES }));
  }
  if (problem.code === 'ENOENT' || problem.code === 'ECONNREFUSED') return undefined;
  throw new Error(`The bridge can't be reached: ${problem.message}`, { cause: problem });
}
