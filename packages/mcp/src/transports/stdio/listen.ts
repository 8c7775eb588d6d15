import type { Readable, Writable } from 'node:stream';
import type { Connection } from '../../jsonrpc/connection.ts';
import type { ConnectionLimits } from '../../jsonrpc/limits.ts';
import { StreamConnection } from './stream-connection.ts';

export interface ListenStdioOptions extends ConnectionLimits {
  /** Default `process.stdin`. */
  readonly input?: Readable;
  /** Default `process.stdout`. */
  readonly output?: Writable;
}

/**
 * The connection to the process that started this one, one JSON message a line.
 * While it lives, anything else written to `process.stdout` (a stray `console.log`) goes to stderr instead.
 */
export function listenStdio(options: ListenStdioOptions = {}): Connection {
  const { input = process.stdin, output = process.stdout, ...limits } = options;
  if (output !== process.stdout) return new StreamConnection(input, output, limits);
  let restore = () => {};
  const release = (reason: Error) => {
    restore();
    return reason;
  };
  const connection = new StreamConnection(input, output, { ...limits, release });
  restore = redirectStdout();
  return connection;
}

function redirectStdout(): () => void {
  const { stdout } = process;
  const original = stdout.write;
  // `process.stderr` is made when it is first used, which takes time that most servers never need.
  stdout.write = ((...written: Parameters<typeof stdout.write>) => process.stderr.write(...written)) as typeof original;
  return () => {
    stdout.write = original;
  };
}
