import { Script } from '../../../../redis/script.ts';

/**
 * A session has three keys. KEYS[1]: a hash with its state; the number of the last event of each process (`writer …`);
 * the calls that have not ended (`call …`: the process, a line feed, the text of the failure); the position of each thing that
 * changes (`change …`); what its events take up. KEYS[2]: a hash with the streams. KEYS[3]: a Redis stream with the events.
 */

/** Ids and positions: the greater one is newer. `-` stands for none. */
const NEWER = `
local function newer(id, than)
  if than == '-' then return id ~= '-' end
  if id == '-' then return false end
  local high, low = string.match(id, '^(%d+)-(%d+)$')
  local than_high, than_low = string.match(than, '^(%d+)-(%d+)$')
  high, than_high = tonumber(high), tonumber(than_high)
  return high > than_high or (high == than_high and tonumber(low) > tonumber(than_low))
end
`;

/** What is known of a stream: the ids of its first, its last, the last delivered and the last dropped event. */
const STREAMS = `
local function stream_of(text)
  if not text then return { first = '-', last = '-', delivered = '-', dropped = '-', ended = '0' } end
  local first, last, delivered, dropped, ended = string.match(text, '^(%S+) (%S+) (%S+) (%S+) (%S+)$')
  return { first = first, last = last, delivered = delivered, dropped = dropped, ended = ended }
end
local function save_stream(name, stream)
  local parts = { stream.first, stream.last, stream.delivered, stream.dropped, stream.ended }
  redis.call('HSET', KEYS[2], name, table.concat(parts, ' '))
end
`;

/** Drops finished streams, the oldest first, then the oldest events, until half of the room is free. */
const FORGET = `
local EVENT_BYTES = 100
local function forget(max_bytes, max_ended, bytes, ended)
  local finished = {}
  local all = redis.call('HGETALL', KEYS[2])
  for index = 1, #all, 2 do
    local stream = stream_of(all[index + 1])
    stream.name = all[index]
    if stream.ended == '1' then finished[#finished + 1] = stream end
  end
  table.sort(finished, function(one, other) return newer(other.last, one.last) end)
  local function drop(stream)
    local from = stream.first
    while true do
      local events = redis.call('XRANGE', KEYS[3], from, stream.last, 'COUNT', 100)
      for _, event in ipairs(events) do
        if event[2][2] == stream.name then
          redis.call('XDEL', KEYS[3], event[1])
          bytes = bytes - #event[2][4] - EVENT_BYTES
        end
      end
      if #events < 100 then break end
      from = '(' .. events[#events][1]
    end
    redis.call('HDEL', KEYS[2], stream.name)
    ended = ended - 1
  end
  local next = 1
  if ended > max_ended then
    while ended > max_ended / 2 and finished[next] do
      drop(finished[next])
      next = next + 1
    end
  end
  if bytes > max_bytes then
    while bytes > max_bytes / 2 and finished[next] do
      drop(finished[next])
      next = next + 1
    end
    while bytes > max_bytes / 2 do
      local events = redis.call('XRANGE', KEYS[3], '-', '+', 'COUNT', 20)
      if #events == 0 then break end
      for _, event in ipairs(events) do
        if bytes <= max_bytes / 2 then break end
        redis.call('XDEL', KEYS[3], event[1])
        bytes = bytes - #event[2][4] - EVENT_BYTES
        local stream = stream_of(redis.call('HGET', KEYS[2], event[2][2]))
        stream.dropped = event[1]
        save_stream(event[2][2], stream)
      end
    end
  end
  redis.call('HSET', KEYS[1], 'bytes', bytes, 'ended', ended)
end
`;

/** Adds an event and publishes it, with the id of the event before it on the stream. */
const ADD = `
local function add(name, stream, text, last, token, channel, max_bytes, max_ended)
  local id = redis.call('XADD', KEYS[3], '*', 's', name, 't', text, 'l', last, 'w', token)
  local previous = stream.last
  if stream.first == '-' then stream.first = id end
  stream.last = id
  stream.ended = last
  save_stream(name, stream)
  local left = redis.call('PTTL', KEYS[1])
  redis.call('PEXPIRE', KEYS[2], left)
  redis.call('PEXPIRE', KEYS[3], left)
  local bytes = redis.call('HINCRBY', KEYS[1], 'bytes', #text + EVENT_BYTES)
  local ended = tonumber(redis.call('HGET', KEYS[1], 'ended') or 0)
  if last == '1' then
    redis.call('HDEL', KEYS[1], 'call ' .. name)
    ended = redis.call('HINCRBY', KEYS[1], 'ended', 1)
  end
  redis.call('SPUBLISH', channel, id .. ' ' .. previous .. ' ' .. last .. '\\n' .. text)
  if bytes > max_bytes or ended > max_ended then forget(max_bytes, max_ended, bytes, ended) end
  return id
end
`;

/** ARGV: state, milliseconds to keep, position, channel of the session. */
export const CREATE = new Script(`
if redis.call('DEL', KEYS[1]) == 1 then redis.call('SPUBLISH', ARGV[4], 'gone') end
redis.call('DEL', KEYS[2], KEYS[3])
redis.call('HSET', KEYS[1], 'state', ARGV[1], 'version', 1, 'keep', ARGV[2], 'position', ARGV[3])
redis.call('PEXPIRE', KEYS[1], ARGV[2])
return 1
`);

/** Returns version, state and position. */
export const FIND = new Script(`
local found = redis.call('HMGET', KEYS[1], 'version', 'state', 'position', 'keep')
if not found[1] then return false end
for _, key in ipairs(KEYS) do redis.call('PEXPIRE', key, found[4]) end
return { found[1], found[2], found[3] }
`);

/** ARGV: state, version, token of this update, channel of the session. */
export const UPDATE = new Script(`
local found = redis.call('HMGET', KEYS[1], 'version', 'updated', 'position')
if not found[1] then return false end
local next = tonumber(ARGV[2]) + 1
if tonumber(found[1]) == next and found[2] == ARGV[3] then return next end
if found[1] ~= ARGV[2] then return false end
redis.call('HSET', KEYS[1], 'state', ARGV[1], 'version', next, 'updated', ARGV[3])
redis.call('SPUBLISH', ARGV[4], next .. ' ' .. found[3] .. '\\n' .. ARGV[1])
return next
`);

/** ARGV: channel of the session, milliseconds for which the session must not have been used. */
export const DELETE = new Script(`
local keep = redis.call('HGET', KEYS[1], 'keep')
if not keep then return 0 end
if ARGV[2] ~= '' and keep - redis.call('PTTL', KEYS[1]) < tonumber(ARGV[2]) then return 0 end
redis.call('DEL', unpack(KEYS))
redis.call('SPUBLISH', ARGV[1], 'gone')
return 1
`);

/**
 * ARGV: process, number, previous number, stream, text, last, process of the call, text of its failure, key and position of the
 * change, channel of the stream, most bytes, most finished streams. Returns the id.
 */
export const APPEND = new Script(`${NEWER}${STREAMS}${FORGET}${ADD}
if redis.call('EXISTS', KEYS[1]) == 0 then return false end
local number, previous, name = tonumber(ARGV[2]), tonumber(ARGV[3]), ARGV[4]
local token = ARGV[1] .. ' ' .. ARGV[2]
local done = tonumber(redis.call('HGET', KEYS[1], 'writer ' .. ARGV[1]) or 0)
local stream = stream_of(redis.call('HGET', KEYS[2], name))
if number <= done then
  local to = '+'
  while true do
    local events = redis.call('XREVRANGE', KEYS[3], to, '-', 'COUNT', 100)
    for _, event in ipairs(events) do
      if event[2][8] == token then return event[1] end
    end
    if #events < 100 then break end
    to = '(' .. events[#events][1]
  end
  if stream.ended == '1' then return false end
  return '0-0'
end
if done < previous then return redis.error_reply('OUTOFORDER an event is missing') end
redis.call('HSET', KEYS[1], 'writer ' .. ARGV[1], number)
if stream.ended == '1' then return false end
if redis.call('HLEN', KEYS[1]) > 1000 then
  -- Without them an old change may be reported twice.
  for _, field in ipairs(redis.call('HKEYS', KEYS[1])) do
    local isOld = string.match(field, '^change ') or string.match(field, '^writer ')
    if isOld and field ~= 'writer ' .. ARGV[1] then redis.call('HDEL', KEYS[1], field) end
  end
end
if ARGV[9] ~= '' then
  local known = redis.call('HMGET', KEYS[1], 'change ' .. ARGV[9], 'position')
  if known[1] and not newer(ARGV[10], known[1]) then return '0-0' end
  redis.call('HSET', KEYS[1], 'change ' .. ARGV[9], ARGV[10])
  if known[2] == '' or newer(ARGV[10], known[2]) then redis.call('HSET', KEYS[1], 'position', ARGV[10]) end
end
if ARGV[7] ~= '' then redis.call('HSET', KEYS[1], 'call ' .. name, ARGV[7] .. '\\n' .. ARGV[8]) end
return add(name, stream, ARGV[5], ARGV[6], token, ARGV[11], tonumber(ARGV[12]), tonumber(ARGV[13]))
`);

/** ARGV: stream, process, channel of the stream, most bytes, most finished streams. Adds the failure of a call. */
export const END_CALL = new Script(`${NEWER}${STREAMS}${FORGET}${ADD}
local call = redis.call('HGET', KEYS[1], 'call ' .. ARGV[1])
if not call then return false end
local process, failure = string.match(call, '^([^\\n]*)\\n(.*)$')
if process ~= ARGV[2] then return false end
local stream = stream_of(redis.call('HGET', KEYS[2], ARGV[1]))
return add(ARGV[1], stream, failure, '1', '', ARGV[3], tonumber(ARGV[4]), tonumber(ARGV[5]))
`);

/**
 * ARGV: stream, where to start (\`next\`, \`undelivered\` or after an id), known version. Returns version, state if it is
 * newer, position, the id of the last event, the process of the call, whether events are missing, the id after which it
 * starts; then id, text and last of each event.
 */
export const READ = new Script(`${NEWER}${STREAMS}
local found = redis.call('HMGET', KEYS[1], 'version', 'state', 'position', 'call ' .. ARGV[1])
if not found[1] then return false end
local text = redis.call('HGET', KEYS[2], ARGV[1])
local stream = stream_of(text)
local state = found[1] ~= ARGV[3] and found[2] or ''
local process = found[4] and string.match(found[4], '^[^\\n]*') or ''
local from = ARGV[2]
if from == 'undelivered' then from = stream.delivered end
local reply = { found[1], state, found[3], stream.last, process, '0', from }
if from == 'next' then return reply end
if ARGV[2] == from and ((from ~= '-' and not text) or newer(stream.dropped, from)) then
  reply[6] = '1'
  return reply
end
if not newer(stream.last, from) then return reply end
local start = from == '-' and stream.first or '(' .. from
while true do
  local events = redis.call('XRANGE', KEYS[3], start, stream.last, 'COUNT', 100)
  for _, event in ipairs(events) do
    if event[2][2] == ARGV[1] then
      reply[#reply + 1] = event[1]
      reply[#reply + 1] = event[2][4]
      reply[#reply + 1] = event[2][6]
    end
  end
  if #events < 100 then break end
  start = '(' .. events[#events][1]
end
return reply
`);

/** ARGV: stream, id of an event that a follower got. */
export const DELIVERED = new Script(`${NEWER}${STREAMS}
if redis.call('EXISTS', KEYS[1]) == 0 then return 0 end
local text = redis.call('HGET', KEYS[2], ARGV[1])
if not text then return 0 end
local stream = stream_of(text)
if not newer(ARGV[2], stream.delivered) then return 0 end
stream.delivered = ARGV[2]
save_stream(ARGV[1], stream)
return 1
`);

/**
 * ARGV: stream, id of the last event that a follower got, id of the last that has arrived. Unless another follower got more, those after
 * it are undelivered again.
 */
export const UNDELIVERED = new Script(`${NEWER}${STREAMS}
local text = redis.call('HGET', KEYS[2], ARGV[1])
if not text then return 0 end
local stream = stream_of(text)
if newer(stream.delivered, ARGV[2]) or not newer(stream.delivered, ARGV[3]) then return 0 end
stream.delivered = ARGV[3]
save_stream(ARGV[1], stream)
return 1
`);

/** ARGV: id of an event. */
export const ERASE = new Script(`
local events = redis.call('XRANGE', KEYS[3], ARGV[1], ARGV[1])
if not events[1] then return 0 end
redis.call('HINCRBY', KEYS[1], 'bytes', -(#events[1][2][4] + 100))
return redis.call('XDEL', KEYS[3], ARGV[1])
`);

export const HTTP_SCRIPTS: readonly Script[] = [
  CREATE,
  FIND,
  UPDATE,
  DELETE,
  APPEND,
  END_CALL,
  READ,
  DELIVERED,
  UNDELIVERED,
  ERASE,
];
