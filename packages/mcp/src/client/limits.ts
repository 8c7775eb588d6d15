import { delayOf } from '../jsonrpc/deadlines.ts';
import { DEFAULT_LIMITS, type PeerLimits, withDefaults } from '../jsonrpc/limits.ts';

/** Limits on what one server can make a client do. Beyond one, the call rejects with LimitExceeded. */
export interface ClientLimits extends PeerLimits {
  /** Pages of one list. Default 1000. */
  readonly maxListPages?: number;
  /** Items of one list, on all pages. Default 100 000. */
  readonly maxListItems?: number;
  /** Memory, in bytes, of one list of several pages. Default 64 MiB. */
  readonly maxListBytes?: number;
  /** Milliseconds to check a result against the outputSchema that the server sent. Default 1000. */
  readonly maxSchemaMs?: number;
}

export const CLIENT_LIMITS: Required<ClientLimits> = {
  ...DEFAULT_LIMITS,
  maxListPages: 1000,
  maxListItems: 100_000,
  maxListBytes: 64 * 1024 * 1024,
  maxSchemaMs: 1000,
};

/** The limits asked for, and the defaults for the rest. Throws a RangeError. */
export function completeLimits(limits: ClientLimits = {}): Required<ClientLimits> {
  delayOf(limits.drainTimeout, 'limits.drainTimeout');
  const complete = withDefaults(limits, CLIENT_LIMITS);
  for (const name of ['maxListPages', 'maxListItems', 'maxListBytes', 'maxSchemaMs'] as const) {
    const value = complete[name];
    if (Number.isSafeInteger(value) && value > 0) continue;
    throw new RangeError(`limits.${name} must be a positive integer, got ${String(value)}`);
  }
  return complete;
}
