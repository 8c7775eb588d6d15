import { isAbsolute } from 'node:path';
import { isPort } from './lock.ts';

/** Where a bridge listens: on a port of 127.0.0.1, or on a unix socket. */
export interface Address {
  /** 0 on a socket. */
  readonly port: number;
  readonly socketPath?: string | undefined;
}

/** The address that a file names; undefined if it names none. */
export function addressIn(members: { readonly port?: unknown; readonly socketPath?: unknown }): Address | undefined {
  const { port, socketPath } = members;
  if (socketPath === undefined) return isPort(port) ? { port } : undefined;
  return port === 0 && typeof socketPath === 'string' && isAbsolute(socketPath) ? { port, socketPath } : undefined;
}
