import { expect, it } from 'vitest';
import type { Outcome } from '../evaluator.ts';
import { withPrintedCounts } from './test-output.ts';

const outcome: Outcome = {
  ok: true,
  package: 'COMMON-LISP-USER',
  values: [],
  stdout: '',
  stderr: '',
  warnings: [],
  timing: { realMs: 0, runMs: 0 },
};
const unknown = { passed: 0, failed: 0, skipped: 0 };
const summary = (pass: number, fail: number) =>
  ` Did ${pass + 1 + fail} checks.\n    Pass: ${pass} (40%)\n    Skip: 1 (20%)\n    Fail: ${fail} (40%)\n\n Failure Details:\n`;

it('summaries in the output count when the Lisp saw no results', () => {
  const stdout = `Running ...\n${summary(2, 2)}${summary(0, 1)}`;
  const refined = withPrintedCounts({ ...outcome, stdout, tests: unknown });
  expect(refined).toMatchObject({ ok: false, tests: { passed: 2, skipped: 2, failed: 3 } });
  expect(withPrintedCounts({ ...outcome, stdout: summary(4, 0), tests: unknown })).toMatchObject({
    ok: true,
    tests: { passed: 4, skipped: 1, failed: 0 },
  });
});

it('nothing else is read out of output', () => {
  const seen = { ...outcome, stdout: summary(0, 3), tests: { library: 'Rove', passed: 1, failed: 0, skipped: 0 } };
  expect(withPrintedCounts(seen)).toBe(seen);
  const silent = { ...outcome, stdout: 'Did 3 things.', tests: unknown };
  expect(withPrintedCounts(silent)).toBe(silent);
  const evaluated = { ...outcome, stdout: summary(0, 3) };
  expect(withPrintedCounts(evaluated)).toBe(evaluated);
});
