import type { HttpStore, StoredState } from '../src/transports/http/store.ts';
import { memoryStore } from '../src/transports/http/stores/memory.ts';

/**
 * A store as it would be on another machine: every call gets a promise, a turn of the event loop later, and
 * what goes in and out is JSON. Several may share what they keep.
 */
export function slowStore(inner: HttpStore = memoryStore()): HttpStore {
  const later = <T>(work: () => T | Promise<T>): Promise<T> => {
    return new Promise((resolve, reject) => {
      setImmediate(() => {
        try {
          resolve(work());
        } catch (error) {
          reject(error);
        }
      });
    });
  };
  const copy = <T>(value: T): T => (value === undefined ? value : JSON.parse(JSON.stringify(value)));
  const copyState = (found: StoredState | undefined) => {
    return found && { state: copy(found.state), version: found.version, position: found.position };
  };
  return {
    create: (session, state, options) => {
      const copied = copy(state);
      return later(() => inner.create(session, copied, options));
    },
    find: (session) => later(() => copyState(inner.find(session) as StoredState | undefined)),
    update: (session, state, version) => {
      const copied = copy(state);
      return later(() => inner.update(session, copied, version));
    },
    delete: (session) => later(() => inner.delete(session)),
    deleteUnused: (session, milliseconds) => later(() => inner.deleteUnused(session, milliseconds)),
    append: (session, stream, event) => later(() => inner.append(session, stream, event)),
    erase: (session, eventId) => later(() => inner.erase?.(session, eventId)),
    locate: (session, eventId) => later(() => inner.locate(session, eventId)),
    follow: (session, stream, start, follower) => {
      let stopped = false;
      const calling = (call: () => void) => setImmediate(() => stopped || call());
      return later(async () => {
        const stop = await inner.follow(session, stream, start, {
          event: (event) => calling(() => follower.event({ ...event })),
          changed: (stored) => {
            const copied = copyState(stored) as StoredState;
            calling(() => follower.changed?.(copied));
          },
          lost: (reason) => calling(() => follower.lost(reason)),
        });
        return (isBroken) => {
          stopped = true;
          stop(isBroken);
        };
      });
    },
    renew: (process, milliseconds) => later(() => inner.renew(process, milliseconds)),
  };
}

/** What a test of everything above a store is run on. */
export const STORES: readonly [returns: string, make: () => HttpStore][] = [
  ['at once', () => memoryStore()],
  ['with promises', () => slowStore()],
];
