import { tag } from '../../../../redis/keys.ts';

/** The names that Redis has for the parts of a session. They share a node of a cluster. */
export interface SessionKeys {
  /** As the scripts need them. */
  readonly all: readonly [session: string, streams: string, events: string];
  readonly events: string;
  /** The channel for its state. */
  readonly channel: string;
  channelOf(stream: string): string;
}

export function sessionKeys(prefix: string, session: string): SessionKeys {
  const key = `${prefix}:session:${tag(session)}`;
  const events = `${key}:events`;
  return {
    all: [key, `${key}:streams`, events],
    events,
    channel: `${key}:state`,
    channelOf: (stream) => `${key}:stream:${stream}`,
  };
}
