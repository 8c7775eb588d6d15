import { describe, expect, it, vi } from 'vitest';
import { Mailbox } from '../../../testing/mailbox.ts';
import type { TaskMessage, TaskRecord, TaskStatus, TaskStore } from './task-store.ts';

const HOUR_MS = 3_600_000;
const PROCESS = 'process 1';

export function record(taskId: string, status: TaskStatus = 'working', expires = Date.now() + HOUR_MS): TaskRecord {
  const at = '2026-11-16T00:00:00.000Z';
  const task = { taskId, status, createdAt: at, lastUpdatedAt: at, ttlMs: HOUR_MS, pollIntervalMs: 1000 };
  return { task, process: PROCESS, expires };
}

/** One store as two processes see it. A store in memory is the same object for both. */
export interface TaskStoreViews {
  readonly store: TaskStore;
  readonly other: TaskStore;
}

/** What every store of tasks must do. */
export function describeTaskStore(name: string, make: () => TaskStoreViews | Promise<TaskStoreViews>): void {
  describe(`${name} keeps the contract of a store of tasks`, () => {
    const watch = async (store: TaskStore, id: string) => {
      const changes = new Mailbox<TaskRecord>();
      const ends = new Mailbox<TaskRecord | Error>();
      const stop = await store.watch(id, { changed: changes.put, expired: ends.put, lost: ends.put });
      const statuses = () => changes.rest.map(({ task }) => task.status);
      return { stop, take: changes.take, end: ends.take, statuses };
    };
    const receive = async (store: TaskStore, id: string) => {
      const messages = new Mailbox<TaskMessage>();
      const stop = await store.receive(id, { message: messages.put, lost: () => {} });
      return { stop, take: messages.take, rest: () => messages.rest };
    };

    it('a task is found as it was last saved, until it expires', async () => {
      const { store, other } = await make();
      expect(await store.find('a')).toBeUndefined();
      await store.create('a', record('a'));
      const expiry = Date.now() + 800;
      await store.create('b', record('b', 'working', expiry));
      const soonOver = await other.find('b');
      // On a machine that is too busy for this, it is over already.
      if (Date.now() < expiry) expect(soonOver?.task.taskId).toBe('b');
      const { task, process, expires } = record('a', 'input_required');
      const inputRequests = { q: { method: 'roots/list' as const, params: { deep: [null, { text: 'é😀' }] } } };
      const asking: TaskRecord = { task: { ...task, inputRequests }, process, startedBy: 'principal', expires };
      expect(await store.save('a', asking, PROCESS)).toBe(true);
      expect(await other.find('a')).toEqual(asking);
      // No event tells that it has expired to who does not watch it.
      await new Promise((resolve) => setTimeout(resolve, expiry + 10 - Date.now()));
      expect(await other.find('b')).toBeUndefined();
      expect(await store.save('b', record('b', 'completed'), PROCESS)).toBe(false);
      expect(await store.find('b')).toBeUndefined();
    });

    it('a task that has ended never changes', async () => {
      const { store, other } = await make();
      for (const status of ['completed', 'failed', 'cancelled'] as const) {
        await store.create(status, record(status));
        expect(await store.save(status, record(status, status), PROCESS)).toBe(true);
        for (const late of ['working', 'completed', 'failed'] as const) {
          expect(await other.save(status, record(status, late), PROCESS)).toBe(false);
        }
        expect((await store.find(status))?.task.status).toBe(status);
      }
    });

    it('of two processes that end a task at the same time, one does', async () => {
      const { store, other } = await make();
      for (let n = 0; n < 20; n += 1) {
        await store.create(`${n}`, record(`${n}`));
        const saved = await Promise.all([
          store.save(`${n}`, record(`${n}`, 'completed'), PROCESS),
          other.save(`${n}`, record(`${n}`, 'failed'), PROCESS),
        ]);
        expect([...saved].sort()).toEqual([false, true]);
        expect((await other.find(`${n}`))?.task.status).toBe(saved[0] ? 'completed' : 'failed');
      }
    });

    it('a task is saved by its own process only, and may pass to another', async () => {
      const { store, other } = await make();
      await store.create('a', record('a'));
      expect(await other.save('a', { ...record('a'), process: 'process 2' }, 'process 2')).toBe(false);
      expect(await other.save('a', { ...record('a'), process: 'process 2' }, PROCESS)).toBe(true);
      expect(await store.save('a', record('a', 'completed'), PROCESS)).toBe(false);
      expect((await store.find('a'))?.process).toBe('process 2');
      const ended = { ...record('a', 'completed'), process: 'process 2' };
      expect(await other.save('a', ended, 'process 2')).toBe(true);
      expect(await store.save('gone', record('gone'), PROCESS)).toBe(false);
      expect(await store.find('gone')).toBeUndefined();
    });

    it('calls take effect in the order in which they are made', async () => {
      const { store, other } = await make();
      await store.create('a', record('a'));
      const received = await receive(store, 'a');
      const saves = (['working', 'input_required', 'completed'] as const).map((is) =>
        store.save('a', record('a', is), PROCESS),
      );
      const found = store.find('a');
      const sent = [other.send('a', { kind: 'responses', responses: { n: 1 } }), other.send('a', { kind: 'cancel' })];
      expect(await Promise.all(saves)).toEqual([true, true, true]);
      expect((await found)?.task.status).toBe('completed');
      expect(await received.take()).toEqual({ kind: 'responses', responses: { n: 1 } });
      expect(await received.take()).toEqual({ kind: 'cancel' });
      await Promise.all(sent);
    });

    it('watchers get what any process saves from then on, each until it stops', async () => {
      const { store, other } = await make();
      await store.create('a', record('a'));
      await store.create('b', record('b'));
      const [one, two] = [await watch(store, 'a'), await watch(other, 'a')];
      await store.save('b', record('b', 'input_required'), PROCESS);
      await store.save('a', record('a', 'input_required'), PROCESS);
      for (const { take } of [one, two]) expect((await take()).task).toMatchObject({ status: 'input_required' });
      one.stop();
      one.stop();
      await other.save('a', record('a', 'completed'), PROCESS);
      expect((await two.take()).task).toMatchObject({ taskId: 'a', status: 'completed' });
      expect([one.statuses(), two.statuses()]).toEqual([[], []]);
    });

    it('watchers learn that a task has expired, with its last record', async () => {
      const { store, other } = await make();
      const expires = Date.now() + 800;
      await store.create('a', record('a', 'working', expires));
      const watchers = [await watch(store, 'a'), await watch(other, 'a')];
      const stopped = await watch(other, 'a');
      stopped.stop();
      await store.save('a', record('a', 'input_required', expires), PROCESS);
      for (const { end } of watchers) expect(await end()).toMatchObject({ task: { status: 'input_required' } });
      expect(Date.now()).toBeGreaterThanOrEqual(expires);
      expect(await store.find('a')).toBeUndefined();
    });

    it('a message to a task reaches its process, from then on, until it stops', async () => {
      const { store, other } = await make();
      for (const id of ['a', 'b']) await store.create(id, record(id));
      const [a, b] = [await receive(store, 'a'), await receive(store, 'b')];
      expect(await other.send('a', { kind: 'responses', responses: { text: 'é😀' } })).toBe(true);
      expect(await a.take()).toEqual({ kind: 'responses', responses: { text: 'é😀' } });
      a.stop();
      await other.send('b', { kind: 'cancel' });
      expect(await b.take()).toEqual({ kind: 'cancel' });
      expect(a.rest()).toEqual([]);
    });

    it('a message to a task that no process runs is not taken', async () => {
      const { store, other } = await make();
      await store.create('a', record('a'));
      expect(await other.send('a', { kind: 'cancel' })).toBe(false);
      expect(await other.send('gone', { kind: 'cancel' })).toBe(false);
      const received = await receive(store, 'a');
      received.stop();
      expect(await other.send('a', { kind: 'cancel' })).toBe(false);
      expect(await store.find('gone')).toBeUndefined();
    });

    it('tasks are abandoned when their process is not renewed in time, until they end or another takes them', async () => {
      const { store, other } = await make();
      const of = (process: string, id: string, status: TaskStatus = 'working') => ({ ...record(id, status), process });
      await store.renew('living', 1);
      await Promise.all(['living', 'dying', 'heir'].map((process) => store.renew(process, HOUR_MS)));
      await store.create('theirs', of('living', 'theirs'));
      for (const id of ['a', 'b', 'c']) await store.create(id, of('dying', id));
      await store.create('ended', of('dying', 'ended'));
      await store.save('ended', of('dying', 'ended', 'completed'), 'dying');
      expect(await other.abandoned()).toEqual([]);
      // The last lease that it takes.
      await store.renew('dying', 50);
      // Not expect.poll, which tests that run at the same time cannot share.
      const areAbandoned = async () => expect([...(await other.abandoned())].sort()).toEqual(['a', 'b', 'c']);
      await vi.waitFor(areAbandoned, { timeout: 30_000 });
      expect(await other.save('a', of('heir', 'a'), 'dying')).toBe(true);
      expect(await other.save('b', of('dying', 'b', 'failed'), 'dying')).toBe(true);
      expect(await store.abandoned()).toEqual(['c']);
      // The process may only have been suspended.
      expect(await store.save('a', of('dying', 'a', 'completed'), 'dying')).toBe(false);
      expect(await store.save('b', of('dying', 'b', 'completed'), 'dying')).toBe(false);
    });
  });
}
