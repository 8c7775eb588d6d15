import { countValues } from './limits.ts';

/**
 * Smaller messages are not counted in bytes: `maxInFlight` of them take no more than `maxInFlightBytes`, and to count
 * each would take time.
 */
const LARGE_BYTES = 64 * 1024;
/** The most that a value takes in memory besides its characters; measured for objects, each with a key of its own. */
const VALUE_BYTES = 64;
const NO_LIMITS = { maxValues: Number.POSITIVE_INFINITY, maxDepth: Number.POSITIVE_INFINITY };

const sizes = new WeakMap<object, number>();

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
    sizes.set(parsed, bytes);
    return;
  }
  for (const item of parsed) {
    if (typeof item === 'object' && item !== null) sizes.set(item, parsedBytes(JSON.stringify(item)));
  }
}

/** About the memory that a large message takes; 0 for every other. */
export function largeBytes(message: object): number {
  return sizes.get(message) ?? 0;
}

function bytesOf(text: string, values: number): number {
  return text.length + VALUE_BYTES * values;
}
