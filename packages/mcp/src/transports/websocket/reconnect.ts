import type { Connection } from '../../jsonrpc/connection.ts';
import { delayOf } from '../../jsonrpc/deadlines.ts';
import { asError, ConnectionClosed } from '../../jsonrpc/errors.ts';
import { guard, reportError, reportOnStderr } from '../../jsonrpc/report-error.ts';
import { sleep } from '../../jsonrpc/waiting.ts';
import { addressOf, type ConnectWebSocketOptions, dial } from './connect.ts';

export interface ReconnectOptions extends Omit<ConnectWebSocketOptions, 'signal'> {
  /** Takes each new connection. A session ends with its connection: start a new one here. */
  readonly connected: (connection: Connection) => void;
  /** A connection was lost or could not be made; the next attempt comes after `delay` ms, or never when undefined. */
  readonly lost?: (reason: Error, delay: number | undefined) => void;
  /** Delay before the first new attempt; it doubles with each failure. Default 250 ms. */
  readonly initialDelay?: number;
  /** Default 15 000 ms. */
  readonly maxDelay?: number;
  /** Failed attempts in a row after which it gives up. Default: never. */
  readonly attempts?: number;
  /** Gets what `connected` and `lost` throw. Default: written to stderr. */
  readonly onError?: (error: Error) => void;
}

/**
 * Keeps a WebSocket open, with growing delays between attempts, until the returned handle is closed. Throws a RangeError
 * for an invalid timeout or delay.
 */
export function keepWebSocket(url: string, options: ReconnectOptions): { close(): Promise<void> } {
  delayOf(options.timeout, 'timeout');
  delayOf(options.initialDelay, 'initialDelay');
  delayOf(options.maxDelay, 'maxDelay');
  const stop = new AbortController();
  let current: Connection | undefined;
  const running = run();
  return {
    close: async () => {
      stop.abort();
      await current?.close();
      await running;
    },
  };

  async function run(): Promise<void> {
    const { initialDelay = 250, maxDelay = 15_000, attempts = Number.POSITIVE_INFINITY } = options;
    for (let failures = 0; !stop.signal.aborted; ) {
      const delay = Math.min(initialDelay * 2 ** failures, maxDelay);
      const { reason, livedMs } = await converse();
      if (stop.signal.aborted) return;
      // A server that accepts and disconnects at once counts as failing.
      failures = livedMs > delay ? 0 : failures + 1;
      const next = failures >= attempts ? undefined : delay * (0.5 + Math.random() / 2);
      guarded(() => options.lost?.(reason, next));
      if (next === undefined) return;
      await sleep(next, stop.signal).catch(() => {}); // aborted
    }
  }

  /** Whether the callback returned; what it throws goes to `onError`. */
  function guarded(callback: () => unknown): boolean {
    const { onError = reportOnStderr } = options;
    return guard(callback, (thrown) => reportError(thrown, onError));
  }

  /** From dialling to the end of the connection. */
  async function converse(): Promise<{ reason: Error; livedMs: number }> {
    let begun = Number.POSITIVE_INFINITY;
    let reason: Error;
    try {
      const { connection, lost } = await dial(url, { ...options, signal: stop.signal });
      begun = performance.now();
      current = connection;
      if (!guarded(() => options.connected(connection)))
        await connection.close('The client failed to take the connection');
      await lost;
      reason = new ConnectionClosed(`The connection to ${addressOf(url)} was lost`);
    } catch (error) {
      reason = asError(error);
    }
    current = undefined;
    return { reason, livedMs: performance.now() - begun };
  }
}
