import type { Redis } from '../../../../redis/redis.ts';
import { hasEnded, type TaskRecord, type TaskStore } from '../../task-store.ts';
import { CREATE_TASK, SAVE_TASK, UNFINISHED } from './scripts.ts';
import { SLOTS, slotKeys, taskKeys } from './task-keys.ts';
import { TaskMessages } from './task-messages.ts';
import { TaskWatch } from './task-watch.ts';

/** Stores tasks in Redis, until they expire. */
export function redisTaskStore(redis: Redis): TaskStore {
  const { connection, leases, prefix } = redis;
  const messages = new TaskMessages(redis);
  const keysOf = (id: string) => taskKeys(prefix, id);
  const slots = Array.from({ length: SLOTS }, (_, number) => slotKeys(prefix, number));

  /** The first arguments of the scripts that set a record. */
  const argsOf = (id: string, record: TaskRecord, channel: string) => {
    const token = `${connection.writer} ${connection.newNumber()}`;
    const ended = hasEnded(record.task.status) ? '1' : '0';
    const expires = String(Math.ceil(record.expires));
    return [JSON.stringify(record), record.process, ended, expires, token, channel, id];
  };
  const abandonedBy = async (process: string): Promise<string[]> => {
    if ((await leases.remaining(process)) > 0) return [];
    const now = String(Date.now());
    const ids = slots.map(({ processes, tasksOf }) =>
      connection.run(UNFINISHED, [tasksOf(process), processes], [process, now]),
    );
    return ((await Promise.all(ids)) as string[][]).flat();
  };

  return {
    create: async (id, record) => {
      const keys = keysOf(id);
      const { task, processes } = keys;
      const args = [...argsOf(id, record, keys.records), String(Date.now())];
      await connection.run(CREATE_TASK, [task, keys.tasksOf(record.process), processes], args);
    },
    save: async (id, record, owner) => {
      const keys = keysOf(id);
      const names = [keys.task, keys.tasksOf(record.process), keys.processes, keys.tasksOf(owner)] as const;
      return (await connection.run(SAVE_TASK, names, [...argsOf(id, record, keys.records), owner])) === 1;
    },
    find: async (id) => {
      const { task } = keysOf(id);
      const text = (await connection.send(task, ['HGET', task, 'record'])) as string | null;
      const record = text === null ? undefined : (JSON.parse(text) as TaskRecord);
      return record !== undefined && record.expires >= Date.now() ? record : undefined;
    },
    watch: async (id, watcher) => {
      const watch = new TaskWatch(redis, keysOf(id), watcher);
      await watch.start();
      return () => watch.stop();
    },
    send: (id, message) => messages.send(keysOf(id), message),
    receive: (id, receiver) => messages.receive(keysOf(id), receiver),
    renew: (process, milliseconds) => leases.renew(process, milliseconds),
    abandoned: async () => {
      const known = slots.map(({ processes }) => connection.send(processes, ['SMEMBERS', processes]));
      const processes = new Set(((await Promise.all(known)) as string[][]).flat());
      return (await Promise.all([...processes].map(abandonedBy))).flat();
    },
  };
}
