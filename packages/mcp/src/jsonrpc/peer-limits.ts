export interface PeerLimits {
  /** Requests of the peer that may be unanswered at once; more are answered with an error. Default 1024. */
  readonly maxInFlight?: number;
  /** Memory, in bytes, of the peer's unanswered requests; more are answered with an error. Default 64 MiB. */
  readonly maxInFlightBytes?: number;
  /** Messages in one batch; a longer one is answered with an error. Default 1024. */
  readonly maxBatch?: number;
  /** Milliseconds for handlers to finish after the peer stopped sending; 0 is no limit. Default 5000. */
  readonly drainTimeout?: number;
  /** Answer a cancelled request with -32800; MCP wants no answer, plain JSON-RPC wants one. Default false. */
  readonly answerCancelled?: boolean;
}

export const DEFAULT_LIMITS: Required<PeerLimits> = {
  maxInFlight: 1024,
  maxInFlightBytes: 64 * 1024 * 1024,
  maxBatch: 1024,
  drainTimeout: 5000,
  answerCancelled: false,
};

/** The limits asked for, and the defaults for the rest. */
export function completeLimits(limits: PeerLimits = {}): Required<PeerLimits> {
  return {
    maxInFlight: limits.maxInFlight ?? DEFAULT_LIMITS.maxInFlight,
    maxInFlightBytes: limits.maxInFlightBytes ?? DEFAULT_LIMITS.maxInFlightBytes,
    maxBatch: limits.maxBatch ?? DEFAULT_LIMITS.maxBatch,
    drainTimeout: limits.drainTimeout ?? DEFAULT_LIMITS.drainTimeout,
    answerCancelled: limits.answerCancelled ?? DEFAULT_LIMITS.answerCancelled,
  };
}
