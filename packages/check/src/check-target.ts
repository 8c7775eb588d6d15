import { describeTarget, type Target, withoutSecrets } from '@hawser/client/target';
import { objectOrEmpty } from '@hawser/unknown-values/objects';
import type { Check } from './check.ts';
import { withSdk } from './known-sdks.ts';
import { type Report, summaryOf } from './reports/report.ts';
import { type Result, runChecks } from './run-checks.ts';
import { Subject, type SubjectOptions } from './subject.ts';

export interface CheckTargetOptions {
  readonly checks: readonly Check[];
  /** Whether checks may call tools of the server. */
  readonly tools: 'call' | 'leave';
  /** The folder of the user's shell. */
  readonly cwd: string;
  /** The environment of a server on stdio. */
  readonly variables: SubjectOptions['variables'];
  /** Milliseconds to wait for each answer. Default 2000. */
  readonly patience?: number;
  readonly signal: AbortSignal;
  /** Gets the results as they come. */
  readonly onResult: (result: Result, index: number) => void;
}

const PATIENCE_MS = 2000;
const GRACE_MS = 40;
const START_MS = 60_000;

/** The server could not be reached, or does not speak MCP. */
export class NotCheckable extends Error {
  override readonly name = 'NotCheckable';
}

/** Runs the checks on a server. Throws NotCheckable if none can be run. Rejects if the signal aborts. */
export async function checkTarget(target: Target, options: CheckTargetOptions): Promise<Report> {
  const { checks, tools, cwd, variables, patience = PATIENCE_MS, signal, onResult } = options;
  const startTimeout = Math.max(patience, START_MS);
  const subject = new Subject(target, { patience, grace: GRACE_MS, startTimeout, variables });
  // Ends every wait for an answer.
  const abort = () => void subject.close();
  signal.addEventListener('abort', abort, { once: true });
  try {
    const problem = await subject.prepare();
    signal.throwIfAborted();
    if (problem !== undefined)
      throw new NotCheckable(`No connection to ${describeTarget(target)}: ${withoutSecrets(problem, target)}`);
    const results = withSdk(await runChecks(checks, subject, { tools, cwd, signal, onResult }));
    const { protocolVersion } = subject;
    const server = objectOrEmpty(subject.serverInfo);
    return { target: describeTarget(target), server, protocolVersion, summary: summaryOf(results), results };
  } finally {
    signal.removeEventListener('abort', abort);
    await subject.close();
  }
}
