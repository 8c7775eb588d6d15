import { largestShare } from '../../../jsonrpc/in-flight.ts';
import { storedBytes } from '../../../jsonrpc/limits.ts';
import { hasEnded, type TaskReceiver, type TaskRecord, type TaskStore, type TaskWatcher } from '../task-store.ts';
import { ExpiryTimer } from './expiry-timer.ts';

export interface MemoryTaskStoreOptions {
  /** When there are more, the oldest task that has ended, of the principal that has the most, is removed. Default 1000. */
  readonly maxTasks?: number;
  /** Bytes of all tasks. When there are more, tasks that have ended are removed in the same way. Default 256 MiB. */
  readonly maxBytes?: number;
}

export const MEMORY_TASK_STORE_LIMITS: Required<MemoryTaskStoreOptions> = {
  maxTasks: 1000,
  maxBytes: 256 * 1024 * 1024,
};

interface Watching {
  readonly watchers: Set<TaskWatcher>;
  readonly expiry: ExpiryTimer;
}

/** Stores tasks in the memory of this process. */
export function memoryTaskStore(options: MemoryTaskStoreOptions = {}): TaskStore {
  const { maxTasks = MEMORY_TASK_STORE_LIMITS.maxTasks, maxBytes = MEMORY_TASK_STORE_LIMITS.maxBytes } = options;
  const records = new Map<string, TaskRecord>();
  /** The sizes of tasks that have ended, whose results may be large. */
  const sizes = new Map<string, number>();
  let bytes = 0;
  const watched = new Map<string, Watching>();
  const receivers = new Map<string, Set<TaskReceiver>>();
  /** When the lease of each process runs out. */
  const leases = new Map<string, number>();

  const remove = (id: string) => {
    records.delete(id);
    bytes -= sizes.get(id) ?? 0;
    sizes.delete(id);
  };
  /** Removes tasks that have expired, and ended ones of the principal that has the most, but not the one with this id. */
  const makeRoom = (newest: string) => {
    const now = Date.now();
    for (const [id, { expires }] of records) if (expires < now) remove(id);
    while (records.size + (records.has(newest) ? 0 : 1) > maxTasks || bytes > maxBytes) {
      const isFull = bytes > maxBytes;
      const ended = [...records].filter(([id, { task }]) => id !== newest && hasEnded(task.status));
      const [oldest] = largestShare(
        ended,
        ([, { startedBy }]) => startedBy,
        ([id]) => (isFull ? (sizes.get(id) ?? 0) : 1),
      );
      if (oldest === undefined) return;
      remove(oldest[0]);
    }
  };
  const find = (id: string): TaskRecord | undefined => {
    const record = records.get(id);
    if (record === undefined || record.expires >= Date.now()) return record;
    remove(id);
    return undefined;
  };
  const set = (id: string, record: TaskRecord) => {
    remove(id);
    records.set(id, record);
    if (hasEnded(record.task.status)) {
      const size = sizeOf(record);
      sizes.set(id, size);
      bytes += size;
      if (bytes > maxBytes) makeRoom(id);
    }
    const watching = watched.get(id);
    if (watching === undefined) return;
    watching.expiry.set(record.expires);
    for (const watcher of watching.watchers) watcher.changed(record);
  };
  const expired = (id: string) => {
    const { watchers = [] } = watched.get(id) ?? {};
    watched.delete(id);
    const record = records.get(id);
    remove(id);
    for (const watcher of watchers) {
      if (record === undefined) watcher.lost(new Error(`The task ${id} is gone`));
      else watcher.expired(record);
    }
  };
  const watch = (id: string): Watching => {
    let watching = watched.get(id);
    if (watching === undefined) {
      watching = { watchers: new Set(), expiry: new ExpiryTimer(() => expired(id)) };
      watched.set(id, watching);
      const record = records.get(id);
      if (record !== undefined) watching.expiry.set(record.expires);
    }
    return watching;
  };

  return {
    create: (id, record) => {
      if (records.size >= maxTasks && !records.has(id)) makeRoom(id);
      set(id, record);
    },
    save: (id, record, owner) => {
      const known = find(id);
      if (known === undefined || known.process !== owner || hasEnded(known.task.status)) return false;
      set(id, record);
      return true;
    },
    find,
    watch: (id, watcher) => {
      const watching = watch(id);
      watching.watchers.add(watcher);
      return () => {
        watching.watchers.delete(watcher);
        if (watching.watchers.size > 0) return;
        watching.expiry.stop();
        if (watched.get(id) === watching) watched.delete(id);
      };
    },
    send: (id, message) => {
      const listening = receivers.get(id);
      for (const receiver of listening ?? []) receiver.message(message);
      return listening !== undefined;
    },
    receive: (id, receiver) => {
      const listening = receivers.get(id) ?? new Set();
      receivers.set(id, listening.add(receiver));
      return () => {
        listening.delete(receiver);
        if (listening.size === 0 && receivers.get(id) === listening) receivers.delete(id);
      };
    },
    renew: (process, milliseconds) => {
      const now = Date.now();
      for (const [other, end] of leases) if (end < now) leases.delete(other);
      leases.set(process, now + milliseconds);
    },
    abandoned: () => {
      const now = Date.now();
      const isAbandoned = ({ task, process, expires }: TaskRecord) =>
        !hasEnded(task.status) && expires >= now && (leases.get(process) ?? 0) < now;
      return [...records].filter(([, record]) => isAbandoned(record)).map(([id]) => id);
    },
  };
}

function sizeOf(record: TaskRecord): number {
  try {
    return storedBytes(record);
  } catch {
    return 0; // a result that JSON can't express is never sent
  }
}
