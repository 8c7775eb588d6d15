import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Connection, ConnectionLimits } from '../../jsonrpc/connection.ts';
import { DEFAULT_MAX_BYTES } from '../../jsonrpc/connection.ts';
import { ConnectionClosed, ErrorCode } from '../../jsonrpc/errors.ts';
import type { SessionKeeping } from '../../protocol/session-snapshot.ts';
import { MetaKey } from '../../protocol/stateless.ts';
import { type CallerRules, refuseCaller } from '../loopback.ts';
import { AnswerStream, type AnswerStreamOptions } from './answer-stream.ts';
import { type Arrival, HttpConnection, originOf, readArrival } from './http-connection.ts';
import { HttpSessions } from './http-sessions.ts';
import { type BodyFlaw, readBody } from './read-body.ts';
import type { HttpStore } from './store.ts';

export interface EndpointOptions extends ConnectionLimits, CallerRules {
  /** Takes each new connection: a session, or a single request of the stateless era. */
  readonly accept: (connection: Connection, keeping: SessionKeeping) => unknown;
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

const SESSION_NOT_FOUND = -32001;

/** Streamable HTTP at one path: what each request gets. */
export class HttpEndpoint {
  readonly #options: EndpointOptions;
  readonly #sessions: HttpSessions;
  readonly #streams = new Set<AnswerStream>();
  readonly #keepAlive: NodeJS.Timeout;
  readonly #streamOptions: AnswerStreamOptions;

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

  async handle(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const { authorize, checkHost } = this.#options;
    const flaw = checkHost ? refuseCaller(request, this.#options) : undefined;
    if (flaw !== undefined) return refuse(response, 403, flaw);
    try {
      if (authorize && !(await authorize(request))) return refuse(response, 401, 'Unauthorized');
      if (request.method === 'POST') await this.#post(request, response);
      else if (request.method === 'GET') await this.#get(request, response);
      else if (request.method === 'DELETE') await this.#delete(request, response);
      else refuse(response, 405, `${request.method} is not allowed here`, { Allow: 'POST, GET, DELETE' });
    } catch (error) {
      // A store or an authorization that fails is no fault of the client's.
      refuse(response, 500, `This server failed: ${error instanceof Error ? error.message : 'no reason given'}`);
    }
  }

  async close(): Promise<void> {
    clearInterval(this.#keepAlive);
    await this.#sessions.close();
    for (const stream of this.#streams) stream.close();
  }

  async #post(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const { headers } = request;
    if (!isJson(headers['content-type'])) return refuse(response, 415, 'Content-Type must be application/json');
    if (headers['content-encoding'] !== undefined && headers['content-encoding'] !== 'identity') {
      return refuse(response, 415, 'Content-Encoding must be identity');
    }
    if (!accepts(headers.accept, 'application/json') || !accepts(headers.accept, 'text/event-stream')) {
      return refuse(response, 406, 'Accept must include application/json and text/event-stream');
    }
    const maxBytes = this.#options.maxMessageBytes ?? DEFAULT_MAX_BYTES;
    const body = await readBody(request, maxBytes);
    if (!body.ok) return refuseBody(response, body.why, maxBytes);
    const arrival = readArrival(body.text);
    const sessionId = headers['mcp-session-id'];
    if (typeof sessionId === 'string' && !isStateless(arrival)) {
      if (isInitialize(arrival)) return refuse(response, 400, 'Already initialized: initialize opens a new session');
      const session = await this.#sessions.find(sessionId);
      if (session === undefined) return refuse(response, 404, 'Session not found', {}, SESSION_NOT_FOUND);
      return session.post(arrival, request, response);
    }
    if (isInitialize(arrival) && !isStateless(arrival)) return this.#sessions.open(arrival, request, response);
    this.#answerAlone(arrival, request, response);
  }

  /** A request that belongs to no session. */
  #answerAlone(arrival: Arrival, request: IncomingMessage, response: ServerResponse): void {
    if (isListening(arrival) && this.#isFull()) {
      refuse(response, 503, 'Too many open streams');
      return;
    }
    const stream = new AnswerStream(response, {
      ...this.#streamOptions,
      onDone: (done) => {
        this.#streams.delete(done);
        // The end of the response is the end of the request: what still runs for it is cancelled.
        connection.end(new ConnectionClosed('The client closed the request'));
      },
    });
    const connection = new HttpConnection(() => {});
    this.#options.accept(connection, {});
    if (connection.deliver(arrival, stream, originOf(request, stream))) return;
    response.writeHead(202).end();
  }

  async #get(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const { headers } = request;
    const sessionId = headers['mcp-session-id'];
    if (typeof sessionId !== 'string') {
      return refuse(response, 405, 'There are no streams without a session', { Allow: 'POST' });
    }
    if (!accepts(headers.accept, 'text/event-stream'))
      return refuse(response, 406, 'Accept must include text/event-stream');
    const session = await this.#sessions.find(sessionId);
    if (session === undefined) return refuse(response, 404, 'Session not found', {}, SESSION_NOT_FOUND);
    if (this.#isFull()) return refuse(response, 503, 'Too many open streams');
    const lastEventId = headers['last-event-id'];
    const isKnown = await session.follow(typeof lastEventId === 'string' ? lastEventId : undefined, response);
    if (!isKnown) refuse(response, 404, `Event not found: ${lastEventId}`);
  }

  async #delete(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const sessionId = request.headers['mcp-session-id'];
    if (typeof sessionId !== 'string') return refuse(response, 405, 'There is no session to delete', { Allow: 'POST' });
    const ended = await this.#sessions.end(sessionId);
    if (!ended) return refuse(response, 404, 'Session not found', {}, SESSION_NOT_FOUND);
    response.writeHead(204).end();
  }

  #isFull(): boolean {
    return this.#streams.size >= (this.#options.maxStreams ?? 2048);
  }
}

function refuse(
  response: ServerResponse,
  status: number,
  message: string,
  headers: Record<string, string> = {},
  code: number = ErrorCode.LimitReached,
): void {
  if (response.headersSent || response.destroyed) return void response.destroy();
  const text = JSON.stringify({ jsonrpc: '2.0', error: { code, message } });
  const length = Buffer.byteLength(text);
  response.writeHead(status, { 'Content-Type': 'application/json', 'Content-Length': length, ...headers }).end(text);
}

function refuseBody(response: ServerResponse, why: BodyFlaw, maxBytes: number): void {
  if (why === 'too large') {
    // The rest of the body stays unread, so this connection can serve no further request.
    refuse(response, 413, `The body is larger than the limit of ${maxBytes} bytes`, { Connection: 'close' });
    response.once('finish', () => response.req.destroy());
  } else if (why === 'not UTF-8') {
    refuse(response, 400, 'Parse error: the body is not valid UTF-8', {}, ErrorCode.ParseError);
  } else {
    response.destroy();
  }
}

function isJson(contentType: string | undefined): boolean {
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

function isInitialize(arrival: Arrival): boolean {
  return arrival.kind === 'message' && arrival.message.method === 'initialize' && arrival.message.id !== undefined;
}

function isListening(arrival: Arrival): boolean {
  return arrival.kind === 'message' && arrival.message.method === 'subscriptions/listen';
}

function isStateless(arrival: Arrival): boolean {
  if (arrival.kind !== 'message' || arrival.message.method === undefined) return false;
  const { _meta } = (arrival.message.params ?? {}) as { _meta?: { [key: string]: unknown } | null };
  return typeof _meta === 'object' && _meta !== null && Object.hasOwn(_meta, MetaKey.protocolVersion);
}
