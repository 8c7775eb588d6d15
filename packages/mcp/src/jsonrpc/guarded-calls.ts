import { guard } from './report-error.ts';
import { whenKnown } from './thenable.ts';
import { inTime } from './waiting.ts';

type Stop<Args extends unknown[]> = (...args: Args) => void;

/** How an object of the user is called. */
export interface GuardedCalls {
  /** What the call returns; rejects where it throws, and where it does not settle in time. */
  call<T>(call: () => T | Promise<T>): T | Promise<T>;
  /** The same for a call that returns a function to stop what it has begun. What that throws goes to `failed`. */
  begin<Args extends unknown[]>(call: () => Stop<Args> | Promise<Stop<Args>>): Stop<Args> | Promise<Stop<Args>>;
}

/** `late` makes the error for a call that has not settled after this time. */
export function guardedCalls(milliseconds: number, late: () => Error, failed: (thrown: unknown) => void): GuardedCalls {
  const call = <T>(begin: () => T | Promise<T>) => {
    try {
      return inTime(begin(), milliseconds, late);
    } catch (error) {
      return Promise.reject(error);
    }
  };
  const guarded =
    <Args extends unknown[]>(stop: Stop<Args>) =>
    (...args: Args) =>
      void guard(() => stop(...args), failed);
  return { call, begin: (begin) => call(() => whenKnown(begin(), (stop) => guarded(stop))) };
}
