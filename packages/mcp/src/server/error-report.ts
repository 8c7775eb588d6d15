import { asError } from '../jsonrpc/errors.ts';
import { reportError } from '../jsonrpc/report-error.ts';
import type { ServerSession } from './session.ts';

/** The source of an error. */
export interface ErrorSource {
  /** What failed, in words: `tool read_file`, `saving task 5f…`, `onState`. */
  readonly what: string;
  /** The session it concerns, if there is one. */
  readonly session?: ServerSession | undefined;
}

export type ErrorHandler = (error: Error, source: ErrorSource) => unknown;

/** Reports something that was thrown. Never throws. */
export type Report = (thrown: unknown, what: string, session?: ServerSession) => void;

/** Reports each error once, also when it passes through several functions that report. */
export function reportTo(onError: ErrorHandler = writeToStderr): Report {
  const reported = new WeakSet<Error>();
  return (thrown, what, session) => {
    const error = asError(thrown);
    if (reported.has(error)) return;
    reported.add(error);
    reportError(error, onError, { what, session });
  };
}

function writeToStderr(error: Error, { what }: ErrorSource): void {
  console.error(`mcp: ${what} failed: ${error.stack ?? error.message}`);
}
