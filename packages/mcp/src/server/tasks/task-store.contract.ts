import { describe, expect, it } from 'vitest';
import { Mailbox } from '../../../testing/mailbox.ts';
import { memoryTaskStore } from './stores/memory.ts';
import type { TaskMessage, TaskRecord, TaskStatus, TaskStore } from './task-store.ts';

const HOUR_MS = 3_600_000;

export function record(taskId: string, status: TaskStatus = 'working', expires = Date.now() + HOUR_MS): TaskRecord {
  const at = '2026-11-16T00:00:00.000Z';
  const task = { taskId, status, createdAt: at, lastUpdatedAt: at, ttlMs: HOUR_MS, pollIntervalMs: 1000 };
  return { task, expires };
}

/** What every store of tasks must do. */
export function describeTaskStore(name: string, make: () => TaskStore): void {
  describe(`${name} keeps the contract of a store of tasks`, () => {
    it('a task is found as it was last saved, until it expires', async () => {
      const store = make();
      expect(await store.find('a')).toBeUndefined();
      await store.save('a', record('a'));
      await store.save('b', record('b'));
      const { task, expires } = record('a', 'input_required');
      const inputRequests = { q: { method: 'roots/list' as const, params: { deep: [null, { text: 'é😀' }] } } };
      const asking: TaskRecord = { task: { ...task, inputRequests }, startedBy: 'principal', expires };
      await store.save('a', asking);
      expect(await store.find('a')).toEqual(asking);
      expect((await store.find('b'))?.task.taskId).toBe('b');
      await store.save('b', record('b', 'completed', Date.now() - 1));
      expect(await store.find('b')).toBeUndefined();
    });

    it('calls take effect in the order in which they are made', async () => {
      const store = make();
      const received = new Mailbox<TaskMessage>();
      store.receive('a', received.put);
      const saves = (['working', 'input_required', 'completed'] as const).map((is) => store.save('a', record('a', is)));
      const found = store.find('a');
      void store.send('a', { kind: 'answers', responses: { n: 1 } });
      void store.send('a', { kind: 'cancel' });
      await Promise.all(saves);
      expect((await found)?.task.status).toBe('completed');
      expect(await received.take()).toEqual({ kind: 'answers', responses: { n: 1 } });
      expect(await received.take()).toEqual({ kind: 'cancel' });
    });

    it('those who watch a task are handed what is saved of it from then on, each until it stops', async () => {
      const store = make();
      await store.save('a', record('a'));
      const [one, two] = [new Mailbox<TaskRecord>(), new Mailbox<TaskRecord>()];
      const stop = store.watch('a', one.put);
      store.watch('a', two.put);
      await store.save('b', record('b'));
      await store.save('a', record('a', 'input_required'));
      for (const { take } of [one, two]) expect((await take()).task).toMatchObject({ status: 'input_required' });
      stop();
      stop();
      await store.save('a', record('a', 'completed'));
      expect((await two.take()).task).toMatchObject({ taskId: 'a', status: 'completed' });
      expect(one.rest).toEqual([]);
    });

    it('a message to a task reaches its listener, from then on, until it stops', async () => {
      const store = make();
      await store.send('a', { kind: 'cancel' });
      const [a, b] = [new Mailbox<TaskMessage>(), new Mailbox<TaskMessage>()];
      const stop = store.receive('a', a.put);
      store.receive('b', b.put);
      await store.send('a', { kind: 'answers', responses: { text: 'é😀' } });
      expect(await a.take()).toEqual({ kind: 'answers', responses: { text: 'é😀' } });
      stop();
      await store.send('a', { kind: 'cancel' });
      await store.send('b', { kind: 'cancel' });
      expect(await b.take()).toEqual({ kind: 'cancel' });
      expect(a.rest).toEqual([]);
    });
  });
}

/**
 * A store as it would be on another machine: every call is answered with a promise, a turn of the event loop later, and
 * what goes in and out is JSON.
 */
export function slowTaskStore(kept: TaskStore = memoryTaskStore()): TaskStore {
  const copy = <T>(value: T): T => (value === undefined ? value : JSON.parse(JSON.stringify(value)));
  const later = <T>(work: () => T): Promise<T> => new Promise((resolve) => setImmediate(() => resolve(work())));
  const listening = <T>(add: (listener: (value: T) => void) => () => void, listener: (value: T) => void) => {
    let stopped = false;
    const stop = later(() =>
      add((value) => {
        const copied = copy(value);
        setImmediate(() => stopped || listener(copied));
      }),
    );
    return () => {
      stopped = true;
      void stop.then((end) => end());
    };
  };
  return {
    save: (id, saved) => {
      const copied = copy(saved);
      return later(() => void kept.save(id, copied));
    },
    find: (id) => later(() => copy(kept.find(id) as TaskRecord | undefined)),
    watch: (id, listener) => listening((each) => kept.watch(id, each), listener),
    send: (id, message) => {
      const copied = copy(message);
      return later(() => void kept.send(id, copied));
    },
    receive: (id, listener) => listening((each) => kept.receive(id, each), listener),
  };
}

/** What a test of everything above a store is run on. */
export const TASK_STORES: readonly [answers: string, make: () => TaskStore][] = [
  ['at once', () => memoryTaskStore()],
  ['with promises', () => slowTaskStore()],
];
