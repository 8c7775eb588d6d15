import { ALL_CHECKS } from '../check/all-checks.ts';
import { type Report, summaryOf } from '../check/reports/report.ts';
import { type Result, runChecks } from '../check/run-checks.ts';
import { Subject, type SubjectOptions } from '../check/subject.ts';
import { describeTarget, type Target } from '../client/target.ts';
import type { CheckFacts, CheckRequest } from './calls.ts';

export interface CheckRun extends CheckRequest {
  readonly target: Target;
  readonly variables: SubjectOptions['variables'];
  readonly signal: AbortSignal;
  onResult(result: Result, index: number, count: number): void;
}

const PATIENCE_MS = 2000;
const GRACE_MS = 40;
const START_MS = 60_000;

export function listChecks(): CheckFacts[] {
  return ALL_CHECKS.map(({ id, title, severity, callsTools = false }) => ({ id, title, severity, callsTools }));
}

/** Runs every check. Rejects if the server can't be checked at all, or the signal aborts. */
export async function runCheck({ target, tools, variables, signal, onResult }: CheckRun): Promise<Report> {
  const times = { patience: PATIENCE_MS, grace: GRACE_MS, startTimeout: START_MS };
  const subject = new Subject(target, { ...times, variables });
  // Ends every wait for an answer.
  const abort = () => void subject.close();
  signal.addEventListener('abort', abort, { once: true });
  try {
    const problem = await subject.prepare();
    signal.throwIfAborted();
    if (problem !== undefined) throw new Error(`No connection to ${describeTarget(target)}: ${problem}`);
    const results = await runChecks(ALL_CHECKS, subject, {
      tools,
      signal,
      onResult: (result, index) => onResult(result, index, ALL_CHECKS.length),
    });
    const { serverInfo: server, protocolVersion } = subject;
    return { target: describeTarget(target), server, protocolVersion, summary: summaryOf(results), results };
  } finally {
    signal.removeEventListener('abort', abort);
    await subject.close();
  }
}
