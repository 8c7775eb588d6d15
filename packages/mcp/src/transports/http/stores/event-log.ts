import { unref } from '../../../jsonrpc/deadlines.ts';
import { isNewer } from '../../../protocol/change-mark.ts';
import type {
  CallLease,
  EventPlace,
  Follower,
  NewEvent,
  StopFollower,
  StoredEvent,
  StoredState,
  StreamStart,
} from '../store.ts';
import { Delivery } from './delivery.ts';

interface LoggedEvent {
  /** Counts all events of the session; its digits are the event's id. */
  readonly number: number;
  readonly stream: string;
  readonly text: StoredText;
  readonly last: boolean;
}

/** UTF-8 if it is long: outside the heap of JavaScript, which grows to several times of what is in use before it is collected. */
type StoredText = string | Uint8Array;

export interface EventLogOptions {
  readonly maxBytes: number;
  readonly maxEndedStreams: number;
  /** When the lease of a process runs out; 0 if it has none. */
  readonly leaseEnd: (process: string) => number;
}

/** What an event takes in memory besides its text. */
const EVENT_BYTES = 200;
/** What a text takes besides its bytes if it is stored as UTF-8. */
const ARRAY_BYTES = 200;
/** Shorter texts stay strings. */
const MIN_ENCODED_CHARS = 1024;
/** Things whose last change is remembered: more than a session can subscribe to. */
const MAX_CHANGES = 2000;

interface Following {
  readonly follower: Follower;
  readonly delivery: Delivery<number>;
}

/** The events of all streams of one session, within limits. */
export class EventLog {
  readonly #options: EventLogOptions;
  /** In the order of their numbers. */
  #events: LoggedEvent[] = [];
  #bytes = 0;
  #eventCount = 0;
  /** Made on first use, like `#handedOver`, `#calls` and `#changes`. */
  #ended: Set<string> | undefined;
  readonly #followers = new Map<string, Set<Following>>();
  /** The number of the last event of a stream that a follower got. */
  #handedOver: Map<string, number> | undefined;
  /** The calls whose streams have not ended. */
  #calls: Map<string, CallLease> | undefined;
  /** The position of the last event for each thing that changes. */
  #changes: Map<string, string> | undefined;
  /** The position of the newest change. */
  position: string | undefined;

  constructor(options: EventLogOptions, position: string | undefined) {
    this.#options = options;
    this.position = position;
  }

  get bytes(): number {
    return this.#bytes;
  }

  /** Forgets every event. */
  clear(): void {
    this.#drop(() => true);
    for (const stream of this.#handedOver?.keys() ?? [])
      if (!this.#followers.has(stream)) this.#handedOver?.delete(stream);
  }

  /** Ends every follower. */
  end(reason: Error): void {
    for (const { follower, delivery } of this.#all()) {
      delivery.stop();
      follower.lost(reason);
    }
    this.#followers.clear();
  }

  changed(stored: StoredState): void {
    for (const { follower } of this.#all()) follower.changed?.(stored);
  }

  append(stream: string, event: NewEvent): string | undefined {
    if (this.#ended?.has(stream)) return undefined;
    if (event.change !== undefined && !this.#isNews(event.change.key, event.change.position)) return '0';
    if (event.call !== undefined) this.#begin(stream, event.call);
    this.#eventCount += 1;
    const { text, last } = event;
    const number = this.#eventCount;
    const logged = { number, stream, text: toStored(text), last };
    this.#events.push(logged);
    this.#bytes += sizeOf(logged.text);
    if (last) this.#end(stream);
    const following = this.#followers.get(stream);
    if (following !== undefined) {
      this.#handOver(stream, number);
      for (const { follower, delivery } of following) {
        delivery.handOver(number);
        follower.event({ id: String(number), text, last });
      }
    }
    if (this.#bytes > this.#options.maxBytes || (this.#ended?.size ?? 0) > this.#options.maxEndedStreams)
      this.#forget();
    return String(number);
  }

  erase(id: string): void {
    const number = Number(id);
    const index = this.#indexAfter(number - 1);
    const event = this.#events[index];
    if (event?.number !== number) return;
    this.#events.splice(index, 1);
    this.#bytes -= sizeOf(event.text);
  }

  locate(id: string): EventPlace | undefined {
    const number = Number(id);
    const event = String(number) === id ? this.#events[this.#indexAfter(number - 1)] : undefined;
    return event?.number === number ? { stream: event.stream, last: event.last } : undefined;
  }

  follow(stream: string, start: StreamStart, follower: Follower): StopFollower {
    const number = this.#startOf(stream, start);
    const waiting = this.#events.slice(this.#indexAfter(number));
    const all = this.#followers.get(stream) ?? new Set();
    const delivery = new Delivery(number);
    const following = { follower, delivery };
    this.#followers.set(stream, all.add(following));
    if (this.#eventCount > 0) this.#handOver(stream, this.#eventCount);
    delivery.handOver(this.#eventCount);
    for (const event of waiting) if (event.stream === stream) follower.event(toEvent(event));
    this.#watchLease(stream);
    return (isBroken) => {
      if (!all.delete(following)) return;
      delivery.stop();
      if (isBroken && this.#handedOver?.has(stream)) this.#handOver(stream, delivery.arrived);
      if (all.size === 0 && this.#followers.get(stream) === all) this.#followers.delete(stream);
    };
  }

  #startOf(stream: string, start: StreamStart): number {
    if (start === 'next') return this.#eventCount;
    return start === 'undelivered' ? (this.#handedOver?.get(stream) ?? 0) : Number(start.after);
  }

  #handOver(stream: string, number: number): void {
    this.#handedOver ??= new Map();
    this.#handedOver.set(stream, number);
  }

  #all(): Following[] {
    return [...this.#followers.values()].flatMap((following) => [...following]);
  }

  #isNews(key: string, position: string): boolean {
    this.#changes ??= new Map();
    if (!isNewer(position, this.#changes.get(key))) return false;
    // Entered anew, so that the first is the one that changed the longest ago.
    this.#changes.delete(key);
    this.#changes.set(key, position);
    if (this.#changes.size > MAX_CHANGES) this.#changes.delete(this.#changes.keys().next().value as string);
    if (isNewer(position, this.position)) this.position = position;
    return true;
  }

  #begin(stream: string, call: CallLease): void {
    this.#calls ??= new Map();
    this.#calls.set(stream, call);
  }

  #end(stream: string): void {
    this.#ended ??= new Set();
    this.#ended.add(stream);
    this.#calls?.delete(stream);
  }

  /** Ends the stream of a call if its process is not renewed; looked at only while the stream is followed. */
  #watchLease(stream: string): void {
    const call = this.#calls?.get(stream);
    if (call === undefined) return;
    const look = () => {
      if (this.#calls?.get(stream) !== call || !this.#followers.has(stream)) return;
      if (this.#options.leaseEnd(call.process) > Date.now()) this.#watchLease(stream);
      else this.append(stream, { text: call.failureText(), last: true });
    };
    unref(setTimeout(look, Math.max(this.#options.leaseEnd(call.process) - Date.now(), 0)));
  }

  /** The index of the first event with a greater number. */
  #indexAfter(number: number): number {
    let [low, high] = [0, this.#events.length];
    while (low < high) {
      const middle = (low + high) >> 1;
      if ((this.#events[middle] as LoggedEvent).number <= number) low = middle + 1;
      else high = middle;
    }
    return low;
  }

  /** Frees half of the room: drops finished streams, the oldest first, then the oldest events. */
  #forget(): void {
    const { maxBytes, maxEndedStreams } = this.#options;
    const ended = [...(this.#ended ?? [])];
    if (ended.length > maxEndedStreams) {
      const surplus = new Set(ended.slice(0, ended.length - maxEndedStreams / 2));
      this.#drop(({ stream }) => surplus.has(stream));
    }
    if (this.#bytes > maxBytes) {
      this.#drop(({ stream }) => this.#isCrowded && this.#ended?.has(stream) === true);
      this.#drop(() => this.#isCrowded);
    }
    for (const stream of ended) if (!this.#followers.has(stream)) this.#handedOver?.delete(stream);
  }

  get #isCrowded(): boolean {
    return this.#bytes > this.#options.maxBytes / 2;
  }

  #drop(isDropped: (event: LoggedEvent) => boolean): void {
    this.#events = this.#events.filter((event) => {
      if (!isDropped(event)) return true;
      this.#bytes -= sizeOf(event.text);
      if (event.last) this.#ended?.delete(event.stream);
      return false;
    });
  }
}

const encoder = new TextEncoder();
const decoder = new TextDecoder('utf-8', { ignoreBOM: true });

function toStored(text: string): StoredText {
  if (text.length < MIN_ENCODED_CHARS) return text;
  // Every runtime has it; the es2023 types do not. A lone surrogate cannot be written as UTF-8.
  const { isWellFormed } = text as unknown as { isWellFormed(): boolean };
  return isWellFormed.call(text) ? encoder.encode(text) : text;
}

function toEvent({ number, text, last }: LoggedEvent): StoredEvent {
  return { id: String(number), text: typeof text === 'string' ? text : decoder.decode(text), last };
}

/** A string takes at most two bytes for each character. */
function sizeOf(text: StoredText): number {
  return EVENT_BYTES + (typeof text === 'string' ? 2 * text.length : text.byteLength + ARRAY_BYTES);
}
