// @ts-check

/**
 * The part of vitest's JSON report that is read here.
 * @typedef {object} VitestReport
 * @property {number} numPassedTests
 * @property {number} numFailedTests
 * @property {number} numPendingTests
 * @property {number} numTodoTests
 * @property {{ status: string, assertionResults: { status: string }[] }[]} testResults
 */

/**
 * The closing line of `npm test`. A file that could not be loaded counts as one failure, and so does a run that failed
 * without a failed test (an unhandled rejection, no test found, no report at all).
 * @param {VitestReport | undefined} report
 * @param {number} exitCode
 */
export function closingLine(report, exitCode) {
  const brokenFiles = (report?.testResults ?? []).filter(
    (file) => file.status === 'failed' && !file.assertionResults.some(({ status }) => status === 'failed'),
  );
  const counted = (report?.numFailedTests ?? 0) + brokenFiles.length;
  const failed = exitCode === 0 ? counted : Math.max(counted, 1);
  const skipped = (report?.numPendingTests ?? 0) + (report?.numTodoTests ?? 0);
  return `${report?.numPassedTests ?? 0} passed, ${failed} failed${skipped > 0 ? `, ${skipped} skipped` : ''}`;
}
