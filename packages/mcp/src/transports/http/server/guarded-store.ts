import { asError } from '../../../jsonrpc/errors.ts';
import { rejecting, rejectingStop } from '../../../jsonrpc/rejecting.ts';
import type { HttpStore } from '../store.ts';

/** The store, with methods that reject instead of throwing, so that the request that waits for the result gets the failure. */
export function guardedStore(store: HttpStore, onError: (error: Error) => void): HttpStore {
  return {
    create: (...args) => rejecting(() => store.create(...args)),
    find: (...args) => rejecting(() => store.find(...args)),
    update: (...args) => rejecting(() => store.update(...args)),
    delete: (...args) => rejecting(() => store.delete(...args)),
    deleteUnused: (...args) => rejecting(() => store.deleteUnused(...args)),
    append: (...args) => rejecting(() => store.append(...args)),
    locate: (...args) => rejecting(() => store.locate(...args)),
    follow: (...args) =>
      rejectingStop(
        () => store.follow(...args),
        (thrown) => onError(asError(thrown)),
      ),
    renew: (...args) => rejecting(() => store.renew(...args)),
  };
}
