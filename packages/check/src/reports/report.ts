import type { Members } from '@hawser/unknown-values/objects';
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
  /** What it says about itself. */
  readonly server: Members;
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
  info: 'Notes: best practice',
};

/** A failure that fails the whole check. */
export function isError({ status, severity, accepted }: Result): boolean {
  return status === 'failed' && severity === 'error' && !accepted;
}

/** For people: what failed, worst first. Every line is free of line ends, but not escaped for a terminal. */
export function reportLines({ target, server, protocolVersion, summary, results }: Report): string[] {
  const name = [server.name ?? 'unnamed', server.version ?? ''].join(' ').trim();
  const lines = [`${name}, revision ${protocolVersion}: ${target}`];
  const failed = results.filter(({ status }) => status === 'failed');
  const worstFirst = WORST_FIRST.flatMap((severity) => failed.filter((result) => result.severity === severity));
  const own = worstFirst.filter(({ sdk, accepted }) => sdk === undefined && !accepted);
  for (const severity of WORST_FIRST) {
    const some = own.filter((result) => result.severity === severity);
    if (some.length > 0) lines.push('', HEADINGS[severity], ...some.flatMap(failureLines));
  }
  const ofSdk = worstFirst.filter(({ sdk }) => sdk !== undefined);
  const shared = ofSdk.filter(({ accepted }) => !accepted);
  if (shared.length > 0) {
    lines.push('', `Findings of every server on ${shared[0]?.sdk} (--json shows what was seen)`, '');
    lines.push(...shared.map(({ severity, id, title }) => `  ${severity.padEnd(7)}  ${id}: ${title}`));
  }
  const notes = [
    ...(ofSdk.length === 0 ? [] : [`${ofSdk.length} of ${failed.length} are the SDK's`]),
    ...(failed.some(isAccepted) ? [`${failed.filter(isAccepted).length} are accepted`] : []),
  ];
  const more = notes.length === 0 ? '' : ` (${notes.join(', ')})`;
  lines.push('', `${summary.passed} passed, ${summary.failed} failed${more}, ${summary.skipped} skipped.`);
  const withTools = results.filter(({ reason }) => reason?.includes('--call')).map(({ id }) => id);
  if (withTools.length > 0)
    lines.push(`Not run, because they call tools (allow it with --call): ${withTools.join(', ')}.`);
  return lines;
}

function isAccepted({ accepted }: Result): boolean {
  return accepted === true;
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
