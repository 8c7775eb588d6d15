import type { EventBus } from '../src/server/event-bus.ts';
import { memoryEventBus } from '../src/server/event-buses/memory.ts';
import { openRedisEventBus } from '../src/server/event-buses/redis/bus.ts';
import { memoryTaskStore } from '../src/server/tasks/stores/memory.ts';
import { redisTaskStore } from '../src/server/tasks/stores/redis/store.ts';
import type { TaskStore } from '../src/server/tasks/task-store.ts';
import type { HttpStore } from '../src/transports/http/store.ts';
import { memoryStore } from '../src/transports/http/stores/memory.ts';
import { redisHttpStore } from '../src/transports/http/stores/redis/store.ts';
import { RedisServer } from './redis-server.ts';
import { slowStore } from './slow-store.ts';
import { slowTaskStore } from './slow-task-store.ts';

/** Stores as one of several processes sees them. */
export interface ProcessStores {
  readonly store: HttpStore;
  readonly tasks: TaskStore;
  openBus(): EventBus | Promise<EventBus>;
}

/** Makes stores that processes share; what it returns is called for each process. */
export type ShareStores = () => () => ProcessStores;

const LIMITS = { maxEventBytes: 8_000_000, maxEndedStreams: 100 };

/** What a test of several processes is run on. */
export async function sharedStores(): Promise<[name: string, share: ShareStores][]> {
  const pair = await (await RedisServer.start()).pair('node-redis');
  let count = 0;
  const inMemory: ShareStores = () => {
    const [store, tasks, bus] = [memoryStore(), memoryTaskStore(), memoryEventBus()];
    return () => ({ store, tasks, openBus: () => bus });
  };
  const withPromises: ShareStores = () => {
    const [store, tasks, bus] = [memoryStore(), memoryTaskStore(), memoryEventBus()];
    return () => ({ store: slowStore(store), tasks: slowTaskStore(tasks), openBus: () => bus });
  };
  const inRedis: ShareStores = () => {
    count += 1;
    const connections = pair(`test ${count}`);
    return () => {
      const [redis] = connections.reverse() as [(typeof connections)[0]];
      return {
        store: redisHttpStore(redis, LIMITS),
        tasks: redisTaskStore(redis),
        openBus: () => openRedisEventBus(redis),
      };
    };
  };
  return [
    ['memory', inMemory],
    ['memory that returns promises', withPromises],
    ['Redis', inRedis],
  ];
}
