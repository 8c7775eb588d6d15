import { setImmediate as nextTurn } from 'node:timers/promises';
import { afterEach, expect, it } from 'vitest';
import { ReviewQueue } from './queue.ts';
import { refreshStale } from './stale.ts';

const OLD = 'one\ntwo\nthree\nfour\nfive\n';
const NEW = 'ONE\ntwo\nthree\nfour\nfive\n';
const CHANGED = 'one\ntwo\nthree\nfour\nFIVE\n';
const MERGED = 'ONE\ntwo\nthree\nfour\nFIVE\n';

const PATH = '/w/a.txt';

let stop = () => {};
afterEach(() => stop());

/** A proposal for a file whose watch begins when the test says so. */
function start() {
  const file = { text: OLD };
  const changed = { report: () => {} };
  let begin = () => {};
  const begun = new Promise<void>((resolve) => {
    begin = resolve;
  });
  const reviews = new ReviewQueue();
  stop = refreshStale(reviews, {
    watch: (onChange) => {
      changed.report = () => onChange(PATH);
      return { add: () => begun, remove: () => {}, close: () => {} };
    },
    read: async () => file.text,
    onProblem: (problem) => expect(problem).toBeUndefined(),
  });
  const { signal } = new AbortController();
  void reviews.propose({ path: PATH, title: 'a', agent: 'x', oldText: OLD, newText: NEW }, { owner: {}, signal });
  const refreshed: [string, string][] = [];
  reviews.subscribe(({ kind, proposal }) => {
    if (kind === 'refreshed') refreshed.push([proposal.base, proposal.newText]);
  });
  return { file, begin, changed, refreshed };
}

it('a change between the reading of a file and the start of its watch is seen', async () => {
  const { file, begin, refreshed } = start();
  await nextTurn();
  file.text = CHANGED;
  await nextTurn();
  expect(refreshed).toEqual([]);
  begin();
  await expect.poll(() => refreshed).toEqual([['merged', MERGED]]);
});

it('a file that is emptied and written anew is looked at after that', async () => {
  const { file, begin, changed, refreshed } = start();
  begin();
  await nextTurn();
  file.text = '';
  changed.report();
  await nextTurn();
  file.text = CHANGED;
  changed.report();
  await expect.poll(() => refreshed.at(-1)).toEqual(['merged', MERGED]);
  expect(refreshed).toHaveLength(1);
});
