import { Script } from '../../../../redis/script.ts';

/**
 * A task is a hash: its record, the process that it belongs to, whether it has ended, a version, which grows, and the
 * token of its last change. The unfinished tasks of a process are in a sorted set with the times when they expire, and the
 * processes that have such tasks are in a set.
 */

/** Keeps the sets of unfinished tasks. */
const INDEX = `
local function add_to_index(tasks, processes, process, id, expires)
  redis.call('ZADD', tasks, expires, id)
  if redis.call('PEXPIRETIME', tasks) < tonumber(expires) then redis.call('PEXPIREAT', tasks, expires) end
  redis.call('SADD', processes, process)
  if redis.call('PEXPIRETIME', processes) < tonumber(expires) then redis.call('PEXPIREAT', processes, expires) end
end
local function remove_from_index(tasks, processes, process, id)
  redis.call('ZREM', tasks, id)
  if redis.call('EXISTS', tasks) == 0 then redis.call('SREM', processes, process) end
end
`;

/** Keeps the record and publishes it. */
const SET = `
local function set(record, process, ended, expires, token, channel)
  redis.call('HSET', KEYS[1], 'record', record, 'process', process, 'ended', ended, 'token', token)
  local version = redis.call('HINCRBY', KEYS[1], 'version', 1)
  redis.call('PEXPIREAT', KEYS[1], expires)
  redis.call('SPUBLISH', channel, version .. '\\n' .. record)
end
`;

/**
 * KEYS: task, tasks of its process, processes. ARGV: record, process, whether it has ended, when it expires, token,
 * channel, id, now.
 */
export const CREATE_TASK = new Script(`${INDEX}${SET}
if redis.call('HGET', KEYS[1], 'token') == ARGV[5] then return 1 end
redis.call('DEL', KEYS[1])
set(ARGV[1], ARGV[2], ARGV[3], ARGV[4], ARGV[5], ARGV[6])
redis.call('ZREMRANGEBYSCORE', KEYS[2], '-inf', ARGV[8])
if ARGV[3] == '0' then add_to_index(KEYS[2], KEYS[3], ARGV[2], ARGV[7], ARGV[4]) end
return 1
`);

/**
 * KEYS: task, tasks of the process that it shall belong to, processes, tasks of its owner. ARGV: record, process, whether
 * it has ended, when it expires, token, channel, id, owner. Returns 1 if the record was replaced.
 */
export const SAVE_TASK = new Script(`${INDEX}${SET}
local found = redis.call('HMGET', KEYS[1], 'process', 'ended', 'token')
if not found[1] then return 0 end
if found[3] == ARGV[5] then return 1 end
if found[1] ~= ARGV[8] or found[2] == '1' then return 0 end
set(ARGV[1], ARGV[2], ARGV[3], ARGV[4], ARGV[5], ARGV[6])
remove_from_index(KEYS[4], KEYS[3], ARGV[8], ARGV[7])
if ARGV[3] == '0' then add_to_index(KEYS[2], KEYS[3], ARGV[2], ARGV[7], ARGV[4]) end
return 1
`);

/** KEYS: tasks of a process, processes. ARGV: process, now. Returns the ids of its unfinished tasks. */
export const UNFINISHED = new Script(`
redis.call('ZREMRANGEBYSCORE', KEYS[1], '-inf', ARGV[2])
local ids = redis.call('ZRANGE', KEYS[1], 0, -1)
if #ids == 0 then redis.call('SREM', KEYS[2], ARGV[1]) end
return ids
`);

/** KEYS: decides the node. ARGV: channel, message. Returns the number of processes that got it. */
export const SEND = new Script(`return redis.call('SPUBLISH', ARGV[1], ARGV[2])`);

export const TASK_SCRIPTS: readonly Script[] = [CREATE_TASK, SAVE_TASK, UNFINISHED, SEND];
