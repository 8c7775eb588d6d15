import { MAX_TIMEOUT_MS, unref } from './deadlines.ts';
import { isThenable } from './thenable.ts';

/** The value, or a promise that rejects with what `late` makes if it does not settle in time. */
export function inTime<T>(value: T | Promise<T>, milliseconds: number, late: () => Error): T | Promise<T> {
  if (!isThenable(value)) return value;
  return new Promise<T>((resolve, reject) => {
    const timer = setTimeout(() => reject(late()), Math.max(0, Math.min(milliseconds, MAX_TIMEOUT_MS)));
    Promise.resolve(value as PromiseLike<T>)
      .finally(() => clearTimeout(timer))
      .then(resolve, reject);
  });
}

/** Settles after this time, or when the promise has settled: then with true. Rejects as the promise does. */
export async function settlesWithin(milliseconds: number, settling: Promise<unknown>): Promise<boolean> {
  let timer: ReturnType<typeof setTimeout> | undefined;
  const late = new Promise<boolean>((resolve) => {
    timer = setTimeout(resolve, milliseconds, false);
  });
  const isSettled = await Promise.race([settling.then(() => true), late]);
  clearTimeout(timer);
  return isSettled;
}

/** Rejects with the signal's reason when it aborts. */
export function sleep(milliseconds: number, signal: AbortSignal): Promise<void> {
  return new Promise((resolve, reject) => {
    signal.throwIfAborted();
    const onAbort = () => {
      clearTimeout(timer);
      reject(signal.reason);
    };
    const timer = setTimeout(() => {
      signal.removeEventListener('abort', onAbort);
      resolve();
    }, milliseconds);
    signal.addEventListener('abort', onAbort, { once: true });
  });
}

/** Settles after this time, or when the signal aborts. Does not keep the process alive. */
export function pause(milliseconds: number, signal?: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    const done = () => {
      clearTimeout(timer);
      signal?.removeEventListener('abort', done);
      resolve();
    };
    const timer = unref(setTimeout(done, milliseconds));
    signal?.addEventListener('abort', done, { once: true });
  });
}

/** Settles as the promise does, or rejects with the signal's reason, whichever comes first. */
export function untilAborted<T>(promise: T | PromiseLike<T>, signal: AbortSignal): Promise<T> {
  return new Promise((resolve, reject) => {
    const aborted = () => reject(signal.reason);
    if (signal.aborted) aborted();
    signal.addEventListener('abort', aborted, { once: true });
    Promise.resolve(promise)
      .then(resolve, reject)
      .finally(() => signal.removeEventListener('abort', aborted));
  });
}
