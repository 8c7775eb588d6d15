import type { ReviewEvent } from '../audience.ts';
import type { ReviewQueue } from '../queue.ts';
import type { History } from './history.ts';

type Removed = Extract<ReviewEvent, { kind: 'removed' }>;

/** Adds what the user decides to the history until the returned function is called. Agents are answered first. */
export function rememberDecisions(
  reviews: ReviewQueue,
  history: History,
  onProblem: (problem: Error) => void,
): () => void {
  const due: Removed[] = [];
  const add = () => {
    for (const event of due.splice(0)) {
      try {
        history.add(event);
      } catch (error) {
        onProblem(new Error('A decision could not be added to the history', { cause: error }));
      }
    }
  };
  const unsubscribe = reviews.subscribe((event) => {
    if (event.kind !== 'removed' || event.ended.kind === 'withdrawn') return;
    due.push(event);
    setImmediate(add);
  });
  return () => {
    unsubscribe();
    add();
  };
}
