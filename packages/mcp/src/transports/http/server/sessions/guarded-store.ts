import { asError } from '../../../../jsonrpc/errors.ts';
import { guardedCalls } from '../../../../jsonrpc/guarded-calls.ts';
import { StoreUnavailable } from '../../../../protocol/store-unavailable.ts';
import type { HttpStore } from '../../store.ts';

/** The store, with methods that reject instead of throwing or never settling: the request that waits gets the failure. */
export function guardedStore(store: HttpStore, onError: (error: Error) => void, timeoutMs: number): HttpStore {
  const late = () => new StoreUnavailable(`The session store did not settle within ${timeoutMs} ms`);
  const { call, begin } = guardedCalls(timeoutMs, late, (thrown) => onError(asError(thrown)));
  return {
    create: (...args) => call(() => store.create(...args)),
    find: (...args) => call(() => store.find(...args)),
    update: (...args) => call(() => store.update(...args)),
    delete: (...args) => call(() => store.delete(...args)),
    deleteUnused: (...args) => call(() => store.deleteUnused(...args)),
    append: (...args) => call(() => store.append(...args)),
    erase: (...args) => call(() => store.erase?.(...args)),
    locate: (...args) => call(() => store.locate(...args)),
    follow: (...args) => begin(() => store.follow(...args)),
    renew: (...args) => call(() => store.renew(...args)),
  };
}
