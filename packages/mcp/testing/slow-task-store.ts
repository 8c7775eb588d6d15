import { memoryTaskStore } from '../src/server/tasks/stores/memory.ts';
import type { TaskStore } from '../src/server/tasks/task-store.ts';

/**
 * A store as it would be on another machine: every call gets a promise, a turn of the event loop later, and
 * what goes in and out is JSON. Several may share what they keep.
 */
export function slowTaskStore(inner: TaskStore = memoryTaskStore()): TaskStore {
  const copy = <T>(value: T): T => (value === undefined ? value : JSON.parse(JSON.stringify(value)));
  const later = <T>(work: () => T | Promise<T>): Promise<T> =>
    new Promise((resolve) => setImmediate(() => resolve(work())));
  /** Adds a listener whose calls come a turn later, until it is stopped. */
  const listening = (add: (call: (work: () => void) => void) => (() => void) | Promise<() => void>) => {
    let stopped = false;
    return later(async () => {
      const stop = await add((work) => setImmediate(() => stopped || work()));
      return () => {
        stopped = true;
        stop();
      };
    });
  };
  return {
    create: (id, record) => {
      const copied = copy(record);
      return later(() => inner.create(id, copied));
    },
    save: (id, record, owner) => {
      const copied = copy(record);
      return later(() => inner.save(id, copied, owner));
    },
    find: (id) => later(async () => copy(await inner.find(id))),
    watch: (id, watcher) =>
      listening((call) =>
        inner.watch(id, {
          changed: (record) => call(() => watcher.changed(copy(record))),
          expired: (record) => call(() => watcher.expired(copy(record))),
          lost: (reason) => call(() => watcher.lost(reason)),
        }),
      ),
    send: (id, message) => {
      const copied = copy(message);
      return later(() => inner.send(id, copied));
    },
    receive: (id, receiver) =>
      listening((call) =>
        inner.receive(id, {
          message: (message) => call(() => receiver.message(copy(message))),
          lost: (reason) => call(() => receiver.lost(reason)),
        }),
      ),
    renew: (process, milliseconds) => later(() => inner.renew(process, milliseconds)),
    abandoned: () => later(() => inner.abandoned()),
  };
}
