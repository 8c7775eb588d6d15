import type { Outcome, TestCounts } from '../evaluator.ts';

const SUMMARY = /Did (\d+) checks?\.\s+Pass: +(\d+) .*\s+Skip: +(\d+) .*\s+Fail: +(\d+) /g;

/** Counts from printed summaries as FiveAM makes them, when the Lisp saw no results: another process ran the tests. */
export function withPrintedCounts(outcome: Outcome): Outcome {
  const { tests, stdout } = outcome;
  if (tests === undefined || tests.library !== undefined) return outcome;
  const counts = printedCounts(stdout);
  return counts === undefined ? outcome : { ...outcome, ok: outcome.ok && counts.failed === 0, tests: counts };
}

function printedCounts(output: string): TestCounts | undefined {
  const summaries = [...output.matchAll(SUMMARY)];
  if (summaries.length === 0) return undefined;
  const sum = (group: number) => summaries.reduce((total, found) => total + Number(found[group]), 0);
  return { library: 'printed summary', passed: sum(2), skipped: sum(3), failed: sum(4) };
}
