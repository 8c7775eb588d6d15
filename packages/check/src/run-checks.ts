import { withoutSecrets } from '@hawser/client/target';
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
  /** The library that every server on it has this finding from. */
  readonly sdk?: string;
  /** A baseline of the user has this finding. */
  readonly accepted?: true;
  /** Why it was skipped. */
  readonly reason?: string;
}

export interface RunOptions {
  /** Whether checks may call tools of the server. */
  readonly tools: 'call' | 'leave';
  /** The folder of the user's shell, for the line that reproduces a finding. */
  readonly cwd: string;
  readonly signal?: AbortSignal;
  readonly onResult?: (result: Result, index: number) => void;
}

/** Milliseconds for one check, besides those for each of its answers. */
const CHECK_MS = 20_000;
/** Checks that run at once on a server on stdio. Each has processes of its own, so they can't disturb each other. */
const MAX_CONCURRENT = 4;

/**
 * Runs the checks. Those of a server on stdio run at the same time, because most of their time goes into starting it and
 * into waiting for answers that don't come. A check that fails because an answer did not come runs once more when all
 * others are done, and that result counts: a busy machine can make a server look silent. The subject has been prepared.
 * `onResult` gets the results as they come; they are returned in the order of the checks.
 */
export async function runChecks(checks: readonly Check[], subject: Subject, options: RunOptions): Promise<Result[]> {
  const results = new Map<Check, Result>();
  const suspects: Check[] = [];
  const finish = (check: Check, { isCertain: _, ...result }: Outcome) => {
    results.set(check, result);
    options.onResult?.(result, results.size);
  };
  const count = subject.target.kind === 'stdio' ? Math.min(MAX_CONCURRENT, checks.length) : 1;
  const forks = Array.from({ length: Math.max(0, count - 1) }, () => subject.fork());
  const runAll = async (some: readonly Check[], done: (check: Check, outcome: Outcome) => void) => {
    const queue = some.values();
    const work = async (lane: Subject) => {
      for (const check of queue) {
        options.signal?.throwIfAborted();
        done(check, await runCheck(check, lane, options));
      }
    };
    await allDone([subject, ...forks].map(work));
  };
  await runAll(checks, (check, outcome) => {
    if (outcome.status === 'failed' && !outcome.isCertain) suspects.push(check);
    else finish(check, outcome);
  });
  subject.forget();
  for (const fork of forks) fork.forget();
  await runAll(
    checks.filter((check) => suspects.includes(check)),
    finish,
  );
  await Promise.all(forks.map((fork) => fork.close()));
  return checks.flatMap((check) => results.get(check) ?? []);
}

interface Outcome extends Result {
  /** A failure that another try would show again. */
  readonly isCertain?: true;
}

/** Rejects as the first one that does, but after all have settled: none goes on opening connections. */
async function allDone(works: readonly Promise<void>[]): Promise<void> {
  await Promise.allSettled(works);
  await Promise.all(works);
}

async function runCheck(check: Check, subject: Subject, { tools, cwd }: RunOptions): Promise<Outcome> {
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
    return await failed(facts, finding, subject, cwd);
  } catch (error) {
    const { name, message } = error as Error;
    if (name !== 'NotApplicable') {
      // It may still use them.
      subject.doubtShared();
      return await failed(facts, { seen: message, expected: title }, subject, cwd);
    }
    await subject.release();
    return { ...facts, status: 'skipped', reason: message };
  }
}

async function failed(
  facts: Pick<Result, 'id' | 'title' | 'severity' | 'spec' | 'url'>,
  { seen, expected, isCertain }: Finding,
  subject: Subject,
  cwd: string,
): Promise<Outcome> {
  const { target, traffic } = subject;
  const reproduce = reproductionOf({ id: facts.id, target, traffic, cwd });
  await subject.release({ failed: true });
  const shown = { seen: withoutSecrets(seen, target), expected: withoutSecrets(expected, target), reproduce };
  return { ...facts, status: 'failed', ...shown, ...(isCertain && { isCertain }) };
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
