import { Violation } from './target.ts';

/** Runs a case. Throws a Violation if an exception or a rejection reaches the process meanwhile. */
export async function withoutEscapes<T>(work: () => Promise<T>): Promise<T> {
  const escaped: unknown[] = [];
  const note = (error: unknown) => escaped.push(error);
  process.on('uncaughtException', note).on('unhandledRejection', note);
  try {
    const result = await work();
    await new Promise((resolve) => setImmediate(resolve)); // they are reported after the microtasks
    if (escaped.length > 0) throw new Violation('An exception escaped', { cause: escaped[0] });
    return result;
  } finally {
    process.off('uncaughtException', note).off('unhandledRejection', note);
  }
}
