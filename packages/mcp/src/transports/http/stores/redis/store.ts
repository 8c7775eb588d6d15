import type { Redis } from '../../../../redis/redis.ts';
import type { HttpStore, NewEvent } from '../../store.ts';
import { storedState } from './messages.ts';
import { APPEND, CREATE, DELETE, ERASE, FIND, UPDATE } from './scripts.ts';
import { sessionKeys } from './session-keys.ts';
import { StreamFollower } from './stream-follower.ts';

export interface RedisStoreLimits {
  /** Bytes of the events of one session. Beyond it its oldest events are dropped. */
  readonly maxEventBytes: number;
  /** Finished streams of one session that can be replayed. */
  readonly maxEndedStreams: number;
}

/** As Redis writes them; what is compared with them comes from clients. */
const EVENT_ID = /^(?:0|[1-9]\d{0,14})-(?:0|[1-9]\d{0,14})$/;

/** Stores the sessions of an HTTP server in Redis. */
export function redisHttpStore(redis: Redis, limits: RedisStoreLimits): HttpStore {
  const { connection, leases, prefix } = redis;
  const room = [String(limits.maxEventBytes), String(limits.maxEndedStreams)] as const;
  const keysOf = (session: string) => sessionKeys(prefix, session);

  const remove = async (session: string, unusedMs: string) => {
    const { all, channel } = keysOf(session);
    await connection.run(DELETE, all, [channel, unusedMs]);
  };

  return {
    create: async (session, state, { keepMs, position = '' }) => {
      const { all, channel } = keysOf(session);
      await connection.run(CREATE, all, [JSON.stringify(state), String(Math.ceil(keepMs)), position, channel]);
      return 1;
    },
    find: async (session) => {
      const found = (await connection.run(FIND, keysOf(session).all, [])) as [string, string, string] | null;
      return found === null ? undefined : storedState(...found);
    },
    update: async (session, state, version) => {
      const { all, channel } = keysOf(session);
      const token = `${connection.writer} ${connection.newNumber()}`;
      const updated = await connection.run(UPDATE, all, [JSON.stringify(state), String(version), token, channel]);
      return updated === null ? undefined : Number(updated);
    },
    delete: (session) => remove(session, ''),
    deleteUnused: (session, milliseconds) => remove(session, String(milliseconds)),
    append: async (session, stream, event) => {
      const { all, channelOf } = keysOf(session);
      const id = await connection.runOnce(APPEND, all, [stream, ...argsOf(event), channelOf(stream), ...room]);
      return id === null ? undefined : (id as string);
    },
    erase: async (session, eventId) => {
      if (EVENT_ID.test(eventId)) await connection.run(ERASE, keysOf(session).all, [eventId]);
    },
    locate: async (session, eventId) => {
      if (!EVENT_ID.test(eventId)) return undefined;
      const { all, events } = keysOf(session);
      const found = await connection.send(all[0], ['XRANGE', events, eventId, eventId]);
      const [entry] = found as [string, string[]][];
      if (entry?.[0] !== eventId) return undefined;
      const [, stream = '', , , , last] = entry[1];
      return { stream, last: last === '1' };
    },
    follow: async (session, stream, start, follower) => {
      const following = new StreamFollower(redis, { keys: keysOf(session), stream, limits: room }, start, follower);
      await following.start(start);
      return (isBroken) => following.stop(isBroken);
    },
    renew: (process, milliseconds) => leases.renew(process, milliseconds),
  };
}

/** The arguments of APPEND that tell of the event. */
function argsOf({ text, last, call, change }: NewEvent): string[] {
  const begun = call === undefined ? ['', ''] : [call.process, call.failureText()];
  return [text, last ? '1' : '0', ...begun, change?.key ?? '', change?.position ?? ''];
}
