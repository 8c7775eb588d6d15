import { asError, ErrorCode, RpcError, toErrorObject } from '../jsonrpc/errors.ts';
import type { ErrorObject } from '../jsonrpc/message.ts';
import { describeError, reportError } from '../jsonrpc/report-error.ts';
import { StoreUnavailable } from '../protocol/store-unavailable.ts';
import type { ServerSession } from './session.ts';

/** The source of an error. */
export interface ErrorSource {
  /** What failed, in words: `tool read_file`, `saving task 5f…`, `onState`. */
  readonly what: string;
  /** The session it concerns, if there is one. */
  readonly session?: ServerSession | undefined;
  /** With `maskErrors`: what a client gets in place of the message, to find the error in the log. */
  readonly id?: string | undefined;
}

export type ErrorHandler = (error: Error, source: ErrorSource) => unknown;

/** Reports something that was thrown. Never throws. */
export type Report = (thrown: unknown, what: string, session?: ServerSession) => void;

/** Reports each error once, also when it passes through several functions that report; says what clients read of it. */
export class ErrorReports {
  readonly #onError: ErrorHandler;
  readonly #maskErrors: boolean;
  /** Those that were reported, with their ids. */
  readonly #reported = new WeakMap<Error, string | undefined>();

  constructor(onError: ErrorHandler = writeToStderr, maskErrors = isProduction()) {
    this.#onError = onError;
    this.#maskErrors = maskErrors;
  }

  readonly report: Report = (thrown, what, session) => {
    const error = asError(thrown);
    if (this.#reported.has(error)) return;
    const id = this.#maskErrors ? crypto.randomUUID().slice(0, 8) : undefined;
    this.#reported.set(error, id);
    reportError(error, this.#onError, id === undefined ? { what, session } : { what, session, id });
  };

  /** The error to send for what a handler or a middleware threw. An RpcError is meant for the client; so is StoreUnavailable. */
  errorOf(thrown: unknown, method: string, session?: ServerSession): ErrorObject {
    const error = asError(thrown);
    if (!this.#maskErrors || error instanceof RpcError) return toErrorObject(error);
    this.report(error, `request ${method}`, session);
    if (error instanceof StoreUnavailable) return toErrorObject(error);
    const message = `Internal error. The server's log has the reason (id ${this.#reported.get(error)}).`;
    return { code: ErrorCode.InternalError, message };
  }
}

function writeToStderr(error: Error, { what, id }: ErrorSource): void {
  console.error(`mcp: ${what} failed${id === undefined ? '' : ` (id ${id})`}: ${describeError(error)}`);
}

/** Not every runtime has `process`. */
function isProduction(): boolean {
  return typeof process === 'object' && process.env?.NODE_ENV === 'production';
}
