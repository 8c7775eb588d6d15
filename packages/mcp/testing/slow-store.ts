import type { HttpStore } from '../src/transports/http/store.ts';
import { memoryStore } from '../src/transports/http/stores/memory.ts';

/**
 * A store as it would be on another machine: every call is answered with a promise, a turn of the event loop later, and
 * what goes in and out is JSON. Several may share what they keep.
 */
export function slowStore(kept: HttpStore = memoryStore()): HttpStore {
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
  return {
    save: (session, state) => {
      const text = JSON.stringify(state);
      return later(() => kept.save(session, JSON.parse(text)));
    },
    find: (session) =>
      later(() => {
        const state = kept.find(session);
        return state === undefined ? undefined : JSON.parse(JSON.stringify(state));
      }),
    delete: (session) => later(() => kept.delete(session)),
    deleteUnused: (session, milliseconds) => later(() => kept.deleteUnused(session, milliseconds)),
    append: (session, stream, event) => later(() => kept.append(session, stream, event)),
    locate: (session, eventId) => later(() => kept.locate(session, eventId)),
    follow: (session, stream, after, listener) => {
      let stop = () => {};
      let stopped = false;
      setImmediate(() => {
        if (stopped) return;
        stop = kept.follow(session, stream, after, (event) => {
          setImmediate(() => {
            if (!stopped) listener({ ...event });
          });
        });
      });
      return () => {
        stopped = true;
        stop();
      };
    },
  };
}

/** What a test of everything above a store is run on. */
export const STORES: readonly [answers: string, make: () => HttpStore][] = [
  ['at once', () => memoryStore()],
  ['with promises', () => slowStore()],
];
