const MIB = 1024 * 1024;

/** Of the connection with one editor. A message may be a proposal of the largest size that adapters accept, with both texts. */
export const CONNECTION_LIMITS = { maxMessageBytes: 256 * MIB, maxQueuedBytes: 512 * MIB };

/** Of the requests of one editor that are unanswered, and of their memory. */
export const REQUEST_LIMITS = { maxInFlight: 256, maxInFlightBytes: 512 * MIB, respondToCancelled: true };
