import { promiseOf } from '../../../jsonrpc/thenable.ts';
import type { HttpStore } from '../store.ts';

/** The store, with methods that reject where the user's throw: a failure then reaches the request that waits for the result. */
export function guardedStore(store: HttpStore): HttpStore {
  return {
    save: (...args) => rejecting(() => store.save(...args)),
    find: (...args) => rejecting(() => store.find(...args)),
    delete: (...args) => rejecting(() => store.delete(...args)),
    deleteUnused: (...args) => rejecting(() => store.deleteUnused(...args)),
    append: (...args) => rejecting(() => store.append(...args)),
    locate: (...args) => rejecting(() => store.locate(...args)),
    follow: (...args) => {
      const stop: unknown = store.follow(...args);
      if (typeof stop === 'function') return stop as () => void;
      promiseOf(stop)?.catch(() => {}); // the error below is reported
      throw new TypeError(
        'The follow method of an HttpStore must return a function that stops it, not a promise of one',
      );
    },
  };
}

function rejecting<T>(call: () => T | Promise<T>): T | Promise<T> {
  try {
    return call();
  } catch (error) {
    return Promise.reject(error);
  }
}
