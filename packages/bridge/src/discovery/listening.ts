import { connect } from 'node:net';
import { codeOf } from '@hawser/user-files/private-file';
import type { Address } from './address.ts';

/**
 * Whether something listens at an address. False only if the connection is refused or the socket does not exist: a listener
 * can be too busy to answer, and other errors prove nothing.
 */
export function isListening(
  { port, socketPath }: Address,
  { timeout = 500 }: { readonly timeout?: number } = {},
): Promise<boolean> {
  return new Promise((resolve) => {
    const socket = connect(socketPath === undefined ? { port, host: '127.0.0.1' } : { path: socketPath });
    const answer = (isThere: boolean) => {
      socket.destroy();
      resolve(isThere);
    };
    // After what has arrived meanwhile, if this process was too busy to see it.
    socket.setTimeout(timeout, () => setImmediate(answer, true));
    socket.once('connect', () => answer(true));
    socket.on('error', (error) => {
      const code = codeOf(error);
      answer(code !== 'ECONNREFUSED' && code !== 'ENOENT');
    });
  });
}
