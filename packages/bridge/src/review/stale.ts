import { setImmediate as nextTurn } from 'node:timers/promises';
import { comparable, lineEndsOf } from '../comparable-text.ts';
import type { Proposal } from './proposal.ts';
import type { ReviewQueue } from './queue.ts';
import { isNoticed } from './resolve-decision.ts';

export interface StaleOptions {
  /** Watches files on disk. */
  readonly watch: (onChange: (path: string) => void) => ProposalWatch;
  /** The exact text of a file; undefined if there is none. Rejects for a file that is too large or can't be read. */
  readonly read: (path: string) => Promise<string | undefined>;
  readonly onProblem: (problem: Error) => void;
}

/** Programs that write a file in place empty it first. That is not shown to anybody. */
const SETTLE_MS = 30;

export interface ProposalWatch {
  add(path: string): Promise<void>;
  remove(path: string): void;
  close(): void;
}

/** Refreshes open proposals when their files change, until the returned function is called. */
export function refreshStale(reviews: ReviewQueue, { watch, read, onProblem }: StaleOptions): () => void {
  const sourceOf = ({ path, oldPath = path }: Proposal) => oldPath;
  const isOfFile = ({ effect }: Proposal) => effect !== 'command';
  const openAt = (path: string) => reviews.list().filter((each) => isOfFile(each) && sourceOf(each) === path);
  /** Paths that are being read; `again` if they have changed since. */
  const reading = new Map<string, 'once' | 'again'>();

  const refresh = async (path: string) => {
    const text = await read(path);
    for (const { id } of openAt(path)) {
      const proposal = reviews.get(id);
      if (proposal !== undefined) {
        reviews.refresh(id, comparable(text, isNoticed(proposal.effect) ? 'exact' : lineEndsOf(proposal.newText)));
      }
      // Each may be merged, and agents wait meanwhile.
      await nextTurn();
    }
  };

  const look = async (path: string): Promise<void> => {
    if (reading.has(path)) return void reading.set(path, 'again');
    do {
      reading.set(path, 'once');
      await refresh(path).catch((cause: unknown) => onProblem(new Error(`Cannot read ${path} again`, { cause })));
    } while (reading.get(path) === 'again' && openAt(path).length > 0);
    reading.delete(path);
  };

  const follow = async (path: string) => {
    await files.add(path);
    // Decided while the watch was set up.
    if (openAt(path).length === 0) files.remove(path);
    // A change from before the watch began is not missed.
    else await look(path);
  };

  const due = new Map<string, NodeJS.Timeout>();
  const lookSoon = (path: string) => {
    if (due.has(path)) return;
    const timer = setTimeout(() => {
      due.delete(path);
      void look(path);
    }, SETTLE_MS);
    due.set(path, timer.unref());
  };

  const files = watch(lookSoon);
  const unsubscribe = reviews.subscribe((event) => {
    if (!isOfFile(event.proposal)) return;
    const path = sourceOf(event.proposal);
    if (event.kind === 'added') void follow(path);
    // While it was being written, changes of the file were not looked at.
    if (event.kind === 'refreshed' && event.proposal.progress?.kind === 'failed') void look(path);
    if (event.kind === 'removed' && openAt(path).length === 0) files.remove(path);
  });
  return () => {
    unsubscribe();
    files.close();
    for (const timer of due.values()) clearTimeout(timer);
  };
}
