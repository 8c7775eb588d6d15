import { snippetOf } from '../connect/config-change.ts';
import { ConfigRefused } from '../connect/config-refused.ts';
import { GUIDE_NAMES, type Guide, type GuideName } from '../connect/guide.ts';
import { GUIDES } from '../connect/guides.ts';
import { type ConfigChange, readChange, writeChange } from '../connect/write-config.ts';
import { unifiedDiff } from '../review/hunks/unified-diff.ts';
import { suggestion } from '../suggestion.ts';
import { escaped } from '../terminal/wrapping.ts';
import { connectPlaces } from './connect-places.ts';
import type { Environment } from './environment.ts';
import { CommandFailed, ExitCode } from './exit-codes.ts';
import { workspaceFolder } from './workspace-folder.ts';

export interface ConnectFlags {
  readonly workspace: string;
  readonly write?: true;
  readonly dryRun?: true;
}

/** Says how an agent is connected, or writes it into the agent's configuration. */
export function connect(name: string, flags: ConnectFlags, environment: Environment): void {
  const guide = GUIDES[guideName(name)](connectPlaces(workspaceFolder(flags.workspace, environment), environment));
  const text = flags.write || flags.dryRun ? configure(guide, flags) : instructions(name, guide);
  environment.stdout(text.split('\n').map(escaped).join('\n'));
}

/** Returns what to tell the user. */
function configure({ file, steps }: Guide, { dryRun }: ConnectFlags): string {
  const { path } = file;
  const change = orFailure(() => readChange(file));
  if (change.before === change.after) return `hawser: ${path} has these settings already`;
  if (dryRun) return diffOf(path, change);
  orFailure(() => writeChange(path, change));
  return [`hawser: wrote ${path}`, ...steps].join('\n');
}

function guideName(name: string): GuideName {
  const known = GUIDE_NAMES.find((each) => each === name);
  if (known !== undefined) return known;
  throw new CommandFailed(
    ExitCode.usage,
    `${name} is not one of ${GUIDE_NAMES.join(', ')}.${suggestion(name, GUIDE_NAMES)} Others: see hawser mcp --help`,
  );
}

function instructions(name: string, { title, steps, file }: Guide): string {
  return [
    title,
    ...(steps.length === 0 ? [] : ['', 'With its own connection to editors:', ...steps.map((step) => `  ${step}`)]),
    '',
    `With the editor's tools, as an MCP server, in ${file.path}:`,
    ...snippetOf(file)
      .split('\n')
      .map((line) => `  ${line}`),
    '',
    `hawser connect ${name} --write writes this there and keeps what is in the file; --dry-run shows the change.`,
  ].join('\n');
}

function diffOf(path: string, { before, after }: ConfigChange): string {
  const names = { oldName: before === undefined ? '/dev/null' : path, newName: path };
  return unifiedDiff(before ?? '', after, names).trimEnd();
}

function orFailure<Result>(action: () => Result): Result {
  try {
    return action();
  } catch (error) {
    if (!(error instanceof ConfigRefused)) throw error;
    throw new CommandFailed(ExitCode.failed, error.message);
  }
}
