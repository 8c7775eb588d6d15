import { delayOf } from '../../jsonrpc/deadlines.ts';

/** Aborts after the timeout; never for 0. Throws a RangeError that names the option. */
export function deadlineAfter(timeout: number, option: string): AbortSignal {
  const delay = delayOf(timeout, option);
  return delay === Number.POSITIVE_INFINITY ? new AbortController().signal : AbortSignal.timeout(delay);
}
