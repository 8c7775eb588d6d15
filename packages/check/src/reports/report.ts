import type { Severity } from '../check.ts';
import type { Result } from '../run-checks.ts';

export interface Summary {
  readonly passed: number;
  readonly failed: number;
  readonly skipped: number;
}

/** The shape of `--json`. */
export interface Report {
  readonly target: string;
  readonly server: { readonly name?: string; readonly version?: string };
  readonly protocolVersion: string;
  readonly summary: Summary;
  readonly results: readonly Result[];
}

export function summaryOf(results: readonly Result[]): Summary {
  const count = (status: Result['status']) => results.filter((result) => result.status === status).length;
  return { passed: count('passed'), failed: count('failed'), skipped: count('skipped') };
}

const WORST_FIRST: readonly Severity[] = ['error', 'warning', 'info'];
const HEADINGS: Readonly<Record<Severity, string>> = {
  error: 'Errors: the specification says MUST, or clients break',
  warning: 'Warnings: the specification says SHOULD, or clients have to guess',
  info: 'Notes: good manners',
};

/** For people: what failed, worst first. Every line is free of line ends, but not escaped for a terminal. */
export function reportLines({ target, server, protocolVersion, summary, results }: Report): string[] {
  const name = [server.name ?? 'unnamed', server.version ?? ''].join(' ').trim();
  const lines = [`${name}, revision ${protocolVersion}: ${target}`];
  for (const severity of WORST_FIRST) {
    const failed = results.filter((result) => result.status === 'failed' && result.severity === severity);
    if (failed.length > 0) lines.push('', HEADINGS[severity], ...failed.flatMap(failureLines));
  }
  const withTools = results.filter(({ reason }) => reason?.includes('--call')).map(({ id }) => id);
  lines.push('', `${summary.passed} passed, ${summary.failed} failed, ${summary.skipped} skipped.`);
  if (withTools.length > 0)
    lines.push(`Not run, because they call tools (allow it with --call): ${withTools.join(', ')}.`);
  return lines;
}

function failureLines({ id, title, spec, url, seen = '', expected = '', reproduce = '' }: Result): string[] {
  return [
    '',
    `  ${id}: ${title}`,
    `    spec       ${spec}`,
    ...(url === undefined ? [] : [`               ${url}`]),
    `    seen       ${oneLine(seen)}`,
    `    expected   ${expected}`,
    `    reproduce  ${oneLine(reproduce)}`,
  ];
}

function oneLine(text: string): string {
  return text.replace(/\r?\n/g, ' ↵ ');
}
