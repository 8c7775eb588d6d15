import { connect } from 'node:net';
import { codeOf } from './private-file.ts';

/** Whether a process exists; one that we may not signal does. */
export function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    return codeOf(error) !== 'ESRCH';
  }
}

/**
 * Whether something listens on a port of 127.0.0.1. Only a refusal is a no: a listener too busy to answer is one, and
 * when we cannot ask we do not know.
 */
export function isListening(port: number, { timeout = 500 }: { readonly timeout?: number } = {}): Promise<boolean> {
  return new Promise((resolve) => {
    const socket = connect({ port, host: '127.0.0.1' });
    const answer = (isThere: boolean) => {
      socket.destroy();
      resolve(isThere);
    };
    socket.setTimeout(timeout, () => answer(true));
    socket.once('connect', () => answer(true));
    socket.on('error', (error) => answer(codeOf(error) !== 'ECONNREFUSED'));
  });
}
