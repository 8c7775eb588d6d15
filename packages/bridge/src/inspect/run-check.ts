import { ALL_CHECKS } from '../check/all-checks.ts';
import { checkTarget } from '../check/check-target.ts';
import type { Report } from '../check/reports/report.ts';
import type { Result } from '../check/run-checks.ts';
import type { SubjectOptions } from '../check/subject.ts';
import { inheritedVariables } from '../client/connections/stdio.ts';
import type { Target } from '../client/target.ts';
import type { CheckFacts, CheckRequest } from './calls.ts';

export interface CheckRun extends CheckRequest {
  readonly target: Target;
  readonly cwd: string;
  readonly variables: SubjectOptions['variables'];
  readonly signal: AbortSignal;
  onResult(result: Result, index: number, count: number): void;
}

export function listChecks(): CheckFacts[] {
  return ALL_CHECKS.map(({ id, title, severity, callsTools = false }) => ({ id, title, severity, callsTools }));
}

/** Runs every check. Rejects if the server can't be checked at all, or the signal aborts. */
export function runCheck({ target, onResult, variables, ...options }: CheckRun): Promise<Report> {
  return checkTarget(target, {
    ...options,
    variables: inheritedVariables(target, variables),
    checks: ALL_CHECKS,
    onResult: (result, index) => onResult(result, index, ALL_CHECKS.length),
  });
}
