import type { Authorize } from '../../authorization.ts';
import type { CallerRules } from '../../loopback.ts';
import type { HttpStore } from '../store.ts';
import type { Cors } from './access/cors.ts';
import type { LimitedRequest } from './http-call.ts';
import type { HttpLimits, LimitPreset } from './limits.ts';

export interface EndpointOptions extends HttpLimits, CallerRules {
  /** Where the server runs, which decides the defaults of its limits: see HTTP_LIMIT_PRESETS. */
  readonly preset?: LimitPreset;
  /** Names the sender of each request, or refuses it. Called after Host and Origin were checked. */
  readonly authorize?: Authorize;
  /**
   * Names the client that limits count by (`maxStreamsPerClient` and others). Default: the id of the principal, or else the address
   * of the connection. Behind a proxy, without `authorize`, read the header that the proxy sets.
   */
  readonly clientOf?: (request: LimitedRequest) => string | undefined;
  /** Lets web pages of other origins call the server. Default: they may not. */
  readonly cors?: Cors;
  /** `none` serves revisions before 2026-07-28 without sessions, so that any process can. Default `stored`. */
  readonly sessions?: 'stored' | 'none';
  /** Also serves HTTP+SSE, the transport of 2024-11-05, at the same URL. Default false. */
  readonly httpSse?: boolean;
  /** The format of a response without notifications. Default `json`. */
  readonly responseFormat?: 'json' | 'sse';
  /** Keeps sessions and events between requests. Default: in the memory of this process. */
  readonly store?: HttpStore;
  /** Milliseconds between comments on open streams, which keep proxies from closing them. Default 15 000. */
  readonly keepAliveMs?: number;
  /** Milliseconds after which a client that lost a stream should reconnect. Default 1000. */
  readonly retryMs?: number;
  /** Gets failures that no response reports, such as those of the store. Default: the server's `onError`. */
  readonly onError?: (error: Error) => void;
}

/** What an endpoint holds now, for metrics. */
export interface HttpStats {
  /** Sessions in the memory of this process. */
  readonly sessions: number;
  /** Open event streams. */
  readonly streams: number;
  /** Bytes that wait for clients to read their streams. */
  readonly queuedBytes: number;
  /** Bytes of request bodies that are being received or wait for the store. */
  readonly receivingBytes: number;
}
