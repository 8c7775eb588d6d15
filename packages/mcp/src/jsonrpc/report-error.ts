const MAX_CAUSES = 5;

/** The default of every `onError`: writes the error, its stack and its causes to stderr. */
export function reportOnStderr(error: Error): void {
  let text = `mcp: ${error.stack ?? error.message}`;
  let { cause } = error;
  for (let n = 0; n < MAX_CAUSES && cause instanceof Error; n += 1) {
    text += `\n  caused by ${cause.stack ?? cause.message}`;
    cause = cause.cause;
  }
  console.error(text);
}

/** Gives what a callback threw to `onError`. What `onError` throws is written to stderr. */
export function reportError(thrown: unknown, onError: (error: Error) => void): void {
  try {
    onError(thrown instanceof Error ? thrown : new Error(String(thrown)));
  } catch (failure) {
    console.error(failure);
  }
}
