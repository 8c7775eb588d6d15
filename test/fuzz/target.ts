import type { Random } from '../../packages/mcp/testing/random.ts';

/** Something to attack. A case throws a Violation when a rule was broken. */
export interface FuzzTarget {
  readonly name: string;
  open(): Promise<OpenTarget>;
}

export interface OpenTarget {
  /** Tries one case and returns how many inputs it sent. */
  runCase(random: Random): Promise<number>;
  close(): Promise<void>;
}

export class Violation extends Error {
  override readonly name = 'Violation';
}

/** Rejects with a Violation unless the work settles in time. */
export async function within<T>(milliseconds: number, what: string, work: Promise<T>): Promise<T> {
  let timer: ReturnType<typeof setTimeout> | undefined;
  const late = new Promise<never>((_, reject) => {
    timer = setTimeout(() => reject(new Violation(`${what} took longer than ${milliseconds} ms`)), milliseconds);
  });
  try {
    return await Promise.race([work, late]);
  } finally {
    clearTimeout(timer);
  }
}
