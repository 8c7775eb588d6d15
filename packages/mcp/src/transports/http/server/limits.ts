import { DEFAULT_CONNECTION_LIMITS, withDefaults } from '../../../jsonrpc/limits.ts';

const KIB = 1024;
const MIB = 1024 * KIB;

/** The limits of an HTTP server and their defaults. Each is an option of the handlers under the same name. */
export const HTTP_LIMITS = {
  /** Bytes of one POST body; more gets 413. */
  maxMessageBytes: DEFAULT_CONNECTION_LIMITS.maxMessageBytes,
  /** Values in one message; more gets 400. */
  maxValues: DEFAULT_CONNECTION_LIMITS.maxValues,
  /** Levels of objects and arrays inside each other in one message; more gets 400. */
  maxDepth: DEFAULT_CONNECTION_LIMITS.maxDepth,
  /** Bytes of an `initialize`, which a session keeps in part; more gets 413. */
  maxInitializeBytes: 64 * KIB,
  /**
   * Bytes of all bodies that are being received or wait for the store; a request beyond it gets 503. One client can have half of
   * them, and at least one body.
   */
  maxReceivingBytes: 256 * MIB,
  /** Milliseconds for a body to arrive; then 408. */
  bodyTimeoutMs: 120_000,
  /** Requests that wait for `authorize`; more get 503. */
  maxAuthorizing: 1024,
  /** Milliseconds for `authorize` to settle; then 503. */
  authorizeTimeoutMs: 30_000,
  /** Bytes that wait for one client to read its stream. Beyond it the stream is cut off; `drained()` avoids that. */
  maxQueuedBytes: 16 * MIB,
  /** Bytes that a handler may send in one go; further notifications are dropped until other requests could run. */
  maxBurstBytes: 8 * MIB,
  /** Bytes that wait for all clients together. Beyond it streams of the client that has the most to read are cut off. */
  maxTotalQueuedBytes: 256 * MIB,
  /** Open event streams; a further one gets 503. */
  maxStreams: 2048,
  /** Open event streams of one client; a further one gets 503. */
  maxStreamsPerClient: 512,
  /** Milliseconds in which a client must read something of what waits for it, or its stream is cut off. */
  maxStallMs: 120_000,
  /**
   * Sessions that this process has in memory. Beyond it the least recently used one of the client that has the most is left to
   * the store.
   */
  maxSessions: 10_000,
  /** Milliseconds after which an unused session without an open stream is ended. */
  idleMs: 3_600_000,
  /** The same for a session whose client has had a stream open; `idleMs` if that is less. */
  abandonedMs: 3_600_000,
  /**
   * Milliseconds after which a request is cancelled whose client closed the connection before the response and has not
   * resumed the stream in this process. By default never: MCP asks servers not to take a lost connection for a cancellation.
   */
  cancelAfterMs: Number.POSITIVE_INFINITY,
  /** Milliseconds after which a call gets an error if the process that works on it has died. */
  leaseMs: 30_000,
  /** Milliseconds for a `store` to settle a call; then the request that waits for it gets 503. */
  storeTimeoutMs: 30_000,
} as const;

/** The limits of the store in memory and their defaults, which are options of `memoryStore`. */
export const MEMORY_STORE_LIMITS = {
  /** Sessions. Beyond it the least recently used one of the client that has the most is forgotten. */
  maxSessions: 10_000,
  /** Bytes of the events of one session. Beyond it its oldest events are forgotten. */
  maxEventBytes: 8 * MIB,
  /** Finished streams of one session that can be replayed. */
  maxEndedStreams: 500,
  /**
   * Bytes of all sessions and events. Beyond it the sessions of the client that takes the most lose their events, the least recently
   * used first, then are forgotten.
   */
  maxTotalBytes: 256 * MIB,
} as const;

export type HttpLimits = { readonly [Name in keyof typeof HTTP_LIMITS]?: number };

/** Defaults for two places: `local` for one user on one machine, `public` for anyone who can reach the server. */
export type LimitPreset = 'local' | 'public';

export const HTTP_LIMIT_PRESETS: { readonly [Preset in LimitPreset]: HttpLimits } = {
  local: { maxMessageBytes: 64 * MIB, maxValues: 1_000_000, maxQueuedBytes: 64 * MIB, maxStreamsPerClient: 2048 },
  public: {
    maxMessageBytes: MIB,
    maxValues: 50_000,
    maxDepth: 100,
    maxReceivingBytes: 64 * MIB,
    bodyTimeoutMs: 30_000,
    authorizeTimeoutMs: 10_000,
    maxQueuedBytes: 4 * MIB,
    maxBurstBytes: 2 * MIB,
    maxStreamsPerClient: 16,
    maxStallMs: 30_000,
    idleMs: 900_000,
  },
};

/** The limits that are given, those of the preset, and the defaults for the rest. */
export function httpLimits(options: HttpLimits & { readonly preset?: LimitPreset }): Required<HttpLimits> {
  return withDefaults<Required<HttpLimits>>(options, {
    ...HTTP_LIMITS,
    ...(options.preset && HTTP_LIMIT_PRESETS[options.preset]),
  });
}
