import { type Arrival, requestOf } from '../../../jsonrpc/codec.ts';
import { ErrorCode } from '../../../jsonrpc/errors.ts';
import type { RequestId } from '../../../jsonrpc/message.ts';
import { ALL_VERSIONS } from '../../../protocol/revisions/all.ts';
import { StoreUnavailable } from '../../../protocol/store-unavailable.ts';
import type { BodyLimits, BodyProblem, HttpCall, ResponseHeaders } from './http-call.ts';
import { describeFailure, statusOfFailure } from './status.ts';

export interface RefusalOptions {
  readonly headers?: ResponseHeaders;
  /** Default -32000. */
  readonly code?: number;
  /** The id of the refused request, if it could be read. */
  readonly id?: RequestId | undefined;
}

const SESSION_NOT_FOUND = -32001;

/** Responds with a JSON-RPC error that says why. */
export function refuse(call: HttpCall, status: number, message: string, options: RefusalOptions = {}): void {
  if (call.isOpened) call.destroy();
  else call.send(status, { 'Content-Type': 'application/json', ...options.headers }, errorText(message, options));
}

export function refuseSession(call: HttpCall): void {
  refuse(call, 404, 'Session not found', { code: SESSION_NOT_FOUND });
}

/** For a failure of this server, before any handler was called. */
export function refuseFailure(call: HttpCall, error: unknown): void {
  const isTemporary = error instanceof StoreUnavailable;
  const message = describeFailure(error, 'Internal server error: the request was not carried out');
  const headers: ResponseHeaders = isTemporary ? { 'Retry-After': '1' } : {};
  refuse(call, statusOfFailure(error), message, { code: ErrorCode.InternalError, headers });
}

/** For revisions with sessions: refuses a version header that names an unsupported revision. */
export function refuseVersion(call: HttpCall, id?: RequestId): boolean {
  const version = call.headers['mcp-protocol-version'];
  if (typeof version !== 'string' || ALL_VERSIONS.includes(version)) return false;
  const message = `Unsupported protocol version in the header: ${version}; supported are ${ALL_VERSIONS.join(', ')}`;
  refuse(call, 400, message, { code: ErrorCode.InvalidRequest, id });
  return true;
}

export function refuseBody(call: HttpCall, why: BodyProblem, { maxBytes, timeoutMs }: BodyLimits): void {
  if (why === 'truncated') {
    call.destroy();
  } else if (why === 'not UTF-8') {
    refuse(call, 400, 'Parse error: the body is not valid UTF-8', { code: ErrorCode.ParseError });
  } else if (why === 'late') {
    refuseUnread(call, 408, `The body did not arrive within ${timeoutMs} ms`);
  } else if (why === 'no room') {
    refuseUnread(call, 503, 'This server receives too much at once; try again later');
  } else {
    refuseUnread(call, 413, `The body is larger than the limit of ${maxBytes} bytes`);
  }
}

/** A mistake in the program, so the program learns of it, too. */
export function refuseConsumed(call: HttpCall, advice: string, onError: (error: Error) => void): void {
  const message = `The body was read before the MCP handler got the request. ${advice}`;
  onError(new Error(message));
  refuse(call, 500, message);
}

function refuseUnread(call: HttpCall, status: number, message: string): void {
  call.sendUnread(status, { 'Content-Type': 'application/json' }, errorText(message, {}));
}

function errorText(message: string, { code = ErrorCode.LimitReached, id }: RefusalOptions): string {
  return JSON.stringify({ jsonrpc: '2.0', id, error: { code, message } });
}

/** For a message before `initialize`. */
export function refuseWithoutSession(arrival: Arrival, call: HttpCall): void {
  const request = requestOf(arrival);
  if (arrival.kind === 'malformed') {
    const { error, id } = arrival.malformed;
    refuse(call, 400, error.message, { code: error.code, id });
  } else {
    const options = { code: ErrorCode.InvalidRequest, id: request?.id };
    refuse(call, 400, 'Mcp-Session-Id is missing: send initialize first', options);
  }
}
