import { guard } from './report-error.ts';
import { isThenable } from './thenable.ts';

type Stop = () => void;

/** The value, or a promise that rejects with what `late` makes if it does not settle in time. */
export function inTime<T>(value: T | Promise<T>, milliseconds: number, late: () => Error): T | Promise<T> {
  if (!isThenable(value)) return value;
  return new Promise<T>((resolve, reject) => {
    const timer = setTimeout(() => reject(late()), Math.min(milliseconds, MAX_TIMER_MS));
    const settled = () => clearTimeout(timer);
    (value as Promise<T>).then(
      (known) => {
        settled();
        resolve(known);
      },
      (thrown) => {
        settled();
        reject(thrown);
      },
    );
  });
}

/** The longest delay of a timer. */
const MAX_TIMER_MS = 2 ** 31 - 1;

/** Calls a function of the user. Turns a throw into a rejection. */
export function rejecting<T>(call: () => T | Promise<T>): T | Promise<T> {
  try {
    return call();
  } catch (error) {
    return Promise.reject(error);
  }
}

/** The same for a call that returns a function to stop what it has begun. What that throws goes to `failed`. */
export function rejectingStop(
  call: () => Stop | Promise<Stop>,
  failed: (thrown: unknown) => void,
): Stop | Promise<Stop> {
  const guarded = (stop: Stop) => () => void guard(stop, failed);
  const stop = rejecting(call);
  return isThenable(stop) ? Promise.resolve(stop as Promise<Stop>).then(guarded) : guarded(stop as Stop);
}
