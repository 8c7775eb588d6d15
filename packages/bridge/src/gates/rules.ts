import { relative, resolve } from 'node:path';
import { CommandFailed, ExitCode } from '@hawser/command-line/exit-codes';
import { escaped } from '@hawser/terminal-text/wrapping';
import { messageOf } from '@hawser/unknown-values/thrown';
import type { Environment } from '../command-line/environment.ts';
import { workspaceFolder } from '../command-line/workspace-folder.ts';
import { pathFor, type Rule } from '../review/rules/rules.ts';
import { readRules, rulesPath } from '../review/rules/rules-file.ts';

const EXAMPLE = `# The first rule that matches decides; what no rule decides, you are asked about.
refuse *.lock
accept docs/** if at most 20 lines
accept **      if new and tests
[~/scratch]
accept **`;

/** `hawser gate rules`: the user's rules for a folder, and which of them are about some files. */
export function gateRules(
  paths: readonly string[],
  flags: { readonly workspace: string },
  environment: Environment,
): void {
  const folder = workspaceFolder(flags.workspace, environment);
  const say = (line: string) => environment.stdout(escaped(line));
  const rules = orFailure(() => readRules(environment));
  if (rules.length === 0) {
    say(`There are no rules: you are asked about every change. Write them to ${rulesPath(environment)}, for example`);
    for (const line of EXAMPLE.split('\n')) say(`  ${line}`);
    return;
  }
  if (paths.length === 0) {
    say(`${rulesPath(environment)}, of which the first rule that matches decides:`);
    for (const { line, text, folder: of } of rules)
      say(`${String(line).padStart(4)}  ${of === undefined ? '' : `[${of}] `}${text}`);
    say('You are asked about everything else.');
  }
  for (const path of paths) {
    const absolute = resolve(environment.cwd, path);
    for (const line of decisions(rules, absolute, folder)) say(`${relative(environment.cwd, absolute)}: ${line}`);
  }
}

/** The rules about a file, up to the one that decides in any case. */
function decisions(rules: readonly Rule[], path: string, folder: string): readonly string[] {
  const about = rules.filter((rule) => {
    const name = pathFor(rule, path, [folder]);
    return name !== undefined && rule.isFor(name);
  });
  const last = about.findIndex(({ conditions }) => conditions.length === 0);
  const lines = about.slice(0, last === -1 ? undefined : last + 1).map(({ line, text }) => `line ${line}, ${text}`);
  return last === -1 ? [...lines, lines.length === 0 ? 'you are asked' : 'else you are asked'] : lines;
}

function orFailure<Result>(read: () => Result): Result {
  try {
    return read();
  } catch (error) {
    throw new CommandFailed(
      ExitCode.failed,
      `${messageOf(error)}. Until that is mended, you are asked about every change.`,
    );
  }
}
