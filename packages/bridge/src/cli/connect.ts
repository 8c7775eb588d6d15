import type { CommandSyntax } from '@hawser/command-line/command';
import { CommandFailed, ExitCode } from '@hawser/command-line/exit-codes';
import { suggestion } from '@hawser/command-line/suggestion';
import { unifiedDiff } from '@hawser/diffs/unified-diff';
import { escaped } from '@hawser/terminal-text/wrapping';
import type { Agent } from '../agent.ts';
import { AGENTS, agentCalled, calledName } from '../agents/agents.ts';
import { announceWriting, orLeftAsItIs } from '../command-line/config-file.ts';
import type { Environment } from '../command-line/environment.ts';
import { workspaceFolder } from '../command-line/workspace-folder.ts';
import { snippetOf } from '../connect/config-change.ts';
import type { Guide, GuidePlaces } from '../connect/guide.ts';
import { connectPlaces } from '../connect/places.ts';
import { type ConfigChange, readChange, writeChange } from '../connect/write-config.ts';

export interface ConnectFlags {
  readonly workspace: string;
  readonly write?: true;
  readonly dryRun?: true;
}

/** The agents and editors that `hawser connect` knows. */
const NAMES = AGENTS.filter(({ guide }) => guide !== undefined)
  .map(calledName)
  .toSorted();

export const connectCommand: CommandSyntax = {
  name: 'connect',
  argument: 'agent',
  choices: NAMES,
  description: 'show how to connect an agent or another editor, or configure it',
  options: [
    { name: 'workspace', short: 'w', value: 'dir', description: 'the folder of project files', default: '.' },
    { name: 'write', description: 'write it into the configuration file, keeping what is there' },
    { name: 'dry-run', description: 'show the change that --write would make' },
  ],
  notes: `The agent is one of ${NAMES.join(', ')}.`,
};

/** Says how an agent is connected, or writes it into the agent's configuration. */
export async function connect(flags: ConnectFlags, environment: Environment, name: string): Promise<void> {
  const agent = agentWithGuide(name);
  const guide = agent.guide(connectPlaces(workspaceFolder(flags.workspace, environment), environment));
  const text = flags.write || flags.dryRun ? await configure(guide, flags, environment) : instructions(agent, guide);
  environment.stdout(text.split('\n').map(escaped).join('\n'));
}

/** Returns what to tell the user. */
async function configure({ file, steps }: Guide, { dryRun }: ConnectFlags, environment: Environment): Promise<string> {
  const { path } = file;
  const change = orLeftAsItIs(path, () => readChange(file));
  if (change.before === change.after) return `hawser: ${path} has these settings already`;
  if (dryRun) return diffOf(path, change);
  await announceWriting(path, change.after, environment);
  orLeftAsItIs(path, () => writeChange(path, change));
  return [`hawser: wrote ${path}`, ...steps].join('\n');
}

function agentWithGuide(name: string): Agent & { readonly guide: (places: GuidePlaces) => Guide } {
  const agent = agentCalled(name);
  if (agent?.guide !== undefined) return { ...agent, guide: agent.guide };
  const known = AGENTS.filter(({ guide }) => guide !== undefined).map(calledName);
  throw new CommandFailed(
    ExitCode.usage,
    `${name} is not one of ${known.join(', ')}.${suggestion(name, known)} Others: see hawser mcp --help`,
  );
}

function instructions(agent: Agent, { steps, file }: Guide): string {
  return [
    agent.title,
    ...(steps.length === 0 ? [] : ['', 'With its own connection to editors:', ...steps.map((step) => `  ${step}`)]),
    '',
    `With the editor's tools, as an MCP server, in ${file.path}:`,
    ...snippetOf(file)
      .split('\n')
      .map((line) => `  ${line}`),
    '',
    `hawser connect ${calledName(agent)} --write writes this there and keeps what is in the file; --dry-run shows the change.`,
  ].join('\n');
}

function diffOf(path: string, { before, after }: ConfigChange): string {
  const names = { oldName: before === undefined ? '/dev/null' : path, newName: path };
  return unifiedDiff(before ?? '', after, names).trimEnd();
}
