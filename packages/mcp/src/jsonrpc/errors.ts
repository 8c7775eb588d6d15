import type { ErrorObject, Failure, Response } from './message.ts';

export const ErrorCode = {
  ParseError: -32700,
  InvalidRequest: -32600,
  MethodNotFound: -32601,
  InvalidParams: -32602,
  InternalError: -32603,
  /** Ours, from the range left to implementations: a limit of this side was reached. */
  LimitReached: -32000,
  /** Responds to a cancelled request, if the option `respondToCancelled` is on. */
  RequestCancelled: -32800,
} as const;

/** An error the peer may see. Throw it in a handler to choose the code. */
export class RpcError extends Error {
  override readonly name = 'RpcError';
  readonly code: number;
  readonly data: unknown;

  /** Throws a TypeError unless the code is a number and the message a string: no other error can be sent. */
  constructor(code: number, message: string, data?: unknown) {
    if (typeof code !== 'number' || Number.isNaN(code) || typeof message !== 'string') {
      throw new TypeError("RpcError takes a number and a text. Write new RpcError(-32000, 'The cart is full')");
    }
    super(message);
    this.code = code;
    this.data = data;
  }
}

/** The connection has closed. */
export class ConnectionClosed extends Error {
  override readonly name = 'ConnectionClosed';
}

/** The peer did not respond in time. */
export class RequestTimeout extends Error {
  override readonly name = 'RequestTimeout';
}

/** A message did not reach the peer, or its response did not arrive. The request may have been processed. */
export class NetworkError extends Error {
  override readonly name = 'NetworkError';
  /** The system's code, such as ECONNREFUSED; undefined when there is none. */
  readonly code: string | undefined;

  constructor(message: string, options: { readonly code?: string | undefined; readonly cause?: unknown } = {}) {
    super(message, options.cause === undefined ? undefined : { cause: options.cause });
    this.code = options.code;
  }
}

/** The peer sent more than a limit of this side allows. */
export class LimitExceeded extends Error {
  override readonly name = 'LimitExceeded';
}

/** The peer has reported an error that belongs to no request. Its text is the peer's. */
export class ErrorFromPeer extends Error {
  override readonly name = 'ErrorFromPeer';
}

/** The peer sent a response that does not have the form that the protocol prescribes. */
export class InvalidResponse extends Error {
  override readonly name = 'InvalidResponse';
}

/** A message holds a value that JSON cannot express. */
export class NotSerializable extends Error {
  override readonly name = 'NotSerializable';
}

/** Turns what a handler threw into an error for the wire. Nothing else does. Never throws. */
export function toErrorObject(thrown: unknown): ErrorObject {
  const error = asError(thrown);
  if (!(error instanceof RpcError)) {
    return { code: ErrorCode.InternalError, message: `Internal error: ${messageOf(error)}` };
  }
  const { code, message, data } = error;
  // Plain JavaScript may give an error any code and message.
  const known = {
    code: Number.isSafeInteger(code) ? code : ErrorCode.InternalError,
    message: typeof message === 'string' ? message : messageOf(error),
  };
  return data === undefined ? known : { ...known, data };
}

/** The error to send in place of a response that cannot be written as JSON. */
export function unserializable(response: Response, thrown: unknown): Failure {
  const why = thrown instanceof NotSerializable ? thrown.message : 'unknown reason';
  const message = `Internal error: the response cannot be written as JSON: ${why}`;
  return { jsonrpc: '2.0', id: response.id ?? null, error: { code: ErrorCode.InternalError, message } };
}

const MEMBERS = ['name', 'message', 'cause', 'code', 'data'];

/** What was thrown if it is an error whose members can be read, else a new error. Never throws. */
export function asError(thrown: unknown): Error {
  try {
    if (thrown instanceof Error) {
      for (const member of MEMBERS) Reflect.get(thrown, member); // a proxy or getter may throw
      return thrown;
    }
  } catch {
    // Described below.
  }
  return new Error(messageOf(thrown));
}

/** Never throws, whatever was thrown. */
export function messageOf(thrown: unknown): string {
  if (thrown === undefined || thrown === null) return 'no reason given';
  try {
    return String(thrown instanceof Error ? thrown.message || thrown.name : thrown);
  } catch {
    return 'no readable reason given';
  }
}
