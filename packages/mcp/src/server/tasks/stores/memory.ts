import { hasEnded, type TaskMessage, type TaskRecord, type TaskStore } from '../task-store.ts';

export interface MemoryTaskStoreOptions {
  /** When there are more, the oldest task that has ended is removed. Default 1000. */
  readonly maxTasks?: number;
}

/** Stores tasks in the memory of this process. */
export function memoryTaskStore({ maxTasks = 1000 }: MemoryTaskStoreOptions = {}): TaskStore {
  const records = new Map<string, TaskRecord>();
  const saved = new Listeners<TaskRecord>();
  const sent = new Listeners<TaskMessage>();

  const makeRoom = () => {
    const now = Date.now();
    for (const [id, { expires }] of records) if (expires < now) records.delete(id);
    for (const [id, { task }] of records) {
      if (records.size < maxTasks) return;
      if (hasEnded(task.status)) records.delete(id);
    }
  };

  return {
    save: (id, record) => {
      if (records.size >= maxTasks && !records.has(id)) makeRoom();
      records.set(id, record);
      saved.call(id, record);
    },
    find: (id) => {
      const record = records.get(id);
      if (record === undefined || record.expires >= Date.now()) return record;
      records.delete(id);
      return undefined;
    },
    watch: (id, listener) => saved.add(id, listener),
    send: (id, message) => sent.call(id, message),
    receive: (id, listener) => sent.add(id, listener),
  };
}

class Listeners<T> {
  readonly #byTask = new Map<string, Set<(value: T) => void>>();

  add(id: string, listener: (value: T) => void): () => void {
    const listeners = this.#byTask.get(id) ?? new Set();
    this.#byTask.set(id, listeners.add(listener));
    return () => {
      listeners.delete(listener);
      if (listeners.size === 0 && this.#byTask.get(id) === listeners) this.#byTask.delete(id);
    };
  }

  call(id: string, value: T): void {
    for (const listener of this.#byTask.get(id) ?? []) listener(value);
  }
}
