/** Calls `onError`; what it throws is written to stderr. */
export function reportError(error: unknown, onError: (error: Error) => void): void {
  try {
    onError(error instanceof Error ? error : new Error(String(error)));
  } catch (failure) {
    console.error(failure);
  }
}
