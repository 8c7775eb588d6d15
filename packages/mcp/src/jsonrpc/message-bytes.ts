/**
 * Smaller messages are not counted in bytes: `maxInFlight` of them take no more than `maxInFlightBytes`, and to count
 * each would take time.
 */
const LARGE_CHARS = 64 * 1024;

const sizes = new WeakMap<object, number>();

/** Remembers the size of a large text with the messages that were read from it. */
export function noteBytes(text: string, value: unknown): void {
  if (text.length < LARGE_CHARS || typeof value !== 'object' || value === null) return;
  if (!Array.isArray(value)) {
    sizes.set(value, text.length);
    return;
  }
  for (const item of value) if (typeof item === 'object' && item !== null) sizes.set(item, JSON.stringify(item).length);
}

/** About the bytes of a message that was read from a large text; 0 for every other. */
export function largeBytes(message: object): number {
  return sizes.get(message) ?? 0;
}
