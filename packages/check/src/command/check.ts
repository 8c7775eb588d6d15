import { writeFileSync } from 'node:fs';
import { resolve } from 'node:path';
import type { ClientEnvironment } from '@hawser/client/client-environment';
import { progressLineOnStderr } from '@hawser/client/commands/progress-line';
import { type ClientFlags, withTargetOptions } from '@hawser/client/commands/target-options';
import { targetOf, untilSignal } from '@hawser/client/commands/with-session';
import { inheritedVariables } from '@hawser/client/connections/stdio';
import type { CommandSyntax } from '@hawser/command-line/command';
import { CommandFailed, ExitCode } from '@hawser/command-line/exit-codes';
import { suggestion } from '@hawser/command-line/suggestion';
import { jsonText } from '@hawser/terminal-text/json-text';
import { tableLines } from '@hawser/terminal-text/table';
import { escaped } from '@hawser/terminal-text/wrapping';
import { ALL_CHECKS } from '../all-checks.ts';
import type { Check } from '../check.ts';
import { checkTarget, NotCheckable } from '../check-target.ts';
import { badgeOf } from '../reports/badge.ts';
import { junitOf } from '../reports/junit.ts';
import { isError, type Report, reportLines } from '../reports/report.ts';
import type { Result } from '../run-checks.ts';
import { baselineOf, mended, readBaseline, withBaseline } from './baseline.ts';

export interface CheckFlags extends ClientFlags {
  readonly call?: true;
  readonly only: readonly string[];
  readonly skip: readonly string[];
  readonly list?: true;
  readonly junit?: string;
  readonly badge?: string;
  readonly baseline?: string;
  readonly writeBaseline?: string;
}

/** `editors`: whether the program that has this command can find editors. */
export const checkCommand = (editors: 'found' | 'unknown'): CommandSyntax =>
  withTargetOptions(
    {
      name: 'check',
      description: 'check whether an MCP server follows the protocol',
      options: [
        { name: 'call', description: 'also run the checks that call tools of the server' },
        { name: 'only', value: 'id', description: 'run only this check; can be repeated', isList: true },
        { name: 'skip', value: 'id', description: 'leave this check out; can be repeated', isList: true },
        { name: 'baseline', value: 'file', description: 'accept the findings in this file: the id of a check a line' },
        { name: 'write-baseline', value: 'file', description: 'write the findings of this run to such a file' },
        { name: 'list', description: 'list the checks, and run none' },
        { name: 'json', description: 'the report as JSON' },
        { name: 'junit', value: 'file', description: 'write a JUnit report, too' },
        {
          name: 'badge',
          value: 'file',
          description: 'write a badge, too: SVG, or Markdown for a name that ends with .md',
        },
      ],
      notes: `The server is started or connected to many times, and gets broken messages: don't check a server that others use.
Where an answer did not come, the check runs once more, and only what fails twice is reported. No tool is called without --call.
Exit codes: 0 no check of severity error failed that the baseline does not accept, 1 one did, 10 the server could not be reached or does not speak MCP.`,
    },
    { editors, timeout: 'how long to wait for each answer (default: 2)', without: ['protocol', 'verbose'] },
  );

/** Runs the checks and prints the report. Fails if a check of severity error did. */
export async function checkServer(flags: CheckFlags, environment: ClientEnvironment): Promise<void> {
  const checks = chosenChecks(flags);
  if (flags.list) return listChecks(checks, flags, environment);
  const accepted = acceptedIn(flags, environment);
  const target = await targetOf(flags, environment);
  const { signal, exitCode } = untilSignal(environment);
  const progress = progressOf(checks.length, environment);
  try {
    const seen = await checkTarget(target, {
      checks,
      tools: flags.call ? 'call' : 'leave',
      cwd: environment.cwd,
      variables: inheritedVariables(target, environment.variables),
      signal,
      onResult: (result, index) => progress.show(result, index),
      // Without a limit a silent server would never be reported.
      ...(flags.timeout && { patience: flags.timeout }),
    });
    progress.end();
    const report = withBaseline(seen, accepted);
    print(report, flags, environment);
    sayMended(mended(report, accepted), flags, environment);
    if (report.results.some(isError)) throw new CommandFailed(ExitCode.failed, '');
  } catch (error) {
    progress.end();
    if (signal.aborted) throw new CommandFailed(exitCode(), '');
    throw error instanceof NotCheckable ? new CommandFailed(ExitCode.noServer, error.message) : error;
  }
}

function chosenChecks({ only, skip }: CheckFlags): readonly Check[] {
  const ids = ALL_CHECKS.map(({ id }) => id);
  const unknown = [...only, ...skip].find((id) => !ids.includes(id));
  if (unknown !== undefined) {
    const hint = suggestion(unknown, ids);
    throw new CommandFailed(ExitCode.usage, `Unknown check: ${unknown}. --list lists them.${hint}`);
  }
  return ALL_CHECKS.filter(({ id }) => (only.length === 0 || only.includes(id)) && !skip.includes(id));
}

/** What the baseline accepts. */
function acceptedIn({ baseline }: CheckFlags, { cwd }: ClientEnvironment): ReadonlySet<string> {
  const ids = ALL_CHECKS.map(({ id }) => id);
  return baseline === undefined ? new Set() : readBaseline(resolve(cwd, baseline), ids);
}

function sayMended(ids: readonly string[], { baseline }: CheckFlags, { stderr }: ClientEnvironment): void {
  if (ids.length > 0) stderr(escaped(`These pass now; remove them from ${baseline}: ${ids.join(', ')}`));
}

function listChecks(checks: readonly Check[], { json }: CheckFlags, { stdout, columns }: ClientEnvironment): void {
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

interface CheckProgress {
  show(result: Result, index: number): void;
  end(): void;
}

/** In a terminal one line that is redrawn; elsewhere a line for each check that failed. */
function progressOf(count: number, { stderr, isStderrTerminal }: ClientEnvironment): CheckProgress {
  if (!isStderrTerminal) {
    const show = ({ id, status }: Result, index: number) => {
      if (status === 'failed') stderr(`${index}/${count} failed ${id}`);
    };
    return { show, end: () => {} };
  }
  const line = progressLineOnStderr();
  let failed = 0;
  return {
    show: ({ id, status }, index) => {
      if (status === 'failed') failed += 1;
      const message = failed === 0 ? id : `${failed} failed, ${id}`;
      line.draw({ progress: index, total: count, message });
    },
    end: () => line.clear(),
  };
}

function print(
  report: Report,
  { json, junit, badge, writeBaseline }: CheckFlags,
  { cwd, stdout }: ClientEnvironment,
): void {
  if (junit !== undefined) write(resolve(cwd, junit), junitOf(report));
  if (badge !== undefined) write(resolve(cwd, badge), badgeOf(report, badge.endsWith('.md') ? 'markdown' : 'svg'));
  if (writeBaseline !== undefined) write(resolve(cwd, writeBaseline), baselineOf(report));
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
