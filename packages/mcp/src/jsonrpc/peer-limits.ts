export interface PeerLimits {
  /** Requests of the peer that may be open at once; more get an error. Default 1024. */
  readonly maxInFlight?: number;
  /** Memory, in bytes, of the peer's open requests; more get an error. Default 64 MiB. */
  readonly maxInFlightBytes?: number;
  /** Messages in one batch; a longer one gets an error. Default 1024. */
  readonly maxBatch?: number;
  /** Milliseconds for handlers to finish after the peer stopped sending; 0 is no limit. Default 5000. */
  readonly drainTimeout?: number;
  /** Respond to a cancelled request with -32800; MCP wants no response, plain JSON-RPC wants one. Default false. */
  readonly respondToCancelled?: boolean;
}

export const DEFAULT_LIMITS: Required<PeerLimits> = {
  maxInFlight: 1024,
  maxInFlightBytes: 64 * 1024 * 1024,
  maxBatch: 1024,
  drainTimeout: 5000,
  respondToCancelled: false,
};

/** The limits asked for, and the defaults for the rest. */
export function completeLimits(limits: PeerLimits = {}): Required<PeerLimits> {
  return {
    maxInFlight: limits.maxInFlight ?? DEFAULT_LIMITS.maxInFlight,
    maxInFlightBytes: limits.maxInFlightBytes ?? DEFAULT_LIMITS.maxInFlightBytes,
    maxBatch: limits.maxBatch ?? DEFAULT_LIMITS.maxBatch,
    drainTimeout: limits.drainTimeout ?? DEFAULT_LIMITS.drainTimeout,
    respondToCancelled: limits.respondToCancelled ?? DEFAULT_LIMITS.respondToCancelled,
  };
}
