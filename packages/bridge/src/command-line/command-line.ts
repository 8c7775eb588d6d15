import { statSync } from 'node:fs';
import { resolve } from 'node:path';
import type { Command } from '@hawser/command-line/command';
import { CommandFailed, ExitCode } from '@hawser/command-line/exit-codes';
import { parseFlags } from '@hawser/command-line/parse-flags';
import { exitCodeOf } from '@hawser/command-line/run-command';
import { suggestion } from '@hawser/command-line/suggestion';
import { commandGroups, commands } from './commands.ts';
import type { Environment } from './environment.ts';

/** Runs the command that the arguments name. Resolves to the exit code when it has ended; `serve` goes on after that. */
export async function runCommandLine(args: readonly string[], environment: Environment): Promise<number> {
  return await exitCodeOf('hawser', environment, () => run(withCommand(args), environment));
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
  const { flags, argument, rest, wantsHelp } = parseFlags({ ...command, title: `hawser ${name}` }, args);
  if (wantsHelp) return await printHelp(name, environment);
  await command.run(flags, environment, argument, rest);
}

function commandNamed(name: string, { cwd }: Environment): Command<Environment> {
  const command = commands.find((known) => known.name === name);
  if (command !== undefined) return command;
  if (statSync(resolve(cwd, name), { throwIfNoEntry: false })?.isDirectory()) {
    throw new CommandFailed(ExitCode.usage, `${name} is a folder. To serve it: hawser --workspace ${name}`);
  }
  const hint = suggestion(name, [...commands.map((known) => known.name), 'help']);
  throw new CommandFailed(ExitCode.usage, `Unknown command ${name}.${hint} hawser --help lists the commands.`);
}

async function printHelp(name: string | undefined, environment: Environment): Promise<void> {
  if (name === undefined || name.startsWith('-')) {
    const { programHelp } = await import('./program-help.ts');
    return environment.stdout(programHelp(commandGroups));
  }
  const { commandHelp } = await import('@hawser/command-line/help');
  environment.stdout(commandHelp({ ...commandNamed(name, environment), title: `hawser ${name}` }));
}
