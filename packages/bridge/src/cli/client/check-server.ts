import { writeFileSync } from 'node:fs';
import { resolve } from 'node:path';
import { ALL_CHECKS } from '../../check/all-checks.ts';
import type { Check } from '../../check/check.ts';
import { badgeOf } from '../../check/reports/badge.ts';
import { junitOf } from '../../check/reports/junit.ts';
import { type Report, reportLines, summaryOf } from '../../check/reports/report.ts';
import { type Result, runChecks } from '../../check/run-checks.ts';
import { Subject } from '../../check/subject.ts';
import { describeTarget } from '../../client/target.ts';
import { suggestion } from '../../suggestion.ts';
import { jsonText } from '../../terminal/json-text.ts';
import { tableLines } from '../../terminal/table.ts';
import { escaped } from '../../terminal/wrapping.ts';
import type { Environment } from '../environment.ts';
import { CommandFailed, ExitCode } from '../exit-codes.ts';
import type { ClientFlags } from './target-options.ts';
import { targetOf, untilSignal } from './with-session.ts';

export interface CheckFlags extends ClientFlags {
  readonly call?: true;
  readonly only: readonly string[];
  readonly skip: readonly string[];
  readonly list?: true;
  readonly junit?: string;
  readonly badge?: string;
}

const PATIENCE_MS = 2000;
const GRACE_MS = 40;
const START_MS = 60_000;

/** Runs the checks and prints the report. Fails if a check of severity error did. */
export async function checkServer(flags: CheckFlags, environment: Environment): Promise<void> {
  const checks = chosenChecks(flags);
  if (flags.list) return listChecks(checks, flags, environment);
  const target = await targetOf(flags, environment);
  const { signal, exitCode } = untilSignal(environment);
  // Without a limit a silent server would never be reported.
  const patience = flags.timeout || PATIENCE_MS;
  const subject = new Subject(target, {
    patience,
    grace: GRACE_MS,
    startTimeout: Math.max(patience, START_MS),
    variables: environment.variables,
  });
  // Ends every wait for an answer.
  signal.addEventListener('abort', () => void subject.close(), { once: true });
  try {
    const problem = await subject.prepare();
    if (problem !== undefined && !signal.aborted) {
      throw new CommandFailed(ExitCode.noServer, `No connection to ${describeTarget(target)}: ${problem}`);
    }
    const results = await runChecks(checks, subject, {
      tools: flags.call ? 'call' : 'leave',
      signal,
      onResult: (result, index) => showProgress(result, index, checks.length, environment),
    });
    const report: Report = {
      target: describeTarget(target),
      server: subject.serverInfo,
      protocolVersion: subject.protocolVersion,
      summary: summaryOf(results),
      results,
    };
    print(report, flags, environment);
    if (results.some(isError)) throw new CommandFailed(ExitCode.failed, '');
  } catch (error) {
    if (signal.aborted) throw new CommandFailed(exitCode(), '');
    throw error;
  } finally {
    await subject.close();
  }
}

function isError({ status, severity }: Result): boolean {
  return status === 'failed' && severity === 'error';
}

function chosenChecks({ only, skip }: CheckFlags): readonly Check[] {
  const ids = ALL_CHECKS.map(({ id }) => id);
  const unknown = [...only, ...skip].find((id) => !ids.includes(id));
  if (unknown !== undefined) {
    const hint = suggestion(unknown, ids);
    throw new CommandFailed(ExitCode.usage, `Unknown check: ${unknown}. hawser check --list lists them.${hint}`);
  }
  return ALL_CHECKS.filter(({ id }) => (only.length === 0 || only.includes(id)) && !skip.includes(id));
}

function listChecks(checks: readonly Check[], { json }: CheckFlags, { stdout, columns }: Environment): void {
  if (json) {
    const facts = checks.map(({ id, title, severity, spec, callsTools = false }) => ({
      id,
      title,
      severity,
      spec,
      callsTools,
    }));
    stdout(jsonText({ checks: facts }));
    return;
  }
  const rows = checks.map(({ id, severity, title, spec, callsTools }) => [
    id,
    severity,
    callsTools ? `${title} (calls tools)` : title,
    spec,
  ]);
  for (const line of tableLines([['CHECK', 'SEVERITY', 'RULE', 'SPECIFICATION'], ...rows], columns)) stdout(line);
}

function showProgress(
  { id, status }: Result,
  index: number,
  count: number,
  { stderr, isStderrTerminal }: Environment,
): void {
  if (status === 'failed' || isStderrTerminal) stderr(`${index}/${count} ${status} ${id}`);
}

function print(report: Report, { json, junit, badge }: CheckFlags, { cwd, stdout }: Environment): void {
  if (junit !== undefined) write(resolve(cwd, junit), junitOf(report));
  if (badge !== undefined) write(resolve(cwd, badge), badgeOf(report, badge.endsWith('.md') ? 'markdown' : 'svg'));
  if (json) stdout(jsonText(report));
  else for (const line of reportLines(report)) stdout(escaped(line));
}

function write(path: string, text: string): void {
  try {
    writeFileSync(path, text);
  } catch (error) {
    throw new CommandFailed(ExitCode.failed, `${path} can't be written: ${(error as Error).message}`);
  }
}
