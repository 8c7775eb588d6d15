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
