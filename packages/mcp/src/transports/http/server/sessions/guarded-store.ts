import { asError } from '../../../../jsonrpc/errors.ts';
import { rejecting, rejectingStop } from '../../../../jsonrpc/rejecting.ts';
import { inTime } from '../../../../jsonrpc/waiting.ts';
import { StoreUnavailable } from '../../../../protocol/store-unavailable.ts';
import type { HttpStore } from '../../store.ts';

/** The store, with methods that reject instead of throwing or never settling: the request that waits gets the failure. */
export function guardedStore(store: HttpStore, onError: (error: Error) => void, timeoutMs: number): HttpStore {
  const late = () => new StoreUnavailable(`The session store did not settle within ${timeoutMs} ms`);
  const guarded = <T>(call: () => T | Promise<T>) => inTime(rejecting(call), timeoutMs, late);
  return {
    create: (...args) => guarded(() => store.create(...args)),
    find: (...args) => guarded(() => store.find(...args)),
    update: (...args) => guarded(() => store.update(...args)),
    delete: (...args) => guarded(() => store.delete(...args)),
    deleteUnused: (...args) => guarded(() => store.deleteUnused(...args)),
    append: (...args) => guarded(() => store.append(...args)),
    erase: (...args) => guarded(() => store.erase?.(...args)),
    locate: (...args) => guarded(() => store.locate(...args)),
    follow: (...args) => {
      const stop = rejectingStop(
        () => store.follow(...args),
        (thrown) => onError(asError(thrown)),
      );
      return inTime(stop, timeoutMs, late);
    },
    renew: (...args) => guarded(() => store.renew(...args)),
  };
}
