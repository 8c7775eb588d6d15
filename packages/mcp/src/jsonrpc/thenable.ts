/** Any promise, of whatever realm or library. */
export function isThenable(value: unknown): value is PromiseLike<unknown> {
  return typeof value === 'object' && value !== null && typeof (value as { then?: unknown }).then === 'function';
}

/**
 * The promise of what a callback returned, or undefined if it returned a value. Use it before calling `then`: the `then`
 * of another library may return nothing, throw, or call back twice.
 */
export function promiseOf(returned: unknown): Promise<unknown> | undefined {
  if (returned instanceof Promise) return returned;
  return isThenable(returned) ? Promise.resolve(returned) : undefined;
}
