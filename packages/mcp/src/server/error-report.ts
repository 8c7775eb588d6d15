import { messageOf } from '../jsonrpc/errors.ts';
import { isThenable } from '../jsonrpc/thenable.ts';
import type { ServerSession } from './session.ts';

/** Where an error came from. */
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
    const error = thrown instanceof Error ? thrown : new Error(messageOf(thrown));
    if (reported.has(error)) return;
    reported.add(error);
    const source = { what, session };
    const onErrorFailed = (failure: unknown) => {
      writeToStderr(error, source);
      writeToStderr(failure, { what: 'onError' });
    };
    try {
      const outcome = onError(error, source);
      if (isThenable(outcome)) outcome.then(undefined, onErrorFailed);
    } catch (failure) {
      onErrorFailed(failure);
    }
  };
}

function writeToStderr(error: unknown, { what }: ErrorSource): void {
  const text = error instanceof Error ? (error.stack ?? error.message) : messageOf(error);
  console.error(`mcp: ${what} failed: ${text}`);
}
