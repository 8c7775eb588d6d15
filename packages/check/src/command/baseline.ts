import { readFileSync } from 'node:fs';
import { CommandFailed, ExitCode } from '@hawser/command-line/exit-codes';
import { suggestion } from '@hawser/command-line/suggestion';
import type { Report } from '../reports/report.ts';

/** The ids of accepted findings: one a line; what follows a `#` is a comment. */
export function readBaseline(path: string, known: readonly string[]): ReadonlySet<string> {
  const lines = textOf(path).split('\n');
  const ids = lines.map((line) => line.replace(/#.*/s, '').trim());
  const wrong = ids.findIndex((id) => id !== '' && !known.includes(id));
  if (wrong !== -1) {
    const id = ids[wrong] ?? '';
    throw new CommandFailed(ExitCode.usage, `${path}:${wrong + 1}: unknown check ${id}.${suggestion(id, known)}`);
  }
  return new Set(ids.filter((id) => id !== ''));
}

function textOf(path: string): string {
  try {
    return readFileSync(path, 'utf8');
  } catch (error) {
    const why = (error as Error).message;
    throw new CommandFailed(ExitCode.usage, `${path} can't be read: ${why}. --write-baseline makes a baseline.`);
  }
}

export function baselineOf({ results, target }: Report): string {
  const failed = results.filter(({ status }) => status === 'failed');
  const width = Math.max(0, ...failed.map(({ id }) => id.length)) + 2;
  return [
    `# Findings of hawser check that are accepted, for ${target.replace(/\s+/g, ' ')}. One check a line.`,
    ...failed.map(
      ({ id, severity, title, sdk }) =>
        `${id.padEnd(width)}# ${severity}: ${title}${sdk === undefined ? '' : ` (${sdk})`}`,
    ),
    '',
  ].join('\n');
}

/** Marks what the baseline accepts. */
export function withBaseline(report: Report, accepted: ReadonlySet<string>): Report {
  const results = report.results.map((result) =>
    result.status === 'failed' && accepted.has(result.id) ? { ...result, accepted: true as const } : result,
  );
  return { ...report, results };
}

/** Checks that the baseline accepts and that have passed. */
export function mended({ results }: Report, accepted: ReadonlySet<string>): string[] {
  return results.flatMap(({ id, status }) => (status === 'passed' && accepted.has(id) ? [id] : []));
}
