import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { AgentProgram, AskingMode, ModeSetting } from '../agent.ts';
import type { UserPlaces } from '../discovery/format.ts';
import { AGENTS, agentCalled } from './agents.ts';

/** What a program needs that an editor or `hawser run` starts as an agent. */
export interface Launch extends Omit<AgentProgram, 'command' | 'asking'> {
  readonly asking?: ChosenMode;
  readonly args: readonly string[];
  readonly environment: Readonly<Record<string, string>>;
}

/** Plain values, which editors are sent. */
type ChosenMode = Omit<AskingMode, 'setting'>;

/** Where an agent is started. */
export interface LaunchPlace extends UserPlaces {
  readonly cwd: string;
}

/**
 * Agents by the command that starts them, each in the mode that the user has chosen in its settings. Others get the
 * environment of all adapters and nothing else.
 */
export function launchesIn(place: LaunchPlace): Readonly<Record<string, Launch>> {
  return Object.fromEntries(
    AGENTS.flatMap(({ program }) => (program === undefined ? [] : [[program.command, inChosenMode(program, place)]])),
  );
}

function inChosenMode({ command, args = [], environment = {}, asking, ...program }: AgentProgram, place: LaunchPlace) {
  const launch: Launch = { ...program, args, environment };
  if (asking === undefined) return launch;
  const { setting, ...chosen } = asking;
  const mode = setting && chosenMode(setting, place);
  if (mode === undefined || setting?.asks.includes(mode)) return { ...launch, asking: chosen };
  const { flag } = asking;
  return {
    ...launch,
    args: args.filter((arg) => arg !== flag),
    notice: `${command} starts in the mode ${mode}, as its settings say: its edits may not be reviewed. ${flag} has it ask.`,
  };
}

/** The value in the settings that count most: of the project before those of the home. */
function chosenMode({ userFolder, projectFolder, files, at }: ModeSetting, place: LaunchPlace) {
  const folders = [userFolder(place), join(place.cwd, projectFolder)];
  const values = folders.flatMap((each) => files.map((file) => settingIn(join(each, file), at)));
  return values.findLast((value) => value !== undefined);
}

function settingIn(path: string, [group, name]: readonly [string, string]): string | undefined {
  try {
    const value = JSON.parse(readFileSync(path, 'utf8'))?.[group]?.[name];
    // It is shown to the user.
    return typeof value === 'string' && /^[\w-]{1,40}$/.test(value) ? value : undefined;
  } catch {
    // There is none, or the agent itself says what is wrong with it.
    return undefined;
  }
}

export interface LaunchedCommand {
  readonly command: string;
  readonly args: readonly string[];
  readonly environment: Readonly<Record<string, string | undefined>>;
  /** For the user. */
  readonly notice?: string;
}

/** The command that starts an agent connected to a bridge whose adapters have this environment. */
export function launchOf(
  name: string,
  args: readonly string[],
  adapters: Readonly<Record<string, string>>,
  place: LaunchPlace,
): LaunchedCommand {
  const { variables } = place;
  const command = agentCalled(name)?.program?.command ?? name;
  const program = command.slice(command.lastIndexOf('/') + 1);
  const launches = launchesIn(place);
  const launch = Object.hasOwn(launches, program) ? launches[program] : undefined;
  const { asking } = launch ?? {};
  const isChosen = asking !== undefined && choosesMode(args, asking);
  const added = launch?.args.filter((arg) => !args.includes(arg) && !(isChosen && arg === asking.flag)) ?? [];
  const hosts = withLoopback(variables.NO_PROXY || variables.no_proxy);
  const notice = isChosen ? undefined : launch?.notice;
  return {
    command,
    args: [...added, ...args],
    // An editor that runs this program with its own Electron sets that for this program alone.
    environment: {
      ...variables,
      ELECTRON_RUN_AS_NODE: undefined,
      NO_PROXY: hosts,
      no_proxy: hosts,
      ...adapters,
      ...launch?.environment,
    },
    ...(notice !== undefined && { notice }),
  };
}

/** Whether the user's arguments choose the mode in which an agent works. */
function choosesMode(args: readonly string[], { flag, unless, onlyBeforeFlags }: ChosenMode): boolean {
  const [option = ''] = flag.split('=');
  if (onlyBeforeFlags && args[0] !== undefined && !args[0].startsWith('-')) return true;
  return args.some((arg) => arg === option || arg.startsWith(`${option}=`) || unless.includes(arg));
}

/** The hosts that are not reached through a proxy. Loopback never is. */
function withLoopback(hosts = ''): string {
  const given = hosts.split(/[,\s]+/).filter((host) => host !== '');
  return [...new Set([...given, 'localhost', '127.0.0.1', '::1'])].join(',');
}
