import { statSync } from 'node:fs';
import { resolve } from 'node:path';
import { suggestion } from '../suggestion.ts';
import type { CommandSpec } from './command.ts';
import { commands } from './commands.ts';
import type { Environment } from './environment.ts';
import { CommandFailed, ExitCode } from './exit-codes.ts';
import { parseFlags } from './parse-flags.ts';

/** Runs the command that the arguments name. Resolves to the exit code when it has ended; `serve` goes on after that. */
export async function runCommandLine(args: readonly string[], environment: Environment): Promise<number> {
  try {
    await run(withCommand(args), environment);
    return ExitCode.ok;
  } catch (error) {
    const message = error instanceof Error ? error.message : String(error);
    const { escaped } = await import('../terminal/wrapping.ts');
    // Without a message, the reason was printed already.
    if (message !== '') environment.stderr(`hawser: ${message}`.split('\n').map(escaped).join('\n'));
    return CommandFailed.is(error) ? error.exitCode : ExitCode.failed;
  }
}

/** Without a command, `serve` is meant. */
function withCommand(args: readonly string[]): readonly string[] {
  const [first] = args;
  if (first === undefined) return ['serve'];
  if (first === '-h' || first === '--help') return ['help', ...args.slice(1)];
  if (first === '-V') return ['--version'];
  return first.startsWith('-') && first !== '--version' ? ['serve', ...args] : args;
}

async function run([name = '', ...args]: readonly string[], environment: Environment): Promise<void> {
  if (name === '--version') return environment.stdout(environment.version);
  if (name === 'help') return await printHelp(args[0], environment);
  const command = commandNamed(name, environment);
  const { flags, argument, rest, wantsHelp } = parseFlags(command, args);
  if (wantsHelp) return await printHelp(name, environment);
  await command.run(flags, argument, environment, rest);
}

function commandNamed(name: string, { cwd }: Environment): CommandSpec {
  const command = commands.find((known) => known.name === name);
  if (command !== undefined) return command;
  if (statSync(resolve(cwd, name), { throwIfNoEntry: false })?.isDirectory()) {
    throw new CommandFailed(ExitCode.usage, `${name} is a folder. To serve it: hawser --workspace ${name}`);
  }
  const hint = suggestion(name, [...commands.map((known) => known.name), 'help']);
  throw new CommandFailed(ExitCode.usage, `Unknown command ${name}.${hint} hawser --help lists the commands.`);
}

async function printHelp(name: string | undefined, environment: Environment): Promise<void> {
  const { commandHelp, programHelp } = await import('./help.ts');
  const isProgram = name === undefined || name.startsWith('-');
  environment.stdout(isProgram ? programHelp(commands) : commandHelp(commandNamed(name, environment)));
}
