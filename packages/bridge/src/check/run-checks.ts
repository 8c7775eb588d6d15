import type { Check, Finding, Need, Severity } from './check.ts';
import { reproductionOf } from './reproduction.ts';
import { addressOf } from './specification.ts';
import type { Subject } from './subject.ts';

export interface Result {
  readonly id: string;
  readonly title: string;
  readonly status: 'passed' | 'failed' | 'skipped';
  readonly severity: Severity;
  readonly spec: string;
  /** Where the specification says so. */
  readonly url?: string;
  /** What a server that failed did. */
  readonly seen?: string;
  readonly expected?: string;
  /** A command that shows it. */
  readonly reproduce?: string;
  /** Why it was skipped. */
  readonly reason?: string;
}

export interface RunOptions {
  /** Whether checks may call tools of the server. */
  readonly tools: 'call' | 'leave';
  readonly signal?: AbortSignal;
  readonly onResult?: (result: Result, index: number) => void;
}

/** Milliseconds for one check, besides those for each of its answers. */
const CHECK_MS = 20_000;

/** Runs the checks, one after the other. The subject has been prepared. */
export async function runChecks(checks: readonly Check[], subject: Subject, options: RunOptions): Promise<Result[]> {
  const results: Result[] = [];
  for (const check of checks) {
    options.signal?.throwIfAborted();
    const result = await runCheck(check, subject, options);
    results.push(result);
    options.onResult?.(result, results.length);
  }
  return results;
}

async function runCheck(check: Check, subject: Subject, { tools }: RunOptions): Promise<Result> {
  const { id, title, severity, spec } = check;
  const url = addressOf(spec);
  const facts = { id, title, severity, spec, ...(url !== undefined && { url }) };
  const unmet = check.needs?.find((need) => !meets(subject, need));
  if (unmet !== undefined) return { ...facts, status: 'skipped', reason: REASONS[unmet] };
  if (check.callsTools && tools === 'leave') {
    return { ...facts, status: 'skipped', reason: 'It calls tools of the server; allow that with --call.' };
  }
  try {
    const finding = await withDeadline(check.run(subject), CHECK_MS + 5 * subject.patience);
    if (finding === undefined) {
      await subject.release();
      return { ...facts, status: 'passed' };
    }
    return await failed(facts, finding, subject);
  } catch (error) {
    const { name, message } = error as Error;
    if (name !== 'NotApplicable') return await failed(facts, { seen: message, expected: title }, subject);
    await subject.release();
    return { ...facts, status: 'skipped', reason: message };
  }
}

async function failed(
  facts: Pick<Result, 'id' | 'title' | 'severity' | 'spec' | 'url'>,
  { seen, expected }: Finding,
  subject: Subject,
): Promise<Result> {
  const reproduce = reproductionOf(facts.id, subject.target, subject.traffic);
  await subject.release({ failed: true });
  return { ...facts, status: 'failed', seen, expected, reproduce };
}

async function withDeadline<T>(work: Promise<T>, milliseconds: number): Promise<T> {
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<never>((_, reject) => {
    timer = setTimeout(() => reject(new Error(`The check did not end within ${milliseconds} ms`)), milliseconds);
  });
  try {
    return await Promise.race([work, late]);
  } finally {
    clearTimeout(timer);
  }
}

function meets({ target, initialized, discovered, capabilities }: Subject, need: Need): boolean {
  if (need === 'stdio' || need === 'http' || need === 'websocket') return target.kind === need;
  if (need === 'sessions') return initialized !== undefined;
  if (need === 'stateless') return discovered !== undefined;
  return capabilities?.[need] !== undefined;
}

const REASONS: Readonly<Record<Need, string>> = {
  stdio: 'The server is not reached by stdio.',
  http: 'The server is not reached by HTTP.',
  websocket: 'The server is not reached by WebSocket.',
  sessions: 'The server has no sessions: it does not answer initialize.',
  stateless: 'The server does not serve revision 2026-07-28.',
  tools: 'The server has no tools.',
  resources: 'The server has no resources.',
  prompts: 'The server has no prompts.',
  logging: 'The server has no logging.',
  completions: 'The server has no completions.',
};
