import { checkCommand } from '@hawser/check/command/check-spec';
import { callCommand } from '@hawser/client/commands/call-spec';
import { listCommands } from '@hawser/client/commands/list-specs';
import { loginCommands } from '@hawser/client/commands/login-specs';
import { recordCommands } from '@hawser/client/commands/record-specs';
import { shellCommand } from '@hawser/client/commands/shell-spec';
import { watchCommands } from '@hawser/client/commands/watch-spec';
import { type Flags, type OptionSpec, SHELLS } from '@hawser/command-line/command';
import { toPort } from '@hawser/command-line/to-port';
import { inspectCommand } from '@hawser/inspect/command/inspect-spec';
import { AGENTS, CONNECTING_AGENTS, DEFAULT_AGENTS } from '../agents/agents.ts';
import type { BridgeCommand } from './command.ts';
import { connectSpec } from './connect-spec.ts';
import { doctorCommand } from './doctor/spec.ts';
import { editorsCommand } from './editors-spec.ts';
import type { LogFlags } from './log-command.ts';
import { mcpCommand } from './mcp/spec.ts';
import type { ReviewFlags } from './review.ts';
import type { RunFlags } from './run-agent.ts';
import type { BridgeChoice } from './running-bridge.ts';
import type { ServeFlags } from './serve-command.ts';
import type { UndoFlags } from './undo.ts';

/** The commands of agents. */
const PROGRAMS = AGENTS.flatMap(({ program }) => program?.command ?? []);

const AGENT_NAMES = CONNECTING_AGENTS.map(({ name }) => name);

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
      {
        name: 'serve',
        description: 'serve a workspace to coding agents (also without a command)',
        options: [
          { name: 'workspace', short: 'w', value: 'dir', description: 'the folder to serve', default: '.' },
          {
            name: 'editor',
            value: 'name',
            description: 'the editor to serve; neovim is for its plugin, which starts this itself',
            choices: ['workspace', 'neovim'],
            default: 'workspace',
          },
          {
            name: 'port',
            short: 'p',
            value: 'n',
            description: 'the port to listen on (default: the one from last time, or any)',
            parse: toPort,
          },
          {
            name: 'agents',
            value: 'names',
            description: `which kinds of agents can connect: ${AGENT_NAMES.join(', ')}`,
            default: DEFAULT_AGENTS.join(','),
            parse: toAgents,
          },
          { name: 'headless', description: 'no view, even in a terminal' },
          {
            name: 'review',
            value: 'policy',
            description: 'what becomes of proposals',
            choices: ['ask', 'accept', 'reject'],
            default: 'ask',
          },
          {
            name: 'language-servers',
            value: 'where',
            description: 'find language servers in the workspace and on PATH, on PATH only, or not at all',
            choices: ['auto', 'path', 'off'],
            default: 'auto',
          },
          {
            name: 'diagnostics',
            value: 'command',
            description: 'a command that reports problems instead, such as "tsc --noEmit"',
          },
          {
            name: 'matcher',
            value: 'form',
            description: 'how that command reports them',
            choices: ['tsc', 'gcc', 'eslint-json'],
            default: 'tsc',
          },
          {
            name: 'format',
            value: 'command',
            description: 'a command that formats {file}, instead of language servers',
          },
          {
            name: 'noticing',
            value: 'what',
            description: 'whether changes that agents make without asking are noticed and shown',
            choices: ['on', 'off'],
            default: 'on',
          },
          {
            name: 'history',
            value: 'what',
            description: 'whether decisions are kept for hawser log and hawser undo',
            choices: ['kept', 'off'],
            default: 'kept',
          },
          {
            name: 'deny',
            value: 'glob',
            description: 'files whose text no agent gets, besides .env, keys and the like',
            isList: true,
          },
          {
            name: 'execute-code',
            value: 'command',
            description: 'an MCP server on stdio that runs code for agents, such as hawser-lisp',
          },
          { name: 'execute-tool', value: 'name', description: 'the tool of that server', default: 'evaluate-lisp' },
          { name: 'log-file', value: 'path', description: 'where to log instead of stderr' },
          {
            name: 'log-level',
            value: 'level',
            description: 'what to log: everything, or problems only',
            choices: ['info', 'error'],
            default: 'info',
          },
          { name: 'json', description: 'log as JSON, an object a line' },
        ],
        run: async (given, _argument, environment) => {
          const flags = as<ServeFlags>(given);
          if (flags.editor === 'neovim') {
            const { runServeNeovim } = await import('./serve-neovim-command.ts');
            return await runServeNeovim(flags, environment);
          }
          if (flags.headless || environment.terminal === undefined) {
            const { runServe } = await import('./serve-command.ts');
            return await runServe(flags, environment);
          }
          const { runServeInTerminal } = await import('./serve-in-terminal-command.ts');
          await runServeInTerminal(flags, environment);
        },
      },
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
      connectSpec,
      withBridgeOptions(mcpCommand),
      editorsCommand,
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
        name: 'completion',
        argument: 'shell',
        choices: SHELLS,
        description: `print what makes your shell complete hawser: ${SHELLS.join(', ')}`,
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

function toAgents(text: string): string[] {
  return text.split(',').map((given) => {
    const name = given.trim();
    if (!AGENT_NAMES.includes(name)) throw new Error(`Unknown agent: ${given}. Known are ${AGENT_NAMES.join(', ')}.`);
    return name;
  });
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
