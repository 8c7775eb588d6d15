import type { AgentProgram } from '../agent.ts';
import { AGENTS, agentCalled } from './agents.ts';

/** What a program needs that an editor or `hawser run` starts as an agent. */
export type Launch = Required<Pick<AgentProgram, 'args' | 'environment'>>;

/** Agents by the command that starts them. Others get the environment of all adapters and nothing else. */
export const LAUNCHES: Readonly<Record<string, Launch>> = Object.fromEntries(
  AGENTS.flatMap(({ program }) =>
    program === undefined
      ? []
      : [[program.command, { args: program.args ?? [], environment: program.environment ?? {} }]],
  ),
);

export interface LaunchedCommand {
  readonly command: string;
  readonly args: readonly string[];
  readonly environment: Readonly<Record<string, string | undefined>>;
}

/** The command that starts an agent connected to a bridge whose adapters have this environment. */
export function launchOf(
  name: string,
  args: readonly string[],
  adapters: Readonly<Record<string, string>>,
  variables: Readonly<Record<string, string | undefined>>,
): LaunchedCommand {
  const command = agentCalled(name)?.program?.command ?? name;
  const program = command.slice(command.lastIndexOf('/') + 1);
  const launch = Object.hasOwn(LAUNCHES, program) ? LAUNCHES[program] : undefined;
  const added = launch?.args.filter((arg) => !args.includes(arg)) ?? [];
  const hosts = withLoopback(variables.NO_PROXY || variables.no_proxy);
  return {
    command,
    args: [...added, ...args],
    environment: { ...variables, NO_PROXY: hosts, no_proxy: hosts, ...adapters, ...launch?.environment },
  };
}

/** The hosts that are not reached through a proxy. Loopback never is. */
function withLoopback(hosts = ''): string {
  const given = hosts.split(/[,\s]+/).filter((host) => host !== '');
  return [...new Set([...given, 'localhost', '127.0.0.1', '::1'])].join(',');
}
