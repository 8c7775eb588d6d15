import { checkCommand } from '@hawser/check/command/check-spec';
import { callCommand } from '@hawser/client/commands/call-spec';
import { listCommands } from '@hawser/client/commands/list-specs';
import { loginCommands } from '@hawser/client/commands/login-specs';
import { recordCommands } from '@hawser/client/commands/record-specs';
import { shellCommand } from '@hawser/client/commands/shell-spec';
import { watchCommands } from '@hawser/client/commands/watch-spec';
import { type Flags, type OptionSpec, SHELLS } from '@hawser/command-line/command';
import { inspectCommand } from '@hawser/inspect/command/inspect-spec';
import { AGENTS } from '../agents/agents.ts';
import type { BridgeCommand } from './command.ts';
import { connectSpec } from './connect-spec.ts';
import { doctorCommand } from './doctor/spec.ts';
import { editorCommand } from './editor/spec.ts';
import { editorsCommand } from './editors-spec.ts';
import { gateCommand } from './gate-spec.ts';
import type { LogFlags } from './log-command.ts';
import { mcpCommand } from './mcp/spec.ts';
import type { ReviewFlags } from './review.ts';
import type { RunFlags } from './run-agent.ts';
import type { BridgeChoice } from './running-bridge.ts';
import { serveCommand } from './serve.ts';
import type { TokensFlags } from './tokens.ts';
import type { TrustFlags } from './trust.ts';
import type { UndoFlags } from './undo.ts';

/** The commands of agents. */
const PROGRAMS = AGENTS.flatMap(({ program }) => program?.command ?? []);

const BRIDGE_OPTIONS: readonly OptionSpec[] = [
  {
    name: 'workspace',
    short: 'w',
    value: 'dir',
    description: 'the folder it serves (default: this one, or the nearest above with a bridge)',
  },
  {
    name: 'bridge',
    short: 'b',
    value: 'pid',
    description: 'its process id, if several bridges serve the folder',
    parse: toPid,
  },
];

export interface CommandGroup {
  readonly title: string;
  readonly commands: readonly BridgeCommand[];
}

/** Each loads what it needs when it runs: reading all of it would take longer than most commands. */
export const commandGroups: readonly CommandGroup[] = [
  {
    title: 'Bridge',
    commands: [
      serveCommand,
      {
        name: 'demo',
        description: 'show how it works: a scripted agent proposes a change in a scratch folder',
        options: [],
        run: async (_flags, _argument, environment) => {
          const { demo } = await import('./demo.ts');
          await demo(environment);
        },
      },
      withBridgeOptions({
        name: 'status',
        description: 'say what a bridge shares, and with whom',
        options: [{ name: 'json', description: 'as JSON' }],
        run: async (given, _argument, environment) => {
          const { status } = await import('./status.ts');
          await status(as<BridgeChoice>(given), { as: given.json === true ? 'json' : 'words' }, environment);
        },
      }),
      withBridgeOptions({
        name: 'pause',
        description: 'share nothing with agents, and refuse what they propose, until resumed',
        options: [],
        run: async (flags, _argument, environment) => {
          const { pause } = await import('./pause.ts');
          await pause(as<BridgeChoice>(flags), environment);
        },
      }),
      withBridgeOptions({
        name: 'resume',
        description: 'share with agents again',
        options: [],
        run: async (flags, _argument, environment) => {
          const { resume } = await import('./pause.ts');
          await resume(as<BridgeChoice>(flags), environment);
        },
      }),
      withBridgeOptions({
        name: 'mention',
        argument: 'file[:lines]',
        description: 'point agents to a file or to lines of it, such as a.ts:10-20',
        options: [],
        run: async (flags, place, environment) => {
          const { mention } = await import('./mention.ts');
          await mention(place, as<BridgeChoice>(flags), environment);
        },
      }),
      withBridgeOptions({
        name: 'stop',
        description: 'stop the bridge that serves a workspace',
        options: [],
        run: async (flags, _argument, environment) => {
          const { stop } = await import('./stop.ts');
          await stop(as<BridgeChoice>(flags), environment);
        },
      }),
    ],
  },
  {
    title: 'Review',
    commands: [
      withBridgeOptions({
        name: 'review',
        description: 'look at the changes that agents propose, and decide on them',
        options: [
          { name: 'list', description: 'list what waits for a decision' },
          { name: 'show', value: 'id', description: 'print one change, as a patch for git apply' },
          { name: 'accept', value: 'id', description: 'accept a change' },
          {
            name: 'hunks',
            value: 'numbers',
            description: 'with --accept: only these parts of it, such as 1,3',
            parse: toHunks,
          },
          {
            name: 'revision',
            value: 'n',
            description: 'with --accept: the revision that --show showed, if the file has changed',
            parse: toRevision,
          },
          { name: 'reject', value: 'id', description: 'reject a change' },
          {
            name: 'ask',
            value: 'id',
            description: 'ask for changes: nothing is written, and the agent gets your notes',
          },
          {
            name: 'note',
            value: 'text',
            description:
              'with --accept, --reject and --ask: what to tell the agent; LINE: before it is about that line',
            isList: true,
          },
          { name: 'json', description: 'with --list and --show: as JSON, texts exact' },
        ],
        notes: `Without --list, --show, --accept, --reject or --ask it is a view in the terminal; ? shows its keys.
An id can be shortened to its first characters, at least four.
Exit codes: 0 done, 6 no bridge runs, 7 no such change, 8 it was decided or withdrawn before, 9 its file has changed.`,
        run: async (flags, _argument, environment) => {
          const { review } = await import('./review.ts');
          await review({ ...as<ReviewFlags>(flags), json: flags.json === true }, environment);
        },
      }),
      {
        name: 'log',
        description: 'list what was decided on the changes of agents',
        options: [
          {
            name: 'workspace',
            short: 'w',
            value: 'dir',
            description: 'the folder whose changes to list',
            default: '.',
          },
          { name: 'all', description: 'those of every folder' },
          { name: 'agent', value: 'name', description: 'only those of this agent' },
          { name: 'count', short: 'n', value: 'n', description: 'how many at most', default: '20', parse: toCount },
          { name: 'show', value: 'id', description: 'print one of them, with its patch and notes' },
          { name: 'json', description: 'as JSON' },
        ],
        notes:
          'Decisions and texts are kept in the state folder, readable for you alone. hawser serve --history off keeps none.',
        run: async (flags, _argument, environment) => {
          const { log } = await import('./log-command.ts');
          log(as<LogFlags>(flags), environment);
        },
      },
      withBridgeOptions({
        name: 'undo',
        description: 'take back a change that was accepted, after a look at what that changes',
        options: [
          { name: 'id', value: 'id', description: 'of hawser log (default: the last one)' },
          { name: 'yes', short: 'y', description: 'without asking' },
        ],
        notes: 'What was changed in the file since then stays, where it is in other lines.',
        run: async (flags, _argument, environment) => {
          const { undo } = await import('./undo.ts');
          await undo(as<UndoFlags>(flags), environment);
        },
      }),
    ],
  },
  {
    title: 'Agents',
    commands: [
      withBridgeOptions({
        name: 'run',
        argument: 'agent',
        rest: 'arguments',
        description: 'start an agent in this terminal, connected to the bridge of this folder',
        options: [{ name: 'serve', description: 'serve the folder while the agent runs, if no bridge does' }],
        notes: `The agent is a command: ${PROGRAMS.join(', ')} or any other. What follows it is passed to it.
Exits with the agent's code, or 126 if it can't be executed, 127 if there is no such command, 6 if no bridge runs.`,
        run: async (flags, agent, environment, rest) => {
          const { runAgent } = await import('./run-agent.ts');
          await runAgent(agent, rest, as<RunFlags>(flags), environment);
        },
      }),
      gateCommand,
      connectSpec,
      editorCommand,
      withBridgeOptions(mcpCommand),
      editorsCommand,
      {
        name: 'tokens',
        description: 'list what agents log in with, and renew it',
        options: [{ name: 'renew', description: 'forget all tokens: the next start of each bridge makes new ones' }],
        notes:
          'A bridge keeps its address and token across restarts, so that agents find it again. Tokens that were not used for 180 days are forgotten.',
        run: async (flags, _argument, environment) => {
          const { tokens } = await import('./tokens.ts');
          await tokens(as<TokensFlags>(flags), environment);
        },
      },
    ],
  },
  {
    title: 'MCP servers',
    commands: [
      ...listCommands,
      callCommand,
      ...watchCommands,
      ...recordCommands,
      shellCommand,
      inspectCommand('found'),
      checkCommand('found'),
      ...loginCommands,
    ],
  },
  {
    title: 'Setup',
    commands: [
      doctorCommand,
      {
        name: 'trust',
        description: 'let language servers that are part of a folder run',
        options: [
          { name: 'workspace', short: 'w', value: 'dir', description: 'the folder, and all below it', default: '.' },
          { name: 'forget', description: 'trust it no longer' },
          { name: 'list', description: 'list the folders that you trust' },
        ],
        notes: `A project can have any program in node_modules/.bin or .venv/bin, and it runs with your rights. Until you trust the
folder, only language servers on your PATH run in it.`,
        run: async (flags, _argument, environment) => {
          const { trust } = await import('./trust.ts');
          await trust(as<TrustFlags>(flags), environment);
        },
      },
      {
        name: 'completion',
        argument: 'shell',
        choices: SHELLS,
        description: `print a completion script for your shell: ${SHELLS.join(', ')}`,
        options: [],
        notes: `bash, zsh: eval "$(hawser completion bash)" in ~/.bashrc, with zsh in ~/.zshrc
fish: hawser completion fish | source, in ~/.config/fish/config.fish`,
        run: async (_flags, shell, environment) => {
          const { completion } = await import('./completion.ts');
          completion(shell, commands, environment);
        },
      },
    ],
  },
];

export const commands: readonly BridgeCommand[] = commandGroups.flatMap((group) => group.commands);

/** A command for a bridge that runs already. */
function withBridgeOptions(command: BridgeCommand): BridgeCommand {
  return { ...command, options: [...BRIDGE_OPTIONS, ...command.options] };
}

/** The options of a command say which flags it has. */
function as<T>(flags: Flags): T {
  return flags as T;
}

function toCount(text: string): number {
  if (/^[1-9]\d{0,8}$/.test(text)) return Number(text);
  throw new Error('A count is a number from 1.');
}

function toPid(text: string): number {
  if (/^[1-9]\d{0,9}$/.test(text)) return Number(text);
  throw new Error('A process id is a number; hawser status names it.');
}

function toRevision(text: string): number {
  if (/^\d{1,9}$/.test(text)) return Number(text);
  throw new Error('A revision is a number, as hawser review --show prints it.');
}

/** Users count from 1. */
function toHunks(text: string): number[] {
  return text.split(',').map((each) => {
    if (!/^\s*[1-9]\d{0,8}\s*$/.test(each)) throw new Error('Hunks are numbers from 1, such as 1,3.');
    return Number(each) - 1;
  });
}
