// @ts-check

/**
 * @typedef {object} Verdict
 * @property {string} scenario
 * @property {'passed' | 'failed' | 'skipped'} outcome
 * @property {Finding[]} failures
 * @property {Finding[]} warnings
 *
 * @typedef {{ id: string, message: string }} Finding
 */

/**
 * What the checks of a scenario come to. One in which nothing was found good has failed, whatever the suite says:
 * a client that says nothing at all makes no mistake.
 * @param {string} scenario
 * @param {readonly import('./suite.mjs').Check[] | undefined} checks undefined when it was not run to its end
 * @param {string | undefined} trouble what else went wrong
 * @returns {Verdict}
 */
export function judge(scenario, checks, trouble) {
  if (checks !== undefined && checks.length > 0 && checks.every(({ status }) => status === 'SKIPPED')) {
    return { scenario, outcome: 'skipped', failures: [], warnings: [] };
  }
  const failures = findings(checks, 'FAILURE');
  if (failures.length === 0 && trouble !== undefined) failures.push({ id: 'run', message: trouble });
  if (failures.length === 0 && checks === undefined) failures.push({ id: 'run', message: 'It was not run to its end' });
  if (failures.length === 0 && !checks?.some(({ status }) => status === 'SUCCESS')) {
    failures.push({ id: 'run', message: 'No check was made' });
  }
  return {
    scenario,
    outcome: failures.length === 0 ? 'passed' : 'failed',
    failures,
    warnings: findings(checks, 'WARNING'),
  };
}

/**
 * @param {readonly import('./suite.mjs').Check[] | undefined} checks
 * @param {'FAILURE' | 'WARNING'} wanted
 * @returns {Finding[]}
 */
function findings(checks = [], wanted) {
  return checks
    .filter(({ status }) => status === wanted)
    .map(({ id, errorMessage, description }) => ({ id, message: errorMessage ?? description ?? '' }));
}
