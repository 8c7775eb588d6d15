import { guard } from './report-error.ts';
import { isThenable } from './thenable.ts';

type Stop = () => void;

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
