import type { Outcome, ProposedChange } from './proposal.ts';
import type { ProposeOptions, ReviewQueue } from './queue.ts';

export interface ProposeSetOptions extends Omit<ProposeOptions, 'name'> {
  /** What the whole set does. */
  readonly title: string;
}

/**
 * Proposes changes of several files as one set. Resolves, in the order of the changes, when all of them have ended. Each
 * is decided by itself; aborting the signal withdraws those that are open. Rejects, and withdraws all, if one of them
 * can't be proposed.
 */
export async function proposeSet(
  reviews: ReviewQueue,
  changes: readonly ProposedChange[],
  { title, owner, signal }: ProposeSetOptions,
): Promise<readonly Outcome[]> {
  const failed = new AbortController();
  const id = crypto.randomUUID();
  const size = changes.length;
  const options = { owner, signal: AbortSignal.any([signal, failed.signal]) };
  const outcomes = changes.map((change, index) =>
    reviews.propose({ ...change, set: { id, title, index, size } }, options),
  );
  try {
    return await Promise.all(outcomes);
  } catch (error) {
    failed.abort();
    await Promise.allSettled(outcomes);
    throw error;
  }
}
