import { type Arrival, readArrival, requestOf } from '../../../jsonrpc/codec.ts';
import { MAX_TIMEOUT_MS } from '../../../jsonrpc/deadlines.ts';
import { asError, RpcError } from '../../../jsonrpc/errors.ts';
import type { Notification } from '../../../jsonrpc/message.ts';
import { reportError } from '../../../jsonrpc/report-error.ts';
import { isThenable, whenKnown } from '../../../jsonrpc/thenable.ts';
import type { Origin, Principal } from '../../../protocol/origin.ts';
import { findStatelessRevision } from '../../../protocol/revisions/all.ts';
import { saysStateless } from '../../../protocol/stateless.ts';
import type { ServedRequests } from '../../../protocol/stateless-response.ts';
import type { Authorize } from '../../authorization.ts';
import { refuseCaller } from '../../loopback.ts';
import { memoryStore } from '../stores/memory.ts';
import { authorized, refuseArrival } from './access/authorize.ts';
import { addCorsHeaders, allowsOrigin, isPreflight, respondToPreflight } from './access/cors.ts';
import { sendMetadata } from './access/resource-metadata.ts';
import { ByteBudget } from './bodies/byte-budget.ts';
import type { EndpointOptions, HttpStats } from './endpoint-options.ts';
import type { Body, BodyLimits, HttpCall } from './http-call.ts';
import { type HttpLimits, httpLimits } from './limits.ts';
import {
  refuse,
  refuseBody,
  refuseConsumed,
  refuseFailure,
  refuseSession,
  refuseVersion,
  refuseWithoutSession,
} from './refuse.ts';
import { OpenStreams } from './responses/open-streams.ts';
import type { ResponseStreamOptions } from './responses/response-stream.ts';
import { StatelessHttpResponse } from './responses/stateless-http-response.ts';
import { guardedStore } from './sessions/guarded-store.ts';
import { HttpSessions } from './sessions/http-sessions.ts';
import { LEGACY_SESSION, LegacySessions } from './sessions/legacy-sessions.ts';
import { serveSessionless } from './sessions/sessionless.ts';

const ALLOWED = { Allow: 'POST, GET, DELETE' };

/** Streamable HTTP at one path, for every runtime and all revisions. */
export class HttpEndpoint {
  readonly #server: ServedRequests;
  readonly #options: EndpointOptions;
  readonly #limits: Required<HttpLimits>;
  readonly #sessions: HttpSessions | undefined;
  readonly #legacy: LegacySessions | undefined;
  readonly #streams: OpenStreams;
  readonly #streamOptions: ResponseStreamOptions;
  readonly #bodyLimits: BodyLimits;
  /** The number of requests that wait for `authorize`. */
  #authorizing = 0;
  readonly #onError: (error: Error) => void;
  #closed = false;
  #goodHost: string | undefined;
  #goodAccept: string | undefined;

  constructor(server: ServedRequests, options: EndpointOptions) {
    const { keepAliveMs = 15_000, retryMs = 1000, responseFormat = 'json' } = options;
    const limits = httpLimits(options);
    this.#server = server;
    this.#options = options;
    this.#limits = limits;
    const { onError = (error: Error) => server.reportError(error) } = options;
    this.#onError = (error) => reportError(error, onError);
    const store =
      options.store === undefined ? memoryStore() : guardedStore(options.store, this.#onError, limits.storeTimeoutMs);
    const maxBytes = limits.maxMessageBytes;
    const timeoutMs = Math.min(limits.bodyTimeoutMs, MAX_TIMEOUT_MS);
    this.#bodyLimits = {
      maxBytes,
      timeoutMs,
      budget: new ByteBudget(limits.maxReceivingBytes, Math.max(limits.maxReceivingBytes / 2, maxBytes)),
    };
    this.#streams = new OpenStreams({ ...limits, keepAliveMs });
    const { maxQueuedBytes, maxBurstBytes } = limits;
    const sizes = { maxQueuedBytes, maxBurstBytes };
    const streamOptions = { ...sizes, responseFormat, retryMs, open: this.#streams, onError: this.#onError };
    this.#streamOptions = streamOptions;
    if (options.httpSse) this.#legacy = new LegacySessions(server, streamOptions);
    if (options.sessions !== 'none') this.#sessions = new HttpSessions({ ...limits, server, store, streamOptions });
  }

  handle(call: HttpCall): void {
    if (this.#closed) {
      refuse(call, 503, 'The server is closing');
      return;
    }
    const { authorize, cors } = this.#options;
    const metadata = authorize?.resourceMetadata;
    if (metadata !== undefined && call.path === metadata.path) {
      sendMetadata(metadata, call);
      return;
    }
    if (cors !== undefined) addCorsHeaders(cors, call);
    const problem = this.#problemOfCaller(call);
    if (problem !== undefined) refuse(call, 403, `${problem} (see the options allowedHosts, allowedOrigins and cors)`);
    else if (cors !== undefined && isPreflight(call)) respondToPreflight(cors, call);
    else if (authorize === undefined) this.#attempt(call, () => this.#route(call, this.#originOf(call, undefined)));
    else if (this.#authorizing >= this.#limits.maxAuthorizing) {
      refuse(call, 503, 'Too many requests wait for their authorization; try again later');
    } else {
      this.#attempt(call, async () => {
        const principal = await this.#authorized(authorize, call);
        if (principal !== undefined) await this.#route(call, this.#originOf(call, principal));
      });
    }
  }

  #originOf(call: HttpCall, principal: Principal | undefined): Origin {
    const { headers } = call;
    const { clientOf } = this.#options;
    const client =
      clientOf === undefined
        ? (principal?.id ?? call.address)
        : clientOf({ headers, address: call.address, principal });
    call.client = client;
    return principal === undefined ? { headers, client } : { headers, client, principal };
  }

  async #authorized(authorize: Authorize, call: HttpCall): Promise<Principal | undefined> {
    this.#authorizing += 1;
    try {
      const timeoutMs = Math.min(this.#limits.authorizeTimeoutMs, MAX_TIMEOUT_MS);
      return await authorized(authorize, call, timeoutMs, this.#onError);
    } finally {
      this.#authorizing -= 1;
    }
  }

  stats(): HttpStats {
    const { size: streams, queuedBytes } = this.#streams;
    const sessions = (this.#sessions?.size ?? 0) + (this.#legacy?.size ?? 0);
    return { sessions, streams, queuedBytes, receivingBytes: this.#bodyLimits.budget.used };
  }

  /** Ends every response. Sessions stay in the store, for other processes. */
  async close(): Promise<void> {
    this.#closed = true;
    await Promise.all([this.#sessions?.close(), this.#legacy?.close()]);
    this.#streams.close();
  }

  /** Returns a promise only if something has to be awaited. */
  #route(call: HttpCall, origin: Origin): unknown {
    if (call.method === 'POST') return this.#post(call, origin);
    if (call.method === 'GET') return this.#get(call, origin);
    if (call.method === 'DELETE') return this.#delete(call, origin);
    return refuse(call, 405, `${call.method} is not allowed here`, { headers: ALLOWED });
  }

  /** The same callers come again and again, so the last good Host is not parsed again. */
  #problemOfCaller({ headers, targetHost }: HttpCall): string | undefined {
    const { host = targetHost, origin } = headers;
    if (typeof host === 'string' && host === this.#goodHost && origin === undefined && targetHost === undefined) {
      return undefined;
    }
    const { cors } = this.#options;
    const isCors = cors !== undefined && typeof origin === 'string' && allowsOrigin(cors, origin);
    const problem = refuseCaller(
      { headers: { host: targetHost ?? host, origin: isCors ? undefined : origin } },
      this.#options,
    );
    if (problem === undefined && typeof host === 'string' && targetHost === undefined) this.#goodHost = host;
    return problem;
  }

  #post(call: HttpCall, origin: Origin): unknown {
    const { headers } = call;
    if (!isJson(headers['content-type'])) return refuse(call, 415, 'Content-Type must be application/json');
    if (headers['content-encoding'] !== undefined && headers['content-encoding'] !== 'identity') {
      return refuse(call, 415, 'Content-Encoding must be identity');
    }
    const legacyId = this.#legacy && call.parameter(LEGACY_SESSION);
    const { accept } = headers;
    // Clients of HTTP+SSE accept the stream that they have, and nothing here.
    if (legacyId === undefined && (accept === undefined || accept !== this.#goodAccept)) {
      if (!accepts(accept, 'application/json') || !accepts(accept, 'text/event-stream')) {
        return refuse(call, 406, 'Accept must include application/json and text/event-stream');
      }
      this.#goodAccept = accept as string; // `accepts` refuses everything else
    }
    const received = (body: Extract<Body, { kind: 'text' }>) =>
      legacyId === undefined ? this.#received(body, call, origin) : this.#receivedLegacy(legacyId, body, call, origin);
    return call.readBody(this.#bodyLimits, (body) => {
      if (this.#closed) refuse(call, 503, 'The server is closing');
      else if (body.kind === 'consumed') refuseConsumed(call, body.advice, this.#onError);
      else if (body.kind === 'unusable') refuseBody(call, body.why, this.#bodyLimits);
      else this.#attempt(call, () => this.#counted(body.bytes, call.client, received(body)));
    });
  }

  /** A message that waits for the store takes the same room as one that is being received. */
  #counted(bytes: number, client: string | undefined, served: unknown): unknown {
    if (!isThenable(served)) return served;
    const { budget } = this.#bodyLimits;
    budget.add(bytes, client);
    return Promise.resolve(served).finally(() => budget.release(bytes, client));
  }

  /** Returns a promise only if something has to be awaited. */
  #received(body: Extract<Body, { kind: 'text' }>, call: HttpCall, origin: Origin): unknown {
    const arrival = this.#read(body.text, call, origin);
    if (arrival === undefined) return;
    const request = requestOf(arrival);
    const isInitialize = request?.method === 'initialize';
    if (isStateless(arrival, isInitialize ? undefined : origin)) {
      if (request === undefined) return this.#notified(arrival, origin, call);
      const refusal = request.method === 'subscriptions/listen' ? this.#streams.refusal(call.client) : undefined;
      if (refusal !== undefined) return refuse(call, 503, refusal, { id: request.id });
      return new StatelessHttpResponse(origin, call, this.#streamOptions).start(request, this.#server);
    }
    if (refuseVersion(call, request?.id)) return;
    if (this.#sessions === undefined) {
      return serveSessionless(arrival, origin, call, this.#server, this.#streamOptions);
    }
    if (isInitialize && body.bytes > this.#limits.maxInitializeBytes) {
      const { maxInitializeBytes } = this.#limits;
      return refuse(call, 413, `initialize is larger than the limit of ${maxInitializeBytes} bytes`, {
        id: request.id,
      });
    }
    return this.#inSession(arrival, origin, call, this.#sessions);
  }

  /** What the body holds; undefined if the principal may not send it: then the refusal was sent. */
  #read(text: string, call: HttpCall, { principal }: Origin): Arrival | undefined {
    const arrival = readArrival(text, this.#limits);
    const { authorize } = this.#options;
    const isRefused = authorize && principal && refuseArrival(authorize, arrival, principal, call, this.#onError);
    return isRefused ? undefined : arrival;
  }

  #receivedLegacy(id: string, { text }: Extract<Body, { kind: 'text' }>, call: HttpCall, origin: Origin): void {
    const arrival = this.#read(text, call, origin);
    if (arrival && this.#legacy?.deliver(id, arrival, origin)) call.send(202, {}, '');
    else if (arrival) refuseSession(call);
  }

  #notified(arrival: Arrival, origin: Origin, call: HttpCall): void {
    if (arrival.kind === 'message' && arrival.message.method !== undefined) {
      // It has no id, or it would be a request.
      this.#server.notified?.(arrival.message as Notification, origin);
    }
    call.send(202, {}, '');
  }

  #inSession(arrival: Arrival, origin: Origin, call: HttpCall, sessions: HttpSessions): unknown {
    const request = requestOf(arrival);
    const isInitialize = request?.method === 'initialize';
    const sessionId = call.headers['mcp-session-id'];
    if (typeof sessionId !== 'string') {
      if (!isInitialize) return refuseWithoutSession(arrival, call);
      return whenKnown(sessions.open(arrival, origin, call), (accepted) => {
        if (!accepted) refuse(call, 503, 'This server accepts no sessions now');
      });
    }
    if (isInitialize)
      return refuse(call, 400, 'Already initialized: initialize opens a new session', { id: request.id });
    return whenKnown(sessions.find(sessionId, origin.principal?.id, origin.client), (session) =>
      whenKnown(session?.post(arrival, origin, call) ?? false, (accepted) => {
        if (!accepted) refuseSession(call);
      }),
    );
  }

  async #get(call: HttpCall, origin: Origin): Promise<void> {
    const { headers } = call;
    const sessionId = headers['mcp-session-id'];
    if (sessionId === undefined && this.#legacy !== undefined) return this.#openLegacy(call, origin, this.#legacy);
    if (typeof sessionId !== 'string' || this.#sessions === undefined) {
      return refuse(call, 405, 'GET needs an Mcp-Session-Id; send requests with POST', { headers: { Allow: 'POST' } });
    }
    if (!accepts(headers.accept, 'text/event-stream')) {
      return refuse(call, 406, 'Accept must include text/event-stream');
    }
    if (refuseVersion(call)) return;
    const session = await this.#sessions.find(sessionId, origin.principal?.id, call.client);
    if (session === undefined) return refuseSession(call);
    const refusal = this.#streams.refusal(call.client);
    if (refusal !== undefined) return refuse(call, 503, refusal);
    const lastEventId = headers['last-event-id'];
    const isKnown = await session.follow(typeof lastEventId === 'string' ? lastEventId : undefined, call);
    if (!isKnown) refuse(call, 404, `Event not found: ${lastEventId}`);
  }

  #openLegacy(call: HttpCall, origin: Origin, legacy: LegacySessions): void {
    if (!accepts(call.headers.accept, 'text/event-stream')) {
      refuse(call, 406, 'Accept must include text/event-stream');
      return;
    }
    const refusal = this.#streams.refusal(call.client);
    if (refusal === undefined) legacy.open(call, origin);
    else refuse(call, 503, refusal);
  }

  async #delete(call: HttpCall, { principal }: Origin): Promise<void> {
    const sessionId = call.headers['mcp-session-id'];
    if (typeof sessionId !== 'string' || this.#sessions === undefined) {
      return refuse(call, 405, 'DELETE needs an Mcp-Session-Id; there is no session to end', {
        headers: { Allow: 'POST' },
      });
    }
    if (refuseVersion(call)) return;
    if (await this.#sessions.end(sessionId, principal?.id)) call.send(204, {}, '');
    else refuseSession(call);
  }

  /** A failure of the store or of `authorize` is reported here; the client learns no secrets of it. */
  #attempt(call: HttpCall, serve: () => unknown): void {
    const failed = (thrown: unknown) => {
      const error = asError(thrown);
      if (error instanceof RpcError) refuse(call, 400, error.message, { code: error.code });
      else {
        this.#onError(error);
        refuseFailure(call, error);
      }
    };
    try {
      const served = serve();
      if (isThenable(served)) served.then(undefined, failed);
    } catch (error) {
      failed(error);
    }
  }
}

type HeaderValue = string | readonly string[] | undefined;

function isJson(contentType: HeaderValue): boolean {
  if (contentType === 'application/json') return true;
  return typeof contentType === 'string' && /^application\/json\s*(;|$)/i.test(contentType.trim());
}

function accepts(accept: HeaderValue, type: string): boolean {
  if (typeof accept !== 'string') return false;
  const [family] = type.split('/');
  return accept.split(',').some((range) => {
    const [wanted = ''] = range.split(';');
    const name = wanted.trim().toLowerCase();
    return name === type || name === '*/*' || name === `${family}/*`;
  });
}

/** A notification may have only the header to name a stateless revision. */
function isStateless(arrival: Arrival, origin: Origin | undefined): boolean {
  if (arrival.kind !== 'message' || arrival.message.method === undefined) return false;
  if (saysStateless(arrival.message.params)) return true;
  const version = origin?.headers?.['mcp-protocol-version'];
  return typeof version === 'string' && findStatelessRevision(version) !== undefined;
}
