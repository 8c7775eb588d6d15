import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Connection, ConnectionLimits } from '../../../jsonrpc/connection.ts';
import { DEFAULT_MAX_BYTES } from '../../../jsonrpc/connection.ts';
import { ConnectionClosed } from '../../../jsonrpc/errors.ts';
import { isThenable } from '../../../jsonrpc/thenable.ts';
import { findStatelessRevision } from '../../../protocol/revisions/all.ts';
import type { SessionPersistence } from '../../../protocol/session-snapshot.ts';
import { saysStateless } from '../../../protocol/stateless.ts';
import { type CallerRules, refuseCaller } from '../../loopback.ts';
import type { HttpStore } from '../store.ts';
import { AnswerStream, type AnswerStreamOptions, type AnswerStreamOwner } from './answer-stream.ts';
import { type Arrival, HttpConnection, HttpOrigin, readArrival } from './http-connection.ts';
import { HttpSessions } from './http-sessions.ts';
import { readBody } from './read-body.ts';
import { refuse, refuseBody, refuseSession, refuseVersion } from './refuse.ts';

export interface EndpointOptions extends ConnectionLimits, CallerRules {
  /** Takes each new connection: a session, or a single request of the stateless era. */
  readonly accept: (connection: Connection, persistence: SessionPersistence) => unknown;
  /** Whether this request may come in; looked at after Host and Origin. */
  readonly authorize?: (request: IncomingMessage) => boolean | Promise<boolean>;
  /** How an answer that nothing precedes is sent. Default `json`. */
  readonly answers?: 'json' | 'sse';
  /** What is remembered between requests. Default: in the memory of this process. */
  readonly store?: HttpStore;
  /** Milliseconds between comments on open streams, so that nobody on the way takes them for dead. Default 15 000. */
  readonly keepAliveMs?: number;
  /** Milliseconds after which a client that lost a stream should come back. Default 1000. */
  readonly retryMs?: number;
  /** More open streams than this get status 503. Default 2048. */
  readonly maxStreams?: number;
  /** A session unused for this long, without an open stream, is ended. Default one hour. */
  readonly idleMs?: number;
  /** Whether Host is looked at; there is no name to rebind on a unix socket. */
  readonly checkHost: boolean;
}

/** Made once: an Error with its stack costs as much as all else that is done for a request. */
const ANSWERED = new ConnectionClosed('The request was answered');

const NOT_KEPT: SessionPersistence = {};
const ignore = () => {};

/** A request that belongs to no session. */
class StatelessConnection extends HttpConnection implements AnswerStreamOwner {
  /** The end of the response is the end of the request: what still runs for it is cancelled. */
  onDone(stream: AnswerStream): void {
    this.end(stream.isAnswered ? ANSWERED : new ConnectionClosed('The client closed the request'));
  }
}

/** Streamable HTTP at one path: what each request gets. */
export class HttpEndpoint {
  readonly #options: EndpointOptions;
  readonly #sessions: HttpSessions;
  readonly #streams = new Set<AnswerStream>();
  readonly #keepAlive: NodeJS.Timeout;
  readonly #streamOptions: AnswerStreamOptions;
  #closed = false;
  #goodHost: string | undefined;
  #goodAccept: string | undefined;

  constructor(options: EndpointOptions) {
    this.#options = options;
    this.#streamOptions = {
      answers: options.answers ?? 'json',
      maxQueuedBytes: options.maxQueuedBytes ?? DEFAULT_MAX_BYTES,
      retryMs: options.retryMs ?? 1000,
      onOpen: (stream) => this.#streams.add(stream),
      onDone: (stream) => this.#streams.delete(stream),
    };
    this.#sessions = new HttpSessions(options, this.#streamOptions);
    this.#keepAlive = setInterval(() => {
      for (const stream of this.#streams) stream.keepAlive();
    }, options.keepAliveMs ?? 15_000);
    this.#keepAlive.unref();
  }

  handle(request: IncomingMessage, response: ServerResponse): void {
    const { authorize, checkHost } = this.#options;
    const flaw = checkHost ? this.#flawOfCaller(request) : undefined;
    if (flaw !== undefined) refuse(response, 403, flaw);
    else if (authorize === undefined) attempt(response, () => this.#route(request, response));
    else {
      attempt(response, async () => {
        if (await authorize(request)) await this.#route(request, response);
        else refuse(response, 401, 'Unauthorized');
      });
    }
  }

  /** A promise only where something has to be waited for. */
  #route(request: IncomingMessage, response: ServerResponse): unknown {
    if (request.method === 'POST') return this.#post(request, response);
    if (request.method === 'GET') return this.#get(request, response);
    if (request.method === 'DELETE') return this.#delete(request, response);
    const headers = { Allow: 'POST, GET, DELETE' };
    return refuse(response, 405, `${request.method} is not allowed here`, { headers });
  }

  async close(): Promise<void> {
    this.#closed = true;
    clearInterval(this.#keepAlive);
    await this.#sessions.close();
    for (const stream of this.#streams) stream.close();
  }

  /** The same callers come again and again: what was found good last is not taken apart again. */
  #flawOfCaller(request: IncomingMessage): string | undefined {
    const { host, origin } = request.headers;
    if (host !== undefined && host === this.#goodHost && origin === undefined) return undefined;
    const flaw = refuseCaller(request, this.#options);
    if (flaw === undefined) this.#goodHost = host;
    return flaw;
  }

  #post(request: IncomingMessage, response: ServerResponse): unknown {
    const { headers } = request;
    if (!isJson(headers['content-type'])) return refuse(response, 415, 'Content-Type must be application/json');
    if (headers['content-encoding'] !== undefined && headers['content-encoding'] !== 'identity') {
      return refuse(response, 415, 'Content-Encoding must be identity');
    }
    if (headers.accept === undefined || headers.accept !== this.#goodAccept) {
      if (!accepts(headers.accept, 'application/json') || !accepts(headers.accept, 'text/event-stream')) {
        return refuse(response, 406, 'Accept must include application/json and text/event-stream');
      }
      this.#goodAccept = headers.accept;
    }
    const maxBytes = this.#options.maxMessageBytes ?? DEFAULT_MAX_BYTES;
    return readBody(request, maxBytes, (body) => {
      if (this.#closed) refuse(response, 503, 'The server is closing');
      else if (body.ok) attempt(response, () => this.#posted(readArrival(body.text), request, response));
      else refuseBody(response, body.why, maxBytes);
    });
  }

  /** A promise only where something has to be waited for. */
  #posted(arrival: Arrival, request: IncomingMessage, response: ServerResponse): unknown {
    if (isStateless(arrival)) return this.#answerAlone(arrival, request, response);
    // A request is told by the server, with its id.
    if (!isRequest(arrival) && refuseVersion(request, response)) return;
    const sessionId = request.headers['mcp-session-id'];
    if (typeof sessionId !== 'string') {
      if (!isInitialize(arrival)) return this.#answerAlone(arrival, request, response);
      return whenKnown(this.#sessions.open(arrival, request, response), (taken) => {
        if (!taken) refuse(response, 503, 'This server takes no sessions now');
      });
    }
    if (isInitialize(arrival)) return refuse(response, 400, 'Already initialized: initialize opens a new session');
    return whenKnown(this.#sessions.find(sessionId), (session) =>
      whenKnown(session?.post(arrival, request, response) ?? false, (taken) => {
        if (!taken) refuseSession(response);
      }),
    );
  }

  /** A request that belongs to no session. */
  #answerAlone(arrival: Arrival, request: IncomingMessage, response: ServerResponse): void {
    if (refuseAlone(arrival, request, response)) return;
    if (isListening(arrival) && this.#isFull()) {
      refuse(response, 503, 'Too many open streams');
      return;
    }
    const connection = new StatelessConnection(ignore);
    const stream = new AnswerStream(response, this.#streamOptions, connection);
    this.#options.accept(connection, NOT_KEPT);
    if (!connection.isOpen) refuse(response, 503, 'This server takes no requests now');
    else if (!connection.deliver(arrival, stream, new HttpOrigin(request, stream))) response.writeHead(202).end();
    if (stream.isAnswered) connection.end(ANSWERED);
    else stream.watch();
  }

  async #get(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const { headers } = request;
    const sessionId = headers['mcp-session-id'];
    if (typeof sessionId !== 'string') {
      return refuse(response, 405, 'There are no streams without a session', { headers: { Allow: 'POST' } });
    }
    if (!accepts(headers.accept, 'text/event-stream'))
      return refuse(response, 406, 'Accept must include text/event-stream');
    if (refuseVersion(request, response)) return;
    const session = await this.#sessions.find(sessionId);
    if (session === undefined) return refuseSession(response);
    if (this.#isFull()) return refuse(response, 503, 'Too many open streams');
    const lastEventId = headers['last-event-id'];
    const isKnown = await session.follow(typeof lastEventId === 'string' ? lastEventId : undefined, response);
    if (!isKnown) refuse(response, 404, `Event not found: ${lastEventId}`);
  }

  async #delete(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const sessionId = request.headers['mcp-session-id'];
    if (typeof sessionId !== 'string')
      return refuse(response, 405, 'There is no session to delete', { headers: { Allow: 'POST' } });
    if (refuseVersion(request, response)) return;
    const ended = await this.#sessions.end(sessionId);
    if (!ended) return refuseSession(response);
    response.writeHead(204).end();
  }

  #isFull(): boolean {
    return this.#streams.size >= (this.#options.maxStreams ?? 2048);
  }
}

/** A store or an authorization that fails is no fault of the client's. */
function attempt(response: ServerResponse, serve: () => unknown): void {
  const failed = (error: unknown) =>
    refuse(response, 500, `This server failed: ${error instanceof Error ? error.message : 'no reason given'}`);
  try {
    const served = serve();
    if (isThenable(served)) served.then(undefined, failed);
  } catch (error) {
    failed(error);
  }
}

/** At once, unless it takes time to know. */
function whenKnown<T>(value: T | Promise<T>, use: (value: T) => unknown): unknown {
  return value instanceof Promise ? value.then(use) : use(value);
}

function isJson(contentType: string | undefined): boolean {
  if (contentType === 'application/json') return true;
  return contentType !== undefined && /^application\/json\s*(;|$)/i.test(contentType.trim());
}

function accepts(accept: string | undefined, type: string): boolean {
  if (accept === undefined) return false;
  const [family] = type.split('/');
  return accept.split(',').some((range) => {
    const [wanted = ''] = range.split(';');
    const name = wanted.trim().toLowerCase();
    return name === type || name === '*/*' || name === `${family}/*`;
  });
}

function isRequest(arrival: Arrival): boolean {
  return arrival.kind === 'message' && arrival.message.method !== undefined && arrival.message.id !== undefined;
}

function isInitialize(arrival: Arrival): boolean {
  return arrival.kind === 'message' && arrival.message.method === 'initialize' && arrival.message.id !== undefined;
}

function isListening(arrival: Arrival): boolean {
  return arrival.kind === 'message' && arrival.message.method === 'subscriptions/listen';
}

function isStateless(arrival: Arrival): boolean {
  return arrival.kind === 'message' && arrival.message.method !== undefined && saysStateless(arrival.message.params);
}

/** What cannot stand alone. */
function refuseAlone(arrival: Arrival, { headers }: IncomingMessage, response: ServerResponse): boolean {
  if (arrival.kind === 'malformed') {
    const { error, id } = arrival.malformed;
    refuse(response, 400, error.message, { code: error.code, id });
    return true;
  }
  if (arrival.kind === 'batch' || isRequest(arrival) || isStateless(arrival)) return false;
  // A notification may have nothing but the header to say that its era needs no session.
  const version = headers['mcp-protocol-version'];
  if (typeof version === 'string' && findStatelessRevision(version) !== undefined) return false;
  refuse(response, 400, 'Mcp-Session-Id is missing');
  return true;
}
