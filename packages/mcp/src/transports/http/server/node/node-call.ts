import { isUtf8 } from 'node:buffer';
import type { IncomingMessage, ServerResponse } from 'node:http';
import type { RequestHeaders } from '../../../../protocol/origin.ts';
import { hostOfTarget } from '../../../loopback.ts';
import { BodyBuffer } from '../bodies/body-buffer.ts';
import type { Body, BodyLimits, HttpCall, ResponseHeaders } from '../http-call.ts';

/** How long a client may go on sending a body that was refused. */
const LINGER_MS = 1000;

const ignore = () => {};

/** For frameworks that read the body. */
const ADVICE = 'Pass the parsed body on: handler(request, response, body)';

/** A request of node:http and its response. */
export class NodeCall implements HttpCall {
  readonly #request: IncomingMessage;
  readonly #response: ServerResponse;
  readonly #parsedBody: unknown;
  client: string | undefined = undefined;

  /** `parsedBody` is the body if a body parser has read the request before. */
  constructor(request: IncomingMessage, response: ServerResponse, parsedBody: unknown) {
    this.#request = request;
    this.#response = response;
    this.#parsedBody = parsedBody;
  }

  get method(): string {
    return this.#request.method ?? '';
  }

  get headers(): RequestHeaders {
    return this.#request.headers;
  }

  /** Express removes the path that a handler is mounted at from `url`, and keeps all of it in `originalUrl`. */
  get path(): string {
    const { originalUrl } = this.#request as { originalUrl?: unknown };
    return pathOf(typeof originalUrl === 'string' ? originalUrl : this.#request.url);
  }

  parameter(name: string): string | undefined {
    const { url = '' } = this.#request;
    const query = url.indexOf('?');
    return query === -1 ? undefined : (new URLSearchParams(url.slice(query)).get(name) ?? undefined);
  }

  get targetHost(): string | undefined {
    const { url = '/' } = this.#request;
    return url.startsWith('/') ? undefined : hostOfTarget(url);
  }

  get address(): string | undefined {
    return this.#request.socket.remoteAddress;
  }

  readBody(limits: BodyLimits, done: (body: Body) => void): void {
    const parsed = this.#parsedBody;
    if (parsed !== undefined) done(withinLimit(asBody(parsed), limits.maxBytes));
    else if (this.#request.readableEnded) done({ kind: 'consumed', advice: ADVICE });
    else readBody(this.#request, limits, this.client, done);
  }

  setHeader(name: string, value: string): void {
    if (!this.#response.headersSent) this.#response.setHeader(name, value);
  }

  send(status: number, headers: ResponseHeaders, body: string): void {
    const response = this.#response;
    if (this.isGone || response.headersSent) return;
    const length = Buffer.byteLength(body);
    if (length === 0) response.writeHead(status, headers).end();
    else sendWhole(response.writeHead(status, { 'Content-Length': length, ...headers }), body, length);
  }

  /** Sends most responses. The headers are a literal, because V8 lists the members of an object with a spread slowly. */
  sendJson(status: number, body: string): void {
    const response = this.#response;
    if (this.isGone || response.headersSent) return;
    const length = Buffer.byteLength(body);
    response.writeHead(status, { 'Content-Type': 'application/json', 'Content-Length': length });
    sendWhole(response, body, length);
  }

  sendUnread(status: number, headers: ResponseHeaders, body: string): void {
    const response = this.#response;
    if (this.isGone || response.headersSent) return;
    const length = Buffer.byteLength(body);
    response.writeHead(status, { ...headers, 'Content-Length': length, Connection: 'close' }).write(body);
    // Closing a connection on which the client still sends would discard the response, so it may go on for a moment.
    const end = () => response.end();
    const late = setTimeout(end, LINGER_MS);
    this.#request.resume().once('close', end);
    response.once('close', () => clearTimeout(late));
  }

  open(status: number, headers: ResponseHeaders): void {
    if (this.isGone || this.#response.headersSent) return;
    this.#response.writeHead(status, headers);
    this.#response.flushHeaders();
  }

  write(text: string): void {
    if (!this.isGone) this.#response.write(text);
  }

  end(): void {
    if (!this.isGone) this.#response.end();
  }

  destroy(): void {
    const response = this.#response;
    // A response that waits for earlier ones on its connection has no socket to destroy.
    const isQueued = response.socket === null && !response.writableFinished;
    response.destroy();
    if (isQueued) this.#request.socket.destroy();
  }

  get isOpened(): boolean {
    return this.#response.headersSent;
  }

  get isEnded(): boolean {
    return this.#response.writableEnded;
  }

  get isGone(): boolean {
    return this.#response.destroyed || this.#response.writableEnded;
  }

  get queuedBytes(): number {
    return this.#response.writableLength;
  }

  drained(): Promise<void> {
    const response = this.#response;
    if (this.isGone || !response.writableNeedDrain) return Promise.resolve();
    return new Promise((resolve) => {
      const settle = () => {
        response.off('drain', settle);
        response.off('close', settle);
        resolve();
      };
      response.on('drain', settle);
      response.on('close', settle);
    });
  }

  onClose(listener: () => void): void {
    const response = this.#response;
    // Node does not emit `close` for a response that waits for earlier ones on its connection.
    const queuedOn = response.socket === null && !response.destroyed ? this.#request.socket : undefined;
    const closed = () => {
      queuedOn?.off('close', closed);
      response.off('close', closed);
      listener();
    };
    response.on('close', closed);
    response.on('error', ignore); // `close` follows
    queuedOn?.setMaxListeners(0).on('close', closed);
    // The client may have gone while the request was being authorized.
    if (response.destroyed) queueMicrotask(closed);
  }
}

/** Writes head and body at once. Given to `end`, they would go to the socket as a list, which takes longer. */
function sendWhole(response: ServerResponse, body: string, bytes: number): void {
  // With one byte for each character it is ASCII, which is the same in Latin-1, and that is faster to encode.
  response.write(body, bytes === body.length ? 'latin1' : 'utf8');
  response.socket?.uncork();
  response.end();
}

/** The path of a request target, in origin form (`/mcp?x`) or absolute form (`http://host/mcp`). */
export function pathOf(target = '/'): string {
  if (target.startsWith('/')) {
    const query = target.indexOf('?');
    return query === -1 ? target : target.slice(0, query);
  }
  return URL.canParse(target) ? new URL(target).pathname : target;
}

function withinLimit(body: Body, maxBytes: number): Body {
  return body.kind === 'text' && body.bytes > maxBytes ? { kind: 'unusable', why: 'too large' } : body;
}

function asBody(parsed: unknown): Body {
  if (typeof parsed === 'string') return { kind: 'text', text: parsed, bytes: Buffer.byteLength(parsed) };
  if (Buffer.isBuffer(parsed)) return decoded(parsed);
  try {
    // Written and read again, so that the limits apply to what a body parser let through.
    return asBody(JSON.stringify(parsed));
  } catch {
    return { kind: 'unusable', why: 'too large' }; // it is nested deeper than the stack
  }
}

/** Reads a body up to a limit and calls `done` once. A callback, because promises slow down small requests. */
export function readBody(
  request: IncomingMessage,
  limits: BodyLimits,
  client: string | undefined,
  done: (body: Body) => void,
): void {
  if (Number(request.headers['content-length']) > limits.maxBytes) done({ kind: 'unusable', why: 'too large' });
  else process.nextTick(readWhole, request, limits, client, done);
}

/** Most bodies arrive in one piece with their headers and are there on the next tick, so no listener is needed. */
function readWhole(
  request: IncomingMessage,
  limits: BodyLimits,
  client: string | undefined,
  done: (body: Body) => void,
): void {
  const { readableLength } = request;
  if (readableLength === 0 || readableLength !== Number(request.headers['content-length'])) {
    readStream(request, limits, client, done);
    return;
  }
  const body: Buffer = request.read();
  // A stream without a reader does not emit `end`; others may wait for it.
  if (request.listenerCount('end') > 0 || request.listenerCount('close') > 0) request.resume();
  done(decoded(body));
}

function readStream(
  request: IncomingMessage,
  { maxBytes, timeoutMs, budget }: BodyLimits,
  client: string | undefined,
  done: (body: Body) => void,
): void {
  const buffer = new BodyBuffer(maxBytes, budget, client);
  let isDone = false;
  const finish = (body: Body) => {
    if (isDone) return;
    isDone = true;
    clearTimeout(late);
    buffer.release();
    request.off('data', take);
    done(body);
  };
  const take = (chunk: Buffer) => {
    const why = buffer.add(chunk);
    if (why !== undefined) finish({ kind: 'unusable', why });
  };
  const late = setTimeout(() => finish({ kind: 'unusable', why: 'late' }), timeoutMs).unref();
  request.on('data', take);
  request.on('end', () => finish(decoded(asBuffer(buffer.bytes))));
  const broken = () => finish({ kind: 'unusable', why: 'truncated' });
  request.on('error', broken);
  request.on('close', broken);
  // The client may have gone while the request was being authorized.
  if (request.destroyed) broken();
}

function decoded(body: Buffer): Body {
  const text = body.toString();
  return text.includes('\ufffd') && !isUtf8(body)
    ? { kind: 'unusable', why: 'not UTF-8' }
    : { kind: 'text', text, bytes: body.length };
}

function asBuffer({ buffer, byteOffset, length }: Uint8Array): Buffer {
  return Buffer.from(buffer, byteOffset, length);
}
