import type { Proposal } from './proposal.ts';
import type { ReviewQueue } from './queue.ts';

export interface StaleOptions {
  /** Watches files on disk. */
  readonly watch: (onChange: (path: string) => void) => ProposalWatch;
  /** The text of the file that a proposal would change, as the agent would compare it. */
  readonly read: (proposal: Proposal) => Promise<string | undefined>;
  readonly onProblem: (problem: Error) => void;
}

export interface ProposalWatch {
  add(path: string): Promise<void>;
  remove(path: string): void;
  close(): void;
}

/** Refreshes open proposals when their files change, until the returned function is called. */
export function refreshStale(reviews: ReviewQueue, { watch, read, onProblem }: StaleOptions): () => void {
  const sourceOf = ({ path, oldPath = path }: Proposal) => oldPath;
  const openAt = (path: string) => reviews.list().filter((proposal) => sourceOf(proposal) === path);
  /** Paths that are being read; `again` if they have changed since. */
  const reading = new Map<string, 'once' | 'again'>();

  const look = async (path: string): Promise<void> => {
    if (reading.has(path)) return void reading.set(path, 'again');
    do {
      reading.set(path, 'once');
      for (const proposal of openAt(path)) {
        try {
          reviews.refresh(proposal.id, await read(proposal));
        } catch (error) {
          onProblem(new Error(`Cannot read ${path} again`, { cause: error }));
        }
      }
    } while (reading.get(path) === 'again');
    reading.delete(path);
  };

  const follow = async (path: string) => {
    await files.add(path);
    // Decided while the watch was set up.
    if (openAt(path).length === 0) files.remove(path);
    // A change from before the watch began is not missed.
    else await look(path);
  };

  const files = watch((path) => void look(path));
  const unsubscribe = reviews.subscribe((event) => {
    const path = sourceOf(event.proposal);
    if (event.kind === 'added') void follow(path);
    if (event.kind === 'removed' && openAt(path).length === 0) files.remove(path);
  });
  return () => {
    unsubscribe();
    files.close();
  };
}
