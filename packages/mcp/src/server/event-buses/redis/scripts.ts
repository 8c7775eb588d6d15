import { Script } from '../../../redis/script.ts';

/**
 * KEYS[1]: a Redis stream with the changes, each with the id of the change before it. KEYS[2]: a hash with the id of the
 * last change and with a random name (`data`), by which processes notice that Redis has lost its data. KEYS[3]: the number of
 * the last change of a process.
 */

const OPEN = `
local function open(name)
  redis.call('HSETNX', KEYS[2], 'data', name)
  redis.call('HSETNX', KEYS[2], 'last', '0-0')
  return redis.call('HMGET', KEYS[2], 'data', 'last')
end
`;

/** ARGV: a random name. Returns the name of the data and the id of the last change. */
export const OPEN_BUS = new Script(`${OPEN}return open(ARGV[1])`);

/** ARGV: process, number, previous number, a random name, change, channel, how many changes to keep. */
export const PUBLISH = new Script(`${OPEN}
local done = tonumber(redis.call('GET', KEYS[3]) or 0)
if tonumber(ARGV[2]) <= done then return 0 end
if done < tonumber(ARGV[3]) then return redis.error_reply('OUTOFORDER a change is missing') end
redis.call('SET', KEYS[3], ARGV[2], 'PX', 3600000)
local previous = open(ARGV[4])[2]
local id = redis.call('XADD', KEYS[1], 'MAXLEN', '~', ARGV[7], '*', 'p', previous, 'c', ARGV[5])
redis.call('HSET', KEYS[2], 'last', id)
redis.call('SPUBLISH', ARGV[6], id .. ' ' .. previous .. '\\n' .. ARGV[5])
return 1
`);

/**
 * ARGV: id, most changes, a random name. Returns the name of the data and the id of the last change; then id, previous id
 * and change of each.
 */
export const READ_CHANGES = new Script(`${OPEN}
local reply = open(ARGV[3])
for _, entry in ipairs(redis.call('XRANGE', KEYS[1], '(' .. ARGV[1], '+', 'COUNT', ARGV[2])) do
  reply[#reply + 1] = entry[1]
  reply[#reply + 1] = entry[2][2]
  reply[#reply + 1] = entry[2][4]
end
return reply
`);

export const BUS_SCRIPTS: readonly Script[] = [OPEN_BUS, PUBLISH, READ_CHANGES];
