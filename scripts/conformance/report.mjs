// @ts-check

/**
 * @typedef {import('./groups.mjs').Group} Group
 * @typedef {import('./verdict.mjs').Verdict} Verdict
 */

/** @param {Group} group */
export function counts({ required }) {
  return {
    required: required.length,
    passed: required.filter(({ outcome }) => outcome === 'passed').length,
    // One that is required and was skipped has not passed.
    failed: required.filter(({ outcome }) => outcome !== 'passed').length,
  };
}

/**
 * What a person reads at the end of a run.
 * @param {readonly Group[]} groups
 */
export function describeGroups(groups) {
  const rows = groups.map((group) => {
    const { required, passed, failed } = counts(group);
    return [group.kind, group.revision, `${required}`, `${passed}`, `${failed}`];
  });
  const sections = [
    table([['', 'revision', 'required', 'passed', 'failed'], ...rows]),
    section(
      'Failures',
      groups.flatMap((group) => group.required.flatMap((verdict) => trouble(group, verdict))),
    ),
    section(
      'Warnings',
      groups.flatMap((group) => group.required.flatMap((verdict) => warnings(group, verdict))),
    ),
    section('Run, but not scored by the suite', groups.flatMap(notScored)),
  ];
  return sections.filter((text) => text !== '').join('\n\n');
}

/** @param {string[][]} rows */
function table(rows) {
  const widths = (rows[0] ?? []).map((_, column) => Math.max(...rows.map((row) => row[column]?.length ?? 0)));
  return rows
    .map((row) =>
      row.map((cell, column) => (column < 2 ? cell.padEnd(widths[column] ?? 0) : cell.padStart(widths[column] ?? 0))),
    )
    .map((cells) => cells.join('  ').trimEnd())
    .join('\n');
}

/**
 * @param {string} title
 * @param {string[]} lines
 */
function section(title, lines) {
  return lines.length === 0 ? '' : [`${title}:`, ...lines.map((line) => `  ${line}`)].join('\n');
}

/**
 * @param {Group} group
 * @param {Verdict} verdict
 */
function trouble({ kind, revision }, { scenario, failures, outcome }) {
  if (outcome === 'skipped') return [`${kind} ${revision} ${scenario}: the suite has skipped it`];
  return failures.map(({ id, message }) => `${kind} ${revision} ${scenario}: ${id}: ${message}`);
}

/**
 * @param {Group} group
 * @param {Verdict} verdict
 */
function warnings({ kind, revision }, verdict) {
  return verdict.warnings.map(({ id, message }) => `${kind} ${revision} ${verdict.scenario}: ${id}: ${message}`);
}

/** @param {Group} group */
function notScored(group) {
  const mark = { passed: '✓', failed: '✗', skipped: '–' };
  return group.notScored.flatMap((verdict) => [
    `${mark[verdict.outcome]} ${group.kind} ${group.revision} ${verdict.scenario} (${verdict.reason})`,
    ...(verdict.outcome === 'failed' ? trouble(group, verdict) : []).map((line) => `  ${line}`),
    ...warnings(group, verdict).map((line) => `  ${line}`),
  ]);
}
