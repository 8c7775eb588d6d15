import { NetworkError } from '../../../jsonrpc/errors.ts';
import { HttpError } from '../../../protocol/http-error.ts';
import type { Exchange } from './exchange.ts';

const FIRST_DELAY_MS = 500;
const MAX_DELAY_MS = 30_000;

/** Milliseconds before the next attempt. */
export function backoff(failures: number): number {
  return Math.min(FIRST_DELAY_MS * 2 ** failures, MAX_DELAY_MS);
}

/** Whether the same request may succeed later. */
export function isTemporary(error: unknown): boolean {
  return error instanceof NetworkError || (error instanceof HttpError && (error.status === 429 || error.status >= 500));
}

/** Undefined for a temporary failure; rejects with any other. */
export async function ifTemporary(error: unknown): Promise<undefined> {
  if (!isTemporary(error)) throw error;
}

/** Sends what may arrive more than once, until that succeeds or the exchange is over. */
export async function retrying<T>(send: () => Promise<T>, retries: number, exchange: Exchange): Promise<T> {
  for (let failures = 0; ; failures += 1) {
    try {
      return await send();
    } catch (error) {
      if (failures === retries || exchange.over || !isTemporary(error)) throw error;
      await exchange.sleep(backoff(failures));
    }
  }
}
