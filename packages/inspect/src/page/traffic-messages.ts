import { isObject } from '@hawser/unknown-values/objects';
import type { TrafficBatch, TrafficEntry } from '../calls.ts';

/** A message of the traffic with what a list shows of it. */
export interface TrafficMessage extends TrafficEntry {
  readonly what: 'request' | 'notification' | 'result' | 'error' | 'other';
  /** The method, also of an answer if its request is known. */
  readonly method: string | undefined;
  readonly id: string | undefined;
  /** Milliseconds between a request and this answer. */
  readonly ms: number | undefined;
}

export interface TrafficView {
  readonly messages: readonly TrafficMessage[];
  /** How many older ones were dropped. */
  readonly dropped: number;
}

export interface TrafficMessagesLimits {
  readonly maxMessages: number;
  readonly maxCharacters: number;
}

const LIMITS: TrafficMessagesLimits = { maxMessages: 5000, maxCharacters: 16 * 1024 * 1024 };
/** Requests whose answers are awaited. */
const MAX_OPEN = 1000;

/** The messages that the page has received, as many as fit the limits. The oldest go first. */
export class TrafficMessages {
  readonly #limits: TrafficMessagesLimits;
  readonly #open = new Map<string, { readonly method: string; readonly time: number }>();
  #messages: TrafficMessage[] = [];
  #characters = 0;
  #dropped = 0;

  constructor(limits: TrafficMessagesLimits = LIMITS) {
    this.#limits = limits;
  }

  get view(): TrafficView {
    return { messages: [...this.#messages], dropped: this.#dropped };
  }

  add({ entries, dropped }: TrafficBatch): void {
    this.#dropped += dropped;
    const { maxMessages, maxCharacters } = this.#limits;
    for (const entry of entries) {
      this.#messages.push(this.#read(entry));
      this.#characters += entry.characters;
    }
    let start = 0;
    while (this.#messages.length - start > maxMessages || this.#characters > maxCharacters) {
      this.#characters -= this.#messages[start]?.characters ?? this.#characters;
      start += 1;
    }
    this.#dropped += start;
    if (start > 0) this.#messages = this.#messages.slice(start);
  }

  clear(): void {
    this.#messages = [];
    this.#characters = 0;
    this.#dropped = 0;
  }

  #read(entry: TrafficEntry): TrafficMessage {
    const parts = partsOf(entry);
    if (parts === undefined) return { ...entry, what: 'other', method: undefined, id: undefined, ms: undefined };
    const { method, id, isError } = parts;
    if (method !== undefined) {
      if (id !== undefined) this.#began(keyOf(entry, entry.kind, id), { method, time: entry.time });
      return { ...entry, what: id === undefined ? 'notification' : 'request', method, id, ms: undefined };
    }
    const key = keyOf(entry, entry.kind === 'sent' ? 'received' : 'sent', id ?? '');
    const request = this.#open.get(key);
    this.#open.delete(key);
    const ms = request === undefined ? undefined : entry.time - request.time;
    return { ...entry, what: isError ? 'error' : 'result', method: request?.method, id, ms };
  }

  #began(key: string, request: { readonly method: string; readonly time: number }): void {
    this.#open.set(key, request);
    if (this.#open.size <= MAX_OPEN) return;
    const [oldest] = this.#open.keys();
    if (oldest !== undefined) this.#open.delete(oldest);
  }
}

function keyOf({ session }: TrafficEntry, direction: string, id: string): string {
  return `${session} ${direction} ${id}`;
}

interface MessageParts {
  readonly method: string | undefined;
  /** As JSON, so that 1 and "1" differ. */
  readonly id: string | undefined;
  readonly isError: boolean;
}

/** Undefined for what is not one message. */
function partsOf({ kind, text, cutFrom }: TrafficEntry): MessageParts | undefined {
  if (kind !== 'sent' && kind !== 'received') return undefined;
  if (cutFrom !== undefined) return { method: undefined, id: undefined, isError: false };
  const message: unknown = JSON.parse(text);
  if (!isObject(message)) return undefined;
  const { method, id, error } = message;
  return {
    method: typeof method === 'string' ? method : undefined,
    id: id === undefined ? undefined : JSON.stringify(id),
    isError: error !== undefined && error !== null,
  };
}

/** The messages as a transcript, in the format of `hawser record`. */
export function transcriptOf(messages: readonly TrafficEntry[], dropped: number): string {
  const lines: string[] = [];
  let session: number | undefined;
  for (const entry of messages) {
    if (entry.session !== session) {
      session = entry.session;
      lines.push('', `== ${titleOf(entry)}, ${new Date(entry.time).toISOString()}`);
      if (lines.length === 2 && dropped > 0) lines.push(`# ${dropped} earlier messages are missing`);
    }
    lines.push(...linesOf(entry));
  }
  return `${lines.join('\n').trimStart()}\n`;
}

function titleOf({ kind, text }: TrafficEntry): string {
  return kind === 'opened' ? text.replace(/\s+/g, ' ') : 'the rest of a session';
}

function linesOf({ kind, text, cutFrom }: TrafficEntry): string[] {
  const sign = kind === 'sent' ? '→' : '←';
  if (cutFrom !== undefined) return [`# ${sign} a message of ${cutFrom} characters is left out`];
  switch (kind) {
    case 'sent':
    case 'received':
      return [`${sign} ${text}`];
    case 'malformed':
      return [`# ${sign} not a message: ${text.replace(/\s+/g, ' ')}`];
    case 'stderr':
      return [`# stderr: ${text}`];
    case 'closed':
      return [`# ${text.replace(/\s+/g, ' ')}`, '× closed'];
    case 'disconnected':
    case 'opened':
      return [];
  }
}
