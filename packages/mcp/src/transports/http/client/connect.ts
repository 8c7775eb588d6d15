import { type OptionNames, requireKnownOptions } from '../../../jsonrpc/argument-checks.ts';
import type { Connection, Outgoing, Receiver, SendHints } from '../../../jsonrpc/connection.ts';
import { delayOf, startTimeout } from '../../../jsonrpc/deadlines.ts';
import { asError, ConnectionClosed, ErrorCode, messageOf, RequestTimeout, RpcError } from '../../../jsonrpc/errors.ts';
import { type ConnectionLimits, DEFAULT_CONNECTION_LIMITS, withDefaults } from '../../../jsonrpc/limits.ts';
import type { Malformed, Message, Params, Request, RequestId, Response } from '../../../jsonrpc/message.ts';
import { HttpError } from '../../../protocol/http-error.ts';
import { Exchange, type OwnRequest } from './exchange.ts';
import { isEventStream } from './follow-stream.ts';
import { CALLER_LIMITS, type CallerOptions, HttpRequester } from './http-requester.ts';
import type { HttpResponse } from './http-sender.ts';
import { HttpSession } from './http-session.ts';
import type { InboxHandlers } from './inbox.ts';
import { mayBeLegacy, openLegacyStream } from './legacy-stream.ts';
import { Outbound } from './outbound.ts';
import { Outbox } from './outbox.ts';
import { isOk, refusalOf } from './refusal.ts';
import { discardBody, readStart } from './response-body.ts';
import { type Reply, ResponseReader } from './response-reader.ts';
import { ifTemporary, retrying } from './retry.ts';
import { SessionRenewal } from './session-renewal.ts';
import { TaskQueue } from './task-queue.ts';

export interface ConnectHttpOptions extends ConnectionLimits, CallerOptions {
  /** Failed attempts in a row to resume a broken stream, after which the request fails. Default 5. */
  readonly resumeAttempts?: number;
  /** Aborting it closes the connection. */
  readonly signal?: AbortSignal;
}

const NAMES: OptionNames<ConnectHttpOptions> = {
  ...DEFAULT_CONNECTION_LIMITS,
  headers: true,
  authorization: true,
  fetch: true,
  socketPath: true,
  connectTimeout: true,
  maxConnections: true,
  acceptTimeout: true,
  resumeAttempts: true,
  signal: true,
};

/**
 * Connects to a Streamable HTTP endpoint. Nothing is sent before the first message. When the server cannot be reached
 * the request rejects with a NetworkError, and with an HttpError when it responds with no message; the connection stays
 * open until it is closed. A request that may have reached the server is not sent again. A session that the server has
 * forgotten is replaced by a new one. A server that refuses POST is spoken with by HTTP+SSE of 2024-11-05, if it can.
 */
export function connectHttp(url: string | URL, options: ConnectHttpOptions = {}): Connection {
  requireKnownOptions('connectHttp', options, NAMES);
  return new HttpClientConnection(String(url), options);
}

const CLOSE_TIMEOUT_MS = 2000;
/** How long the messages after the handshake wait for the stream of the server's own messages. */
const LISTEN_TIMEOUT_MS = 1000;
/** The statuses of servers that offer no such stream. */
const NO_STREAM: readonly number[] = [400, 404, 405];
/** Responses that are sent at the same time. */
const MAX_RESPONSES_AT_ONCE = 16;

/** The connection of `connectHttp`. Its session can be replaced by its renewal. */
export class HttpClientConnection implements Connection, InboxHandlers {
  readonly #requester: HttpRequester;
  /** Whether the server speaks HTTP+SSE: its responses arrive on one stream, not as responses to our POSTs. */
  #isLegacy = false;
  readonly #options: ConnectHttpOptions;
  readonly #limits: Required<ConnectionLimits>;
  readonly #outbox = new Outbox((outbound) => this.#dispatch(outbound));
  #receiver: Receiver | undefined;
  /** Requests that await their responses. */
  readonly #requests = new Map<RequestId, Exchange>();
  /** Every exchange that has not ended: they end with the connection. */
  readonly open = new Set<Exchange>();
  /** The current one. */
  session: HttpSession | undefined;
  readonly retries: number;
  readonly #renewal = new SessionRenewal(this);
  readonly #reader: ResponseReader;
  /** The stream of the server's own messages. */
  #stream: Exchange | undefined;
  /** One at a time, so that they arrive in order. */
  readonly #notifications = new TaskQueue(1);
  readonly #responses = new TaskQueue(MAX_RESPONSES_AT_ONCE);
  #closing: Promise<void> | undefined;

  constructor(url: string, options: ConnectHttpOptions) {
    delayOf(options.acceptTimeout, 'acceptTimeout');
    this.#requester = new HttpRequester(url, options, (thrown) => this.report('The authorization failed', thrown));
    this.#options = options;
    this.retries = options.resumeAttempts ?? 5;
    this.#limits = withDefaults(options, DEFAULT_CONNECTION_LIMITS);
    this.#reader = new ResponseReader(this.#requester, this.#limits, this.retries, this);
    this.#outbox.hold(); // until there is a receiver
  }

  start(receiver: Receiver): void {
    this.#receiver = receiver;
    const { signal } = this.#options;
    const aborted = () => void this.close(messageOf(signal?.reason));
    if (signal?.aborted) queueMicrotask(aborted);
    else signal?.addEventListener('abort', aborted, { once: true });
    this.#outbox.release();
  }

  send(message: Outgoing, hints?: SendHints): void {
    if (this.#closing !== undefined) return;
    this.#outbox.add(new Outbound(message, hints));
    const { maxQueuedBytes } = this.#limits;
    if (this.#outbox.queuedBytes <= maxQueuedBytes) return;
    this.#closing = this.#finish(`The server is too slow: more than ${maxQueuedBytes} bytes are queued for it`, 0);
  }

  /** Ends the exchange; that cancels the request if no cancellation was sent. */
  abandon(id: RequestId): void {
    this.#requests.get(id)?.end();
    this.#requests.delete(id);
  }

  drained(): Promise<void> {
    return this.#closing ?? this.#outbox.short();
  }

  close(reason = 'Closed by this side'): Promise<void> {
    this.#closing ??= this.#finish(reason, CLOSE_TIMEOUT_MS);
    return this.#closing;
  }

  async #finish(reason: string, patience: number): Promise<void> {
    if (this.#receiver !== undefined) await this.#outbox.emptied(patience);
    for (const exchange of this.open) exchange.end();
    if (this.session?.id !== undefined) {
      const exchange = new Exchange(undefined);
      const late = setTimeout(() => exchange.end(), CLOSE_TIMEOUT_MS);
      // The server ends an abandoned session by itself, so a failure is not reported.
      await exchange.call(this.#requester, 'DELETE', this.session.headers()).then(discardBody, () => {});
      clearTimeout(late);
    }
    this.#requester.close();
    this.#outbox.wakeAll();
    const receiver = this.#receiver;
    this.#receiver = undefined;
    receiver?.closed(new ConnectionClosed(reason));
  }

  #dispatch(outbound: Outbound): void {
    const { message, version } = outbound;
    if (message?.method === undefined) this.#responses.add(() => this.#post(outbound, this.retries));
    else if (message.id !== undefined) void this.#request(outbound, message);
    else if (message.method === 'notifications/cancelled') this.#cancel(outbound);
    else if (message.method === 'notifications/initialized' && version === undefined) this.#initialized(outbound);
    else this.#notifications.add(() => this.#post(outbound));
  }

  /** Sends a request and reads its response. Never rejects. */
  async #request(outbound: Outbound, { id }: Request, own?: OwnRequest): Promise<void> {
    const exchange = new Exchange(id, outbound, own);
    this.#requests.set(id, exchange);
    this.open.add(exchange);
    if (outbound.isInitialize) this.session = new HttpSession(outbound, this.session?.initialized);
    try {
      if (this.#isLegacy) await this.#postAccepted(exchange, outbound);
      else await this.#exchange(exchange, outbound);
    } catch (error) {
      const tryLegacy = outbound.isInitialize && own === undefined && !this.#isLegacy && mayBeLegacy(error);
      const failure = tryLegacy && !exchange.over ? await this.#initializeLegacy(exchange, outbound, error) : error;
      if (failure !== undefined && !exchange.over) this.refused(id, asError(failure));
    }
    this.#outbox.remove(outbound);
    this.open.delete(exchange);
  }

  async #exchange(exchange: Exchange, outbound: Outbound): Promise<void> {
    const reply = await this.#send(exchange, outbound);
    if (outbound.isInitialize) this.session?.setId(reply.response);
    if (isEventStream(reply.response)) await this.#follow(exchange, reply.response);
    else await this.#reader.read(exchange, reply);
  }

  async #postAccepted(exchange: Exchange, outbound: Outbound): Promise<void> {
    const { response, body } = await this.#send(exchange, outbound);
    if (!isOk(response)) throw refusalOf(response, body ?? (await readStart(response)));
    discardBody(response);
  }

  /** Sends `initialize` again if the server speaks HTTP+SSE. Settles with the reason if that fails. */
  async #initializeLegacy(exchange: Exchange, outbound: Outbound, refusal: unknown): Promise<unknown> {
    const stream = new Exchange(undefined);
    this.open.add(stream);
    const { acceptTimeout = CALLER_LIMITS.acceptTimeout } = this.#options;
    try {
      const endpoint = await openLegacyStream(stream, this.#requester, {
        limits: this.#limits,
        handlers: this,
        timeout: acceptTimeout,
        ended: () => {
          this.#closing ??= this.#finish('The server ended its event stream', 0);
        },
      });
      if (endpoint === undefined) return refusal;
      this.#isLegacy = true;
      this.#requester.moveTo(endpoint);
      await this.#postAccepted(exchange, outbound);
      return undefined;
    } catch (error) {
      stream.end();
      return error;
    }
  }

  /** Sends a message that needs no response. With retries it may arrive more than once. Never rejects. */
  async #post(outbound: Outbound, retries = 0): Promise<void> {
    const exchange = new Exchange(undefined, outbound);
    this.open.add(exchange);
    const { acceptTimeout = CALLER_LIMITS.acceptTimeout } = this.#options;
    const stopTimeout = startTimeout(acceptTimeout, 'acceptTimeout', () => exchange.end());
    try {
      await retrying(() => this.#postAccepted(exchange, outbound), retries, exchange);
    } catch (error) {
      const reason = exchange.over ? new Error(`the server did not respond within ${acceptTimeout} ms`) : error;
      this.report(`${outbound.method ?? 'A response'} was not accepted`, reason);
    }
    stopTimeout();
    this.#outbox.remove(outbound);
    this.open.delete(exchange);
  }

  /** Sends a message, and once more in a new session if the server has forgotten the session. */
  async #send(exchange: Exchange, outbound: Outbound): Promise<Reply> {
    const session = this.session;
    const send = () => {
      const sent = () => exchange.id !== undefined && this.#outbox.remove(outbound);
      return exchange.call(this.#requester, 'POST', outbound.postHeaders(this.session), outbound.text, sent);
    };
    const response = await send();
    const isForgotten = response.status === 404 && session?.id !== undefined && outbound.isWithinSession;
    // The requests that begin a session must not wait for another session, and a response is of no use in one.
    if (!isForgotten || exchange.own !== undefined || outbound.method === undefined)
      return { response, body: undefined };
    const body = await readStart(response);
    // Some servers send 404 for a method that they do not know.
    if (body.includes(String(ErrorCode.MethodNotFound))) return { response, body };
    await this.#renewal.renew(session);
    return { response: await send(), body: undefined };
  }

  #cancel(outbound: Outbound): void {
    const { requestId } = ((outbound.message as Request).params ?? {}) as { requestId?: RequestId };
    const exchange = this.#requests.get(requestId as RequestId);
    this.#requests.delete(requestId as RequestId);
    // Outside of a session the end of the exchange cancels the request.
    if (exchange?.outbound?.version !== undefined || this.session === undefined) {
      this.#outbox.remove(outbound);
      exchange?.end();
    } else {
      this.#notifications.add(() => this.#post(outbound).then(() => exchange?.end()));
    }
  }

  #initialized(outbound: Outbound): void {
    if (this.session !== undefined) this.session.initialized = outbound;
    this.#outbox.hold();
    void this.beginSession(outbound).then(() => this.#outbox.release());
  }

  /** For the renewal, like the next four: keeps messages back, and ends the stream of the lost session. */
  hold(): void {
    this.#outbox.hold();
    this.#stream?.end();
  }

  release(): void {
    this.#outbox.release();
  }

  /** Passes a notification on to the client. */
  notify(method: string, params?: Params): void {
    this.#receiver?.message({ jsonrpc: '2.0', method, ...(params && { params }) });
  }

  /** Sends a request of the lost session again. Rejects unless it succeeds. */
  async repeat(outbound: Outbound): Promise<void> {
    const request = outbound.message as Request;
    const { acceptTimeout = CALLER_LIMITS.acceptTimeout } = this.#options;
    const late = () => {
      const exchange = this.#requests.get(request.id);
      this.refused(request.id, new RequestTimeout(`${request.method} got no response within ${acceptTimeout} ms`));
      exchange?.end();
    };
    const stopTimeout = startTimeout(acceptTimeout, 'acceptTimeout', late);
    const { error } = await new Promise<Response>((resolve, reject) => {
      void this.#request(outbound, request, { resolve, reject });
    }).finally(stopTimeout);
    if (error) throw new RpcError(error.code, error.message, error.data);
  }

  /** Sends `notifications/initialized` and opens the stream. Settles when both sides can send requests. */
  async beginSession(initialized: Outbound): Promise<void> {
    // No request gets a response before the server has it.
    await this.#post(initialized, this.retries);
    if (this.#closing !== undefined || this.#isLegacy) return;
    await new Promise<void>((resolve) => {
      const late = setTimeout(resolve, LISTEN_TIMEOUT_MS);
      void this.#listen(() => {
        clearTimeout(late);
        resolve();
      });
    });
  }

  /** Opens the stream of the server's own messages and reads it, until the session ends; a server may offer none. */
  async #listen(opened: () => void): Promise<void> {
    const stream = new Exchange(undefined);
    const session = this.session;
    this.#stream = stream;
    this.open.add(stream);
    try {
      const response = await this.#reader.open(stream, session).catch(ifTemporary);
      opened();
      const isOffered = response === undefined || isEventStream(response) || response.status >= 500;
      if (isOffered) await this.#follow(stream, response);
      else if (NO_STREAM.includes(response.status)) discardBody(response);
      else throw refusalOf(response, await readStart(response));
    } catch (error) {
      const isForgotten = error instanceof HttpError && error.status === 404 && session?.id !== undefined;
      if (!stream.over && isForgotten) void this.#renewal.persist(session, (failure) => this.#streamLost(failure));
      else if (!stream.over) this.#streamLost(error);
    }
    opened();
    this.open.delete(stream);
  }

  #follow(exchange: Exchange, response: HttpResponse | undefined): Promise<void> {
    const session = this.session;
    return this.#reader.follow(exchange, response, {
      session,
      isCurrent: () => this.session === session,
      // The server's own messages are followed, however long resuming takes.
      ...(exchange.id === undefined && { onFailure: (error: Error) => this.#streamLost(error) }),
    });
  }

  #streamLost(error: unknown): void {
    this.report("The stream of the server's own messages is lost", error);
  }

  /** For the inboxes, like the next two. */
  message(message: Message): void {
    const exchange = message.method === undefined ? this.#settle(message.id ?? undefined) : undefined;
    const response = message as Response; // if there is an exchange
    if (exchange?.outbound?.isInitialize) this.session?.setVersion(response);
    else if (exchange?.outbound && !response.error) this.session?.succeeded(exchange.outbound);
    if (exchange?.own !== undefined) exchange.own.resolve(response);
    else this.#receiver?.message(message);
  }

  refused(id: RequestId | undefined, reason: Error): void {
    const exchange = this.#settle(id);
    if (exchange?.own !== undefined) exchange.own.reject(reason);
    else this.#receiver?.refused(id, reason);
  }

  other(item: Malformed | readonly (Message | Malformed)[]): void {
    if ('error' in item) this.#receiver?.malformed(item);
    else this.#receiver?.batch(item);
  }

  /** The request has its response, or gets none. */
  #settle(id: RequestId | undefined): Exchange | undefined {
    const exchange = id === undefined ? undefined : this.#requests.get(id);
    if (exchange === undefined) return undefined;
    this.#requests.delete(id as RequestId);
    exchange.responded();
    return exchange;
  }

  report(what: string, error: unknown): void {
    if (this.#closing !== undefined) return;
    this.#receiver?.refused(undefined, new Error(`${what}: ${messageOf(error)}`, { cause: error }));
  }
}
