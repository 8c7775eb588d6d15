export type { RedisClient, RedisSubscriber, SubscriberEvents } from './redis/client.ts';
export { type IoredisClient, ioredis } from './redis/clients/ioredis.ts';
export { type NodeRedisClient, type NodeRedisCluster, nodeRedis } from './redis/clients/node-redis.ts';
export { openRedisStores, REDIS_LIMITS, type RedisStores, type RedisStoresOptions } from './redis-stores.ts';
