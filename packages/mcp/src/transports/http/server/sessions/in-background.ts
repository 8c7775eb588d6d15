import { asError } from '../../../../jsonrpc/errors.ts';
import { isThenable } from '../../../../jsonrpc/thenable.ts';
import { pause } from '../../../../jsonrpc/waiting.ts';

const FIRST_DELAY_MS = 500;
const MAX_DELAY_MS = 10_000;

/** For work of the store that no request waits for: its failures are reported. The result never rejects. */
export function inBackground(work: () => unknown, onError: (error: Error) => void): unknown {
  const failed = (error: unknown) => onError(asError(error));
  try {
    const outcome = work();
    return isThenable(outcome) ? outcome.then(undefined, failed) : undefined;
  } catch (error) {
    failed(error);
    return undefined;
  }
}

/** Does work of the store, again and again until it succeeds or the signal aborts. Reports the first failure. */
export async function untilDone(
  work: () => unknown,
  signal: AbortSignal,
  onError: (error: Error) => void,
): Promise<void> {
  for (let delay = FIRST_DELAY_MS; ; delay = Math.min(2 * delay, MAX_DELAY_MS)) {
    try {
      await work();
      return;
    } catch (error) {
      if (delay === FIRST_DELAY_MS) onError(asError(error));
    }
    if (signal.aborted) return;
    await pause(delay, signal);
  }
}
