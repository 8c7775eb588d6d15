import type { FileDiagnostics } from '../../editor.ts';
import { isTemporaryFile } from '../../temporary-files.ts';
import { type ProblemMatcher, problemsIn } from './problem-matchers.ts';
import { type Command, runCommand } from './run-command.ts';

export interface CheckCommand {
  readonly command: Command;
  readonly matcher: ProblemMatcher;
  readonly folder: string;
  readonly signal: AbortSignal;
  readonly timeoutMs: number;
  /** Default 16 MiB. */
  readonly maxOutputBytes?: number | undefined;
}

/** Runs a checker to its end. Rejects if it fails without naming a problem. */
export async function runCheck(check: CheckCommand): Promise<readonly FileDiagnostics[]> {
  const { command, matcher, folder, signal, timeoutMs, maxOutputBytes = 16 * 1024 * 1024 } = check;
  const output = await runCommand(command, { folder, signal, timeoutMs, maxOutputBytes });
  const said = { stdout: output.stdout.toString('utf8'), stderr: output.stderr.toString('utf8') };
  const problems = problemsIn(said, matcher, folder);
  // Finding problems is a reason to exit with an error, finding none is not.
  if (problems.length === 0 && output.exitCode !== 0) {
    const tail = (said.stderr.trim() || said.stdout.trim()).slice(-1000);
    throw new Error(`${command[0]} ended with exit code ${output.exitCode ?? 'unknown'} and named no problem: ${tail}`);
  }
  // Some checkers look at the copies that a formatter works on.
  return problems.filter(({ path }) => !isTemporaryFile(path));
}
