import { spawn } from 'node:child_process';
import { constants } from 'node:os';
import { CommandFailed, ExitCode } from '@hawser/command-line/exit-codes';
import { suggestion } from '@hawser/command-line/suggestion';
import { AGENTS } from '../agents/agents.ts';
import { launchOf } from '../agents/launch.ts';
import { type BridgeChoice, withBridgeOptions } from '../command-line/bridge-choice.ts';
import type { Environment } from '../command-line/environment.ts';
import { HOW_TO_SERVE, runningBridge } from '../command-line/running-bridge.ts';
import { workspaceFolder } from '../command-line/workspace-folder.ts';

export interface RunFlags extends BridgeChoice {
  /** Serve the folder for as long as the agent runs. */
  readonly serve?: true;
}

/** The commands of agents. */
const PROGRAMS = AGENTS.flatMap(({ program }) => program?.command ?? []);

export const runCommand = withBridgeOptions({
  name: 'run',
  argument: 'agent',
  rest: 'arguments',
  description: 'start an agent in this terminal, connected to the bridge of this folder',
  options: [{ name: 'serve', description: 'serve the folder while the agent runs, if no bridge does' }],
  notes: `The agent is a command: ${PROGRAMS.join(', ')} or any other. What follows it is passed to it.
Exits with the agent's code, or 126 if it can't be executed, 127 if there is no such command, 6 if no bridge runs.`,
});

/** Starts an agent in this terminal, connected to a bridge. Ends with the exit code of the agent. */
export async function runAgent(
  flags: RunFlags,
  environment: Environment,
  name: string,
  args: readonly string[],
): Promise<void> {
  const cwd = flags.workspace === undefined ? environment.cwd : workspaceFolder(flags.workspace, environment);
  const ending = new AbortController();
  let agent: StartedAgent | undefined;
  environment.onSignal((signal, code) => {
    if (agent === undefined) {
      ending.abort(new CommandFailed(code, ''));
      return 'exiting';
    }
    // A terminal sends it to the agent as well.
    if (signal !== 'SIGINT' || environment.terminal === undefined) agent.kill(signal);
    return 'ignored';
  });
  const bridge = await bridgeFor(flags, ending.signal, environment);
  try {
    const adapters = await bridge.environment();
    ending.signal.throwIfAborted();
    agent = startAgent(name, args, adapters, { ...environment, cwd });
    const code = await agent.exited;
    // The agent has said what there is to say.
    if (code !== 0) throw new CommandFailed(code, '');
  } finally {
    await bridge.close();
  }
}

interface ChosenBridge {
  environment(): Promise<Readonly<Record<string, string>>>;
  close(): Promise<void>;
}

async function bridgeFor(flags: RunFlags, signal: AbortSignal, environment: Environment): Promise<ChosenBridge> {
  try {
    return await editorBridge(flags, environment);
  } catch (error) {
    if (!CommandFailed.is(error) || error.exitCode !== ExitCode.notRunning) throw error;
    if (flags.serve) return await serveFor(flags, signal, environment);
    throw new CommandFailed(error.exitCode, `${error.message}; or add --serve: hawser run --serve …`);
  }
}

/** A bridge that serves all kinds of agents: not one that `hawser mcp` opened for its own agent. */
async function editorBridge(flags: RunFlags, environment: Environment): Promise<ChosenBridge> {
  const bridge = await runningBridge(flags, environment);
  const { isStandIn, folders } = await bridge.status();
  if (isStandIn !== true) return bridge;
  await bridge.close();
  throw new CommandFailed(ExitCode.notRunning, `No editor serves ${folders.join(', ')}. ${HOW_TO_SERVE}`);
}

/** A bridge in this process. Its changes are decided with `hawser review`, or where the agent asks. */
async function serveFor(
  { workspace = '.' }: RunFlags,
  signal: AbortSignal,
  environment: Environment,
): Promise<ChosenBridge> {
  const { serveQuietly } = await import('../serving/serve-workspace.ts');
  const { control, close } = await serveQuietly({ workspace }, environment, signal);
  return { environment: () => control().environment(), close };
}

interface StartedAgent {
  /** Resolves to the exit code, which is 128 and its number if a signal ended the agent, as in shells. */
  readonly exited: Promise<number>;
  kill(signal: NodeJS.Signals): void;
}

function startAgent(
  name: string,
  given: readonly string[],
  adapters: Readonly<Record<string, string>>,
  environment: Environment,
): StartedAgent {
  const { command, args, environment: env, notice } = launchOf(name, given, adapters, environment);
  const child = spawn(command, [...args], { cwd: environment.cwd, env, stdio: 'inherit' });
  const exited = new Promise<number>((resolve, reject) => {
    child.once('spawn', () => notice !== undefined && environment.stderr(`hawser: ${notice}`));
    child.once('error', (error: NodeJS.ErrnoException) => reject(explain(error, command)));
    child.once('exit', (code, signal) => resolve(code ?? 128 + constants.signals[signal ?? 'SIGTERM']));
  });
  return { exited, kill: (signal) => void child.kill(signal) };
}

function explain({ code, message }: NodeJS.ErrnoException, command: string): Error {
  if (code === 'ENOENT') {
    const programs = AGENTS.flatMap(({ program }) => program ?? []);
    const install = programs.find((program) => program.command === command)?.install;
    const known = programs.map((program) => program.command);
    const hint = install === undefined ? suggestion(command, known) : ` This installs it: ${install}`;
    return new CommandFailed(ExitCode.noCommand, `There is no command ${command}.${hint}`);
  }
  if (code === 'EACCES') return new CommandFailed(ExitCode.notExecutable, `${command} is not executable.`);
  return new CommandFailed(ExitCode.failed, `${command} can't be started: ${message}`);
}
