import type { Principal, RequestHeaders } from '../../../protocol/origin.ts';
import type { ByteBudget } from './bodies/byte-budget.ts';

/**
 * One HTTP request and its response, for every runtime. The response is either sent whole with `send`, or opened with
 * `open`, written to and ended. After it has ended or the client has gone, every method does nothing.
 */
export interface HttpCall {
  readonly method: string;
  readonly headers: RequestHeaders;
  /** The path of the URL that the client sent, without its query. */
  readonly path: string;
  /** A parameter of the query of that URL. */
  parameter(name: string): string | undefined;
  /** The host in the request target, if it is an absolute URL: it counts in place of the Host header. */
  readonly targetHost: string | undefined;
  /** The address of the sender, if the runtime knows it. */
  readonly address: string | undefined;
  /** The client that limits count by, once the endpoint knows it. */
  client: string | undefined;
  /** Reads the body and calls `done` once. Takes the bytes that it holds from the budget. Called once at most. */
  readBody(limits: BodyLimits, done: (body: Body) => void): void;

  /** Adds a header to the response, before it is sent or opened. */
  setHeader(name: string, value: string): void;
  send(status: number, headers: ResponseHeaders, body: string): void;
  /** The same for a JSON body without further headers. */
  sendJson(status: number, body: string): void;
  /** The same for a request whose body is not read to its end. The connection closes afterwards. */
  sendUnread(status: number, headers: ResponseHeaders, body: string): void;
  open(status: number, headers: ResponseHeaders): void;
  write(text: string): void;
  end(): void;
  /** Breaks off the response. */
  destroy(): void;

  readonly isOpened: boolean;
  /** Whether the whole response was handed over; the client may not have read all of it yet. */
  readonly isEnded: boolean;
  /** Whether nothing more can be sent. */
  readonly isGone: boolean;
  /** Bytes that wait for the client to read them. */
  readonly queuedBytes: number;
  /** Settles when few bytes wait for the client, or the client has gone. */
  drained(): Promise<void>;
  /** Calls the listener once, when the response has been read or the client has gone. */
  onClose(listener: () => void): void;
}

export interface ResponseHeaders {
  readonly [name: string]: string;
}

export type Body =
  | { readonly kind: 'text'; readonly text: string; readonly bytes: number }
  | { readonly kind: 'unusable'; readonly why: BodyProblem }
  /** Something before the handler has read it. `advice` says how to pass it on. */
  | { readonly kind: 'consumed'; readonly advice: string };

export interface BodyLimits {
  readonly maxBytes: number;
  /** Milliseconds in which the body must arrive. */
  readonly timeoutMs: number;
  readonly budget: ByteBudget;
}

export type BodyProblem = 'too large' | 'no room' | 'truncated' | 'late' | 'not UTF-8';

/** What `clientOf` gets to see of a request. */
export interface LimitedRequest {
  readonly headers: RequestHeaders;
  readonly address?: string | undefined;
  readonly principal?: Principal | undefined;
}
