import { afterEach, beforeEach, expect } from 'vitest';

/** Fails each test of the file in which an exception or a rejection reaches the process. */
export function failOnEscapes(): void {
  const escaped: unknown[] = [];
  const onEscape = (error: unknown) => escaped.push(error);
  beforeEach(() => {
    process.on('uncaughtException', onEscape).on('unhandledRejection', onEscape);
  });
  afterEach(async () => {
    await new Promise((resolve) => setImmediate(resolve)); // they are reported after the microtasks and on the next tick
    process.off('uncaughtException', onEscape).off('unhandledRejection', onEscape);
    expect(escaped.splice(0)).toEqual([]);
  });
}
