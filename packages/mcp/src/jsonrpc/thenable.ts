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

/** Uses a value at once, or a promise's value when it is there. */
export function whenKnown<Known, Used>(
  value: Known | PromiseLike<Known>,
  use: (known: Known) => Used | Promise<Used>,
): Used | Promise<Used> {
  return isThenable(value) ? Promise.resolve(value as PromiseLike<Known>).then(use) : use(value as Known);
}

/**
 * Calls a handler of the user, and `finish` with its outcome. What either throws, and what the handler's
 * promise rejects with, goes to `failed`. Returns a promise only if the handler does.
 */
export function finished(
  handle: () => unknown,
  finish: (outcome: unknown) => unknown,
  failed: (thrown: unknown) => never,
): unknown {
  try {
    const outcome = handle();
    return promiseOf(outcome)?.then(finish).then(undefined, failed) ?? finish(outcome);
  } catch (thrown) {
    return failed(thrown);
  }
}
