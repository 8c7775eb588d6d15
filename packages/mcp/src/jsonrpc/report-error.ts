import { asError, ErrorFromPeer, messageOf } from './errors.ts';
import { promiseOf } from './thenable.ts';

const MAX_CAUSES = 5;

/** The default of every `onError`: writes the error, its stack and its causes to stderr. */
export function reportOnStderr(error: Error): void {
  let text = `mcp: ${describeError(error)}`;
  try {
    let { cause } = error;
    for (let n = 0; n < MAX_CAUSES && cause instanceof Error; n += 1) {
      text += `\n  caused by ${describeError(cause)}`;
      cause = cause.cause;
    }
  } catch {
    // A cause that can't be read.
  }
  console.error(text);
}

/** The error in words and its stack, for a log. Texts of others can neither begin a line nor control a terminal. */
export function describeError(error: Error): string {
  const text = printable(messageOf(error));
  if (error instanceof ErrorFromPeer) return text;
  try {
    const frames = String(error.stack ?? '')
      .split('\n')
      .filter((line) => /^ {4}at /.test(line));
    return [`${printable(String(error.name))}: ${text}`, ...frames.map(printable)].join('\n');
  } catch {
    return text;
  }
}

function printable(text: string): string {
  return text.replace(/[\p{Cc}\u2028\u2029\u202a-\u202e\u2066-\u2069]/gu, (control) =>
    control === '\n' ? '\\n' : `\\u${control.charCodeAt(0).toString(16).padStart(4, '0')}`,
  );
}

/** Gives what a callback threw to `onError`. If that fails too, both errors are written to stderr. Never throws. */
export function reportError<Source extends unknown[]>(
  thrown: unknown,
  onError: (error: Error, ...source: Source) => unknown,
  ...source: Source
): void {
  const error = asError(thrown);
  const failed = (failure: unknown) => {
    reportOnStderr(error);
    reportOnStderr(asError(failure));
  };
  guard(() => onError(error, ...source), failed);
}

/**
 * Runs a callback of the user. What it throws, or its promise rejects with, goes to `failed`, which must not throw.
 * False if it threw.
 */
export function guard(callback: () => unknown, failed: (thrown: unknown) => void): boolean {
  try {
    promiseOf(callback())?.then(undefined, failed);
    return true;
  } catch (thrown) {
    failed(thrown);
    return false;
  }
}
