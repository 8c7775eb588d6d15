import type { IncomingMessage } from 'node:http';
import { decode, decodeOversized } from '../../../jsonrpc/codec.ts';
import {
  type Connection,
  type ConnectionLimits,
  DEFAULT_MAX_BYTES,
  type Outgoing,
  type Receiver,
  type SendHints,
} from '../../../jsonrpc/connection.ts';
import { ConnectionClosed, ErrorCode, messageOf } from '../../../jsonrpc/errors.ts';
import type { Message, Request, RequestId, Response } from '../../../jsonrpc/message.ts';
import { Exchange } from './exchange.ts';
import { followStream, isEventStream } from './follow-stream.ts';
import { type CallerOptions, HttpCaller, HttpFailure } from './http-caller.ts';
import { HttpSession } from './http-session.ts';
import { Inbox } from './inbox.ts';
import { Outbound } from './outbound.ts';
import { Outbox } from './outbox.ts';
import { isOk, refusalOf } from './refusal.ts';
import { readBody } from './response-reader.ts';
import { SseReader } from './sse-reader.ts';

export interface ConnectHttpOptions extends ConnectionLimits, CallerOptions {
  /** Milliseconds for the server to take a message that needs no answer. Default 30 000. */
  readonly acceptTimeout?: number;
  /** Failed attempts in a row to pick up a broken stream, after which it is given up. Default 5. */
  readonly resumeAttempts?: number;
  /** Aborting it closes the connection. */
  readonly signal?: AbortSignal;
}

/**
 * Speaks to a Streamable HTTP endpoint. Nothing is sent before the first message. A server that cannot be reached or
 * refuses fails the requests concerned (code -32000, with the HTTP status or the network's error in `data`); the
 * connection itself lives until it is closed. A session that the server has forgotten is begun anew.
 */
export function connectHttp(url: string | URL, options: ConnectHttpOptions = {}): Connection {
  return new HttpClientConnection(String(url), options);
}

interface Reply {
  readonly response: IncomingMessage;
  /** Undefined when it has not been read yet. */
  readonly body: string | undefined;
}

const HTTP_FAILURE = -32000;
const CLOSE_TIMEOUT_MS = 2000;
/** How long what follows the handshake waits for the stream of the server's own messages. */
const LISTEN_TIMEOUT_MS = 1000;
/** What servers say that offer no such stream. */
const NO_STREAM: readonly (number | undefined)[] = [400, 404, 405];

class HttpClientConnection implements Connection {
  readonly #caller: HttpCaller;
  readonly #options: ConnectHttpOptions;
  readonly #maxChars: number;
  readonly #outbox = new Outbox((outbound) => this.#dispatch(outbound));
  #receiver: Receiver | undefined;
  /** Requests whose answers are awaited. */
  readonly #asked = new Map<RequestId, Exchange>();
  /** Everything under way, for the end. */
  readonly #open = new Set<Exchange>();
  #session: HttpSession | undefined;
  #renewing: Promise<void> | undefined;
  /** The stream of the server's own messages. */
  #stream: Exchange | undefined;
  /** Notifications leave one after the other, so that they arrive in order. */
  #lastTold: Promise<void> = Promise.resolve();
  #closing: Promise<void> | undefined;

  constructor(url: string, options: ConnectHttpOptions) {
    this.#caller = new HttpCaller(url, options);
    this.#options = options;
    this.#maxChars = options.maxMessageBytes ?? DEFAULT_MAX_BYTES;
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
    this.#outbox.add(new Outbound(message, hints?.headers));
    const { maxQueuedBytes = DEFAULT_MAX_BYTES } = this.#options;
    if (this.#outbox.waiting <= maxQueuedBytes) return;
    this.#closing = this.#finish(`The reader is too slow: more than ${maxQueuedBytes} bytes are waiting`, 0);
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
    for (const exchange of this.#open) exchange.end();
    if (this.#session?.id !== undefined) {
      const exchange = new Exchange(undefined);
      const late = setTimeout(() => exchange.end(), CLOSE_TIMEOUT_MS);
      const answered = exchange.call(this.#caller, 'DELETE', this.#session.headers());
      // Whatever it says, the session will end by itself.
      await answered.catch(() => {});
      clearTimeout(late);
    }
    this.#caller.close();
    this.#outbox.wakeAll();
    const receiver = this.#receiver;
    this.#receiver = undefined;
    receiver?.closed(new ConnectionClosed(reason));
  }

  #dispatch(outbound: Outbound): void {
    const { message, version } = outbound;
    if (message?.method === undefined) void this.#tell(outbound);
    else if (message.id !== undefined) void this.#ask(outbound, message);
    else if (message.method === 'notifications/cancelled') this.#cancel(outbound);
    else if (message.method === 'notifications/initialized' && version === undefined) this.#initialized(outbound);
    else this.#lastTold = this.#lastTold.then(() => this.#tell(outbound));
  }

  async #ask(outbound: Outbound, { id }: Request, keep?: (answer: Response) => void): Promise<void> {
    const exchange = new Exchange(id, outbound, keep);
    this.#asked.set(id, exchange);
    this.#open.add(exchange);
    if (outbound.isInitialize) this.#session = new HttpSession(outbound, this.#session?.initialized);
    try {
      const reply = await this.#post(exchange, outbound);
      if (outbound.isInitialize) this.#session?.named(reply.response);
      if (isEventStream(reply.response)) await this.#follow(exchange, reply.response);
      else await this.#hear(exchange, reply);
    } catch (thrown) {
      if (!exchange.over) this.#arrived({ jsonrpc: '2.0', id, error: failure(thrown) });
    }
    this.#outbox.left(outbound);
    this.#open.delete(exchange);
  }

  async #tell(outbound: Outbound): Promise<void> {
    const exchange = new Exchange(undefined, outbound);
    this.#open.add(exchange);
    const { acceptTimeout = 30_000 } = this.#options;
    const late = setTimeout(() => exchange.end(), acceptTimeout);
    try {
      const { response, body } = await this.#post(exchange, outbound);
      if (!isOk(response)) throw refusalOf(response, body ?? (await readBody(response, this.#maxChars)) ?? '');
      response.resume();
    } catch (thrown) {
      const reason = exchange.over ? new Error(`the server said nothing for ${acceptTimeout} ms`) : thrown;
      this.#complain(`${outbound.method ?? 'an answer'} was not taken`, reason);
    }
    clearTimeout(late);
    this.#outbox.left(outbound);
    this.#open.delete(exchange);
  }

  /** Posts, and once more if the server has forgotten the session. */
  async #post(exchange: Exchange, outbound: Outbound): Promise<Reply> {
    const session = this.#session;
    const send = () => {
      const sent = () => exchange.id !== undefined && this.#outbox.left(outbound);
      return exchange.call(this.#caller, 'POST', this.#headersOf(outbound), outbound.text, sent);
    };
    const response = await send();
    const isForgotten = response.statusCode === 404 && session?.id !== undefined && outbound.isWithinSession;
    // What is part of beginning a session must not wait for a new one.
    const forgotten = isForgotten && exchange.keep === undefined;
    if (!forgotten) return { response, body: undefined };
    const body = await readBody(response, this.#maxChars);
    // Some servers say so of a method that they do not know. An answer is of no use in another session.
    if (body?.includes(String(ErrorCode.MethodNotFound)) || outbound.method === undefined) return { response, body };
    await this.#renew(session);
    return { response: await send(), body: undefined };
  }

  #headersOf(outbound: Outbound): Record<string, string> {
    const headers: Record<string, string> = {
      'Content-Type': 'application/json',
      Accept: 'application/json, text/event-stream',
    };
    if (outbound.version !== undefined) {
      headers['MCP-Protocol-Version'] = outbound.version;
      headers['Mcp-Method'] = outbound.method as string;
    } else if (!outbound.isInitialize) {
      Object.assign(headers, this.#session?.headers());
    }
    return outbound.headers === undefined ? headers : Object.assign(headers, outbound.headers);
  }

  #cancel(outbound: Outbound): void {
    const { requestId } = ((outbound.message as Request).params ?? {}) as { requestId?: RequestId };
    const exchange = this.#asked.get(requestId as RequestId);
    const end = () => {
      if (exchange === undefined) return;
      if (this.#asked.get(requestId as RequestId) === exchange) this.#asked.delete(requestId as RequestId);
      exchange.end();
    };
    // Outside of a session it is the end of the exchange that cancels.
    if (exchange?.outbound?.version !== undefined || this.#session === undefined) {
      this.#outbox.left(outbound);
      end();
    } else {
      this.#lastTold = this.#lastTold.then(() => this.#tell(outbound)).then(end);
    }
  }

  #initialized(outbound: Outbound): void {
    if (this.#session !== undefined) this.#session.initialized = outbound;
    this.#outbox.hold();
    void this.#beginSession(outbound).then(() => this.#outbox.release());
  }

  /** Afterwards the server may both be asked and ask. */
  async #beginSession(initialized: Outbound): Promise<void> {
    await this.#tell(initialized);
    if (this.#closing !== undefined) return;
    await new Promise<void>((resolve) => {
      const late = setTimeout(resolve, LISTEN_TIMEOUT_MS);
      void this.#listen(() => {
        clearTimeout(late);
        resolve();
      });
    });
  }

  /** A request that gets 404 in a session, and others that may follow it, share one attempt to begin a new session. */
  #renew(lost: HttpSession): Promise<void> {
    if (this.#session !== lost && this.#renewing === undefined) return Promise.resolve();
    this.#renewing ??= this.#initializeAgain(lost).finally(() => {
      this.#renewing = undefined;
      this.#outbox.release();
    });
    return this.#renewing;
  }

  async #initializeAgain(lost: HttpSession): Promise<void> {
    const { initialize, initialized } = lost;
    this.#outbox.hold();
    this.#stream?.end();
    const answer = await new Promise<Response>((resolve) => {
      void this.#ask(initialize, initialize.message as Request, resolve);
    });
    if (answer.error) {
      this.#session = lost; // so that the next request tries again
      const why = `The server has forgotten the session, and a new one failed: ${answer.error.message}`;
      throw new HttpFailure(why, { status: 404 });
    }
    if (initialized !== undefined) await this.#beginSession(initialized);
    const session = this.#session as HttpSession; // made by the initialize above
    session.wishes = lost.wishes;
    for (const wish of [...lost.wishes.values()]) await this.#wishAgain(wish);
  }

  async #wishAgain(wish: Outbound): Promise<void> {
    const { error } = await new Promise<Response>((resolve) => {
      void this.#ask(wish, wish.message as Request, resolve);
    });
    if (error) this.#complain(`The new session does not grant ${wish.method}`, new Error(error.message));
  }

  /** Opens the stream of the server's own messages and stays with it; a server may offer none. */
  async #listen(opened: () => void): Promise<void> {
    const stream = new Exchange(undefined);
    this.#stream = stream;
    this.#open.add(stream);
    try {
      const response = await this.#get(stream);
      opened();
      if (isEventStream(response)) await this.#follow(stream, response);
      else if (NO_STREAM.includes(response.statusCode)) response.resume();
      else throw refusalOf(response, (await readBody(response, this.#maxChars)) ?? '');
    } catch (thrown) {
      if (!stream.over) this.#complain("The stream of the server's own messages is lost", thrown);
    }
    opened();
    this.#open.delete(stream);
  }

  #get(exchange: Exchange, lastEventId?: string): Promise<IncomingMessage> {
    const headers: Record<string, string> = { Accept: 'text/event-stream', ...this.#session?.headers() };
    if (lastEventId !== undefined) headers['Last-Event-ID'] = lastEventId;
    return exchange.call(this.#caller, 'GET', headers);
  }

  #follow(exchange: Exchange, response: IncomingMessage): Promise<void> {
    const session = this.#session;
    const inbox = this.#inbox(exchange);
    const oversized = (head: string, tail: string) => decodeOversized(head, tail, this.#maxChars, inbox);
    const reader = new SseReader({ data: (text) => decode(text, inbox), oversized }, this.#maxChars);
    const standsAlone = exchange.outbound?.version !== undefined;
    return followStream(exchange, response, reader, {
      isResumable: () => !standsAlone && this.#session === session,
      resume: (lastEventId) => this.#get(exchange, lastEventId),
      attempts: this.#options.resumeAttempts ?? 5,
      refusal: async (refused) => refusalOf(refused, (await readBody(refused, this.#maxChars)) ?? ''),
    });
  }

  async #hear(exchange: Exchange, { response, body: read }: Reply): Promise<void> {
    const body = read ?? (await readBody(response, this.#maxChars));
    if (body === undefined) throw new Error(`Message is larger than the limit of ${this.#maxChars} bytes`);
    const inbox = this.#inbox(exchange);
    decode(body, inbox);
    if (exchange.over) return;
    if (isOk(response) && inbox.flaw !== undefined) throw new Error(`The answer is no message: ${inbox.flaw}`);
    throw refusalOf(response, body);
  }

  #inbox(exchange: Exchange): Inbox {
    return new Inbox(
      exchange,
      (message) => this.#arrived(message),
      (item) => ('error' in item ? this.#receiver?.malformed(item) : this.#receiver?.batch(item)),
    );
  }

  #arrived(message: Message): void {
    const exchange = message.method === undefined ? this.#asked.get(message.id as RequestId) : undefined;
    if (exchange !== undefined) {
      const answer = message as Response;
      this.#asked.delete(answer.id as RequestId);
      exchange.answered();
      if (exchange.outbound?.isInitialize) this.#session?.agreed(answer);
      else if (exchange.outbound && !answer.error) this.#session?.granted(exchange.outbound);
    }
    if (exchange?.keep !== undefined) exchange.keep(message as Response);
    else this.#receiver?.message(message);
  }

  #complain(what: string, thrown: unknown): void {
    if (this.#closing !== undefined) return;
    const { code, message, data } = failure(thrown);
    this.#receiver?.message({ jsonrpc: '2.0', error: { code, message: `${what}: ${message}`, data } });
  }
}

function failure(thrown: unknown): { code: number; message: string; data?: unknown } {
  const message = messageOf(thrown);
  return thrown instanceof HttpFailure
    ? { code: HTTP_FAILURE, message, data: thrown.data }
    : { code: HTTP_FAILURE, message };
}
