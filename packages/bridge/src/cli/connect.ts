import { accessSync, constants, existsSync } from 'node:fs';
import { delimiter, join } from 'node:path';
import { snippetOf } from '../connect/config-change.ts';
import { ConfigRefused } from '../connect/config-refused.ts';
import type { Guide, Places } from '../connect/guide.ts';
import { GUIDES, type GuideName } from '../connect/guides.ts';
import { type ConfigChange, readChange, writeChange } from '../connect/write-config.ts';
import { unifiedDiff } from '../review/hunks/unified-diff.ts';
import { suggestion } from '../suggestion.ts';
import { escaped } from '../terminal/glyphs.ts';
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
  const guide = GUIDES[guideName(name)](placesOf(flags, environment));
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
  const known = Object.keys(GUIDES);
  if (known.includes(name)) return name as GuideName;
  throw new CommandFailed(
    ExitCode.usage,
    `${name} is not one of ${known.join(', ')}.${suggestion(name, known)} Others: see hawser mcp --help`,
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

function placesOf({ workspace }: ConnectFlags, environment: Environment): Places {
  const { home, codexHome, copilotHome, variables } = environment;
  return {
    workspace: workspaceFolder(workspace, environment),
    home,
    hawser: hawserCommand(environment),
    codexHome,
    copilotHome,
    configHome: variables.XDG_CONFIG_HOME,
    exists: existsSync,
  };
}

/** By its name if agents find it by that, else by its path. */
function hawserCommand({ variables, program }: Environment): Places['hawser'] {
  // npm adds folders for the commands that it runs.
  const isLasting = (folder: string) => folder !== '' && !/[\\/](node_modules[\\/]\.bin|node-gyp-bin)$/.test(folder);
  const folders = (variables.PATH ?? '').split(delimiter).filter(isLasting);
  return folders.some((folder) => isExecutable(join(folder, 'hawser'))) ? ['hawser'] : program;
}

function isExecutable(path: string): boolean {
  try {
    accessSync(path, constants.X_OK);
    return true;
  } catch {
    return false;
  }
}

function orFailure<Result>(action: () => Result): Result {
  try {
    return action();
  } catch (error) {
    if (!(error instanceof ConfigRefused)) throw error;
    throw new CommandFailed(ExitCode.failed, error.message);
  }
}
