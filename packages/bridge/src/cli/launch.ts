/** What a program needs that an editor or `hawser run` starts as an agent. */
export interface Launch {
  /** Arguments before those of the user, unless the user gave them. */
  readonly args: readonly string[];
  /** Variables besides those of the adapters. */
  readonly environment: Readonly<Record<string, string>>;
}

/** Agents by the command that starts them. Others get the environment of all adapters and nothing else. */
export const LAUNCHES: Readonly<Record<string, Launch>> = {
  // It connects only when it is asked to.
  claude: { args: ['--ide'], environment: {} },
  codex: { args: [], environment: {} },
  copilot: { args: [], environment: {} },
  gemini: { args: [], environment: {} },
  // With a port it ignores the lock file, and with that the token.
  opencode: { args: [], environment: { CLAUDE_CODE_SSE_PORT: '' } },
  qwen: { args: [], environment: {} },
};

/** Names of adapters and products that users type for a command. */
const COMMANDS: ReadonlyMap<string, string> = new Map([
  ['claude-code', 'claude'],
  ['copilot-cli', 'copilot'],
  ['gemini-cli', 'gemini'],
  ['qwen-code', 'qwen'],
]);

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
  const command = COMMANDS.get(name) ?? name;
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
