import type { StoredEvent, StoredState } from '../../store.ts';

/** What the scripts publish and return. */

export interface PublishedEvent {
  readonly event: StoredEvent;
  /** The id of the event before it on the stream; `-` if there is none. */
  readonly previous: string;
}

export function parseEvent(message: string): PublishedEvent {
  const [head, text] = splitLine(message);
  const [id = '', previous = '', last] = head.split(' ');
  return { event: { id, text, last: last === '1' }, previous };
}

/** Undefined if the session is gone. */
export function parseState(message: string): StoredState | undefined {
  if (message === 'gone') return undefined;
  const [head, state] = splitLine(message);
  const [version = '', position = ''] = head.split(' ');
  return storedState(version, state, position);
}

export function storedState(version: string, state: string, position: string): StoredState {
  return { state: JSON.parse(state), version: Number(version), position: position === '' ? undefined : position };
}

export interface Reading {
  readonly version: number;
  /** If it is newer than the known one. */
  readonly state: StoredState | undefined;
  /** The id of the last event of the stream; `-` if there is none. */
  readonly last: string;
  /** The process that works on the call of this stream, until that has ended. */
  readonly process: string | undefined;
  /** Whether events were dropped that should have been read. */
  readonly isIncomplete: boolean;
  /** The id after which it starts; `-` for the first event. */
  readonly from: string;
  readonly events: readonly StoredEvent[];
}

/** Undefined if the session is gone. */
export function parseReading(reply: unknown): Reading | undefined {
  if (reply === null) return undefined;
  const [version = '', state = '', position = '', last = '-', process = '', missing, from = '-', ...rest] =
    reply as string[];
  const events: StoredEvent[] = [];
  for (let n = 0; n < rest.length; n += 3) {
    events.push({ id: rest[n] as string, text: rest[n + 1] as string, last: rest[n + 2] === '1' });
  }
  return {
    version: Number(version),
    state: state === '' ? undefined : storedState(version, state, position),
    last,
    process: process === '' ? undefined : process,
    isIncomplete: missing === '1',
    from,
    events,
  };
}

function splitLine(message: string): [head: string, rest: string] {
  const end = message.indexOf('\n');
  return [message.slice(0, end), message.slice(end + 1)];
}
