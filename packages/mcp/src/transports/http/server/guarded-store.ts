import type { HttpStore } from '../store.ts';

/** The store, with methods that reject where the user's throw: a failure then reaches the request that waits for the result. */
export function guardedStore(store: HttpStore): HttpStore {
  return {
    create: (...args) => rejecting(() => store.create(...args)),
    find: (...args) => rejecting(() => store.find(...args)),
    update: (...args) => rejecting(() => store.update(...args)),
    delete: (...args) => rejecting(() => store.delete(...args)),
    deleteUnused: (...args) => rejecting(() => store.deleteUnused(...args)),
    append: (...args) => rejecting(() => store.append(...args)),
    locate: (...args) => rejecting(() => store.locate(...args)),
    follow: (...args) => rejecting(() => store.follow(...args)),
    renew: (...args) => rejecting(() => store.renew(...args)),
  };
}

function rejecting<T>(call: () => T | Promise<T>): T | Promise<T> {
  try {
    return call();
  } catch (error) {
    return Promise.reject(error);
  }
}
