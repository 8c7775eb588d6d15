import { ALL_CHECKS } from '@hawser/check/all-checks';
import { checkTarget } from '@hawser/check/check-target';
import type { Report } from '@hawser/check/reports/report';
import type { Result } from '@hawser/check/run-checks';
import type { SubjectOptions } from '@hawser/check/subject';
import { inheritedVariables } from '@hawser/client/connections/stdio';
import type { Target } from '@hawser/client/target';
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
