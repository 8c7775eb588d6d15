import { isObject, objectOrEmpty } from '@hawser/unknown-values/objects';
import { recordable } from './redact.ts';

/** A message between an agent and the bridge, as recorded: secrets are redacted and long texts cut. */
export interface TrafficEntry {
  /** Counts the messages since the bridge began. */
  readonly number: number;
  /** Milliseconds since 1970. */
  readonly time: number;
  readonly adapter: string;
  readonly client: TrafficClient;
  readonly direction: Direction;
  readonly kind: 'request' | 'notification' | 'result' | 'error' | 'batch';
  /** Of an answer, the method of its request if that was recorded. */
  readonly method: string | undefined;
  readonly message: unknown;
  /** How long the recorded message is as JSON. */
  readonly characters: number;
}

export interface TrafficClient {
  readonly id: string;
  readonly name: string;
}

/** As the bridge sees it. */
export type Direction = 'received' | 'sent';

/** What adapters report. */
export interface TrafficObserver {
  received(adapter: string, client: TrafficClient, message: unknown): void;
  sent(adapter: string, client: TrafficClient, message: unknown): void;
}

/** A request whose answer has not been seen. More of them are forgotten, oldest first. */
const MAX_OPEN_REQUESTS = 1000;

/** What is kept for watchers that attach later, as messages and as characters of JSON. */
const MAX_RECENT = 200;
const MAX_RECENT_CHARACTERS = 1024 * 1024;

/** Passes the messages between agents and the bridge on to watchers, and keeps the last ones. */
export class Traffic implements TrafficObserver {
  readonly #watchers = new Set<(entry: TrafficEntry) => void>();
  /** Methods of requests that wait for an answer, by sender and id. */
  readonly #methods = new Map<string, string>();
  #recent: TrafficEntry[] = [];
  #recentCharacters = 0;
  #count = 0;

  /**
   * Calls the watcher with the last messages, and with each one from now on, until the returned function is called. It must
   * not throw.
   */
  watch(watcher: (entry: TrafficEntry) => void): () => void {
    const own = (entry: TrafficEntry) => watcher(entry);
    for (const entry of this.#recent) own(entry);
    this.#watchers.add(own);
    return () => void this.#watchers.delete(own);
  }

  received(adapter: string, client: TrafficClient, message: unknown): void {
    this.#record(adapter, client, 'received', message);
  }

  sent(adapter: string, client: TrafficClient, message: unknown): void {
    this.#record(adapter, client, 'sent', message);
  }

  #record(adapter: string, { id, name }: TrafficClient, direction: Direction, message: unknown): void {
    const recorded = recordable(plain(message));
    this.#count += 1;
    const entry: TrafficEntry = {
      number: this.#count,
      time: Date.now(),
      adapter,
      client: { id, name },
      direction,
      kind: kindOf(message),
      method: this.#methodOf(message, id, direction),
      message: recorded,
      characters: JSON.stringify(recorded)?.length ?? 0,
    };
    this.#keep(entry);
    for (const watcher of this.#watchers) watcher(entry);
  }

  #keep(entry: TrafficEntry): void {
    this.#recent.push(entry);
    this.#recentCharacters += entry.characters;
    while (this.#recent.length > MAX_RECENT || this.#recentCharacters > MAX_RECENT_CHARACTERS) {
      this.#recentCharacters -= this.#recent.shift()?.characters ?? 0;
    }
  }

  #methodOf(message: unknown, client: string, direction: Direction): string | undefined {
    if (Array.isArray(message)) return undefined;
    const { method, id } = objectOrEmpty(message);
    if (typeof method === 'string') {
      if (id !== undefined) this.#remember(`${client} ${direction} ${id}`, method);
      return method;
    }
    const request = `${client} ${direction === 'sent' ? 'received' : 'sent'} ${id}`;
    const known = this.#methods.get(request);
    this.#methods.delete(request);
    return known;
  }

  #remember(request: string, method: string): void {
    this.#methods.set(request, method.slice(0, 200));
    if (this.#methods.size <= MAX_OPEN_REQUESTS) return;
    const [oldest] = this.#methods.keys();
    if (oldest !== undefined) this.#methods.delete(oldest);
  }
}

function kindOf(message: unknown): TrafficEntry['kind'] {
  if (Array.isArray(message)) return 'batch';
  const { method, id, error } = objectOrEmpty(message);
  if (method !== undefined) return id === undefined ? 'notification' : 'request';
  return error === undefined || error === null ? 'result' : 'error';
}

/** Results that are kept as JSON carry their value beside it. */
function plain(message: unknown): unknown {
  if (Array.isArray(message)) return message.map(plain);
  const { result } = objectOrEmpty(message);
  const isPrepared = isObject(result) && typeof result.json === 'string' && 'value' in result;
  return isPrepared ? { ...(message as object), result: result.value } : message;
}
