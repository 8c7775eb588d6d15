import { noteLarge } from './in-flight.ts';

/** Limits of one connection, the same for every transport. */
export interface ConnectionLimits {
  /**
   * Bytes of one message. A larger one gets an error, and the connection lives on; over WebSocket, one that is more than
   * 16 MiB larger closes it with 1009.
   */
  readonly maxMessageBytes?: number;
  /**
   * Values in one message: members of objects and items of arrays at every level; an empty object or array counts
   * twice. Beyond it: an error, as above.
   */
  readonly maxValues?: number;
  /** Levels of objects and arrays inside each other in one message. Beyond it: an error, as above. */
  readonly maxDepth?: number;
  /** Bytes that wait for the peer to read them. Beyond it the connection is closed. */
  readonly maxQueuedBytes?: number;
}

/**
 * The defaults. A message within all of them is parsed in a fraction of a second, even one made to be slow: the
 * slowest to parse are millions of tiny objects, so their number is limited apart from their size.
 */
export const DEFAULT_CONNECTION_LIMITS: Required<ConnectionLimits> = {
  maxMessageBytes: 16 * 1024 * 1024,
  maxValues: 300_000,
  maxDepth: 1000,
  maxQueuedBytes: 64 * 1024 * 1024,
};

/** The limits that are given, and the defaults for the rest. What else is given is left out. */
export function withDefaults<Limits extends object>(
  given: { readonly [Name in keyof Limits]?: Limits[Name] | undefined },
  defaults: Limits,
): Limits {
  const names = Object.keys(defaults) as (keyof Limits)[];
  return Object.fromEntries(names.map((name) => [name, given[name] ?? defaults[name]])) as Limits;
}

/** Limits of what one peer may have open. */
export interface PeerLimits {
  /** Requests of the peer that may be open at once; more get an error. Default 1024. */
  readonly maxInFlight?: number;
  /** Memory, in bytes, of the peer's open requests; more get an error. Default 64 MiB. */
  readonly maxInFlightBytes?: number;
  /** Messages in one batch; a longer one gets an error. Default 1024. */
  readonly maxBatch?: number;
  /** Milliseconds for handlers to finish after the peer stopped sending; 0 is no limit. Default 5000. */
  readonly drainTimeout?: number;
  /** Respond to a cancelled request with -32800; MCP requires none, plain JSON-RPC requires one. Default false. */
  readonly respondToCancelled?: boolean;
}

export const DEFAULT_LIMITS: Required<PeerLimits> = {
  maxInFlight: 1024,
  maxInFlightBytes: 64 * 1024 * 1024,
  maxBatch: 1024,
  drainTimeout: 5000,
  respondToCancelled: false,
};

type ValueLimits = Pick<Required<ConnectionLimits>, 'maxValues' | 'maxDepth'>;

/**
 * The number of values in a JSON text, or a message that names the limit it exceeds. Reads the text once, before it is
 * parsed, and skips strings at the speed of a native search. Does not check that the text is JSON.
 */
export function countValues(text: string, { maxValues, maxDepth }: ValueLimits): number | string {
  let values = 0;
  let depth = 0;
  for (let at = 0; at < text.length; at += 1) {
    switch (text.charCodeAt(at)) {
      case QUOTE:
        at = endOfString(text, at);
        break;
      case OPEN_BRACE:
      case OPEN_BRACKET:
        values += 1;
        depth += 1;
        if (depth > maxDepth) return `Message is nested deeper than the limit of ${maxDepth} levels`;
        break;
      case CLOSE_BRACE:
      case CLOSE_BRACKET:
        depth -= 1;
        break;
      case COMMA:
        values += 1;
        break;
    }
    if (values > maxValues) return `Message holds more than the limit of ${maxValues} values`;
  }
  return values;
}

const QUOTE = 0x22;
const COMMA = 0x2c;
const OPEN_BRACKET = 0x5b;
const BACKSLASH = 0x5c;
const CLOSE_BRACKET = 0x5d;
const OPEN_BRACE = 0x7b;
const CLOSE_BRACE = 0x7d;

/** Where the closing quote is, or the end of the text if there is none. */
function endOfString(text: string, start: number): number {
  for (let end = text.indexOf('"', start + 1); end !== -1; end = text.indexOf('"', end + 1)) {
    let before = end - 1;
    while (text.charCodeAt(before) === BACKSLASH) before -= 1;
    if ((end - before) % 2 === 1) return end;
  }
  return text.length;
}

/**
 * Smaller messages are not counted in bytes: `maxInFlight` of them take no more than `maxInFlightBytes`, and to count
 * each would take time.
 */
const LARGE_BYTES = 64 * 1024;
/** The most that a value takes in memory besides its characters; measured for objects, each with a key of its own. */
const VALUE_BYTES = 64;
const NO_LIMITS = { maxValues: Number.POSITIVE_INFINITY, maxDepth: Number.POSITIVE_INFINITY };

/** About the memory that a parsed JSON text takes. Small values take many times the length of their text. */
export function parsedBytes(text: string): number {
  return bytesOf(text, countValues(text, NO_LIMITS) as number); // not a message: there are no limits
}

/** The same for a value that is kept: with two bytes for each character, which is the most that a string takes. */
export function storedBytes(value: unknown): number {
  const text = JSON.stringify(value) ?? '';
  return text.length + parsedBytes(text);
}

/** Remembers the size of a large text with the messages that were read from it. */
export function noteBytes(text: string, values: number, parsed: unknown): void {
  const bytes = bytesOf(text, values);
  if (bytes < LARGE_BYTES || typeof parsed !== 'object' || parsed === null) return;
  if (!Array.isArray(parsed)) {
    noteLarge(parsed, bytes);
    return;
  }
  for (const item of parsed) {
    if (typeof item === 'object' && item !== null) noteLarge(item, parsedBytes(JSON.stringify(item)));
  }
}

function bytesOf(text: string, values: number): number {
  return text.length + VALUE_BYTES * values;
}
