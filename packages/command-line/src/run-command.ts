import { messageOf } from '@hawser/unknown-values/thrown';
import type { Command } from './command.ts';
import type { Environment } from './environment.ts';
import { CommandFailed, ExitCode } from './exit-codes.ts';
import { parseFlags } from './parse-flags.ts';

/** Runs a program that is one command, whose name is in `title`. Resolves to the exit code. */
export async function runOnlyCommand<Around extends Environment>(
  command: Command<Around>,
  title: string,
  args: readonly string[],
  environment: Around,
): Promise<number> {
  return await exitCodeOf(title, environment, async () => {
    if (args.length === 1 && (args[0] === '--version' || args[0] === '-V'))
      return environment.stdout(environment.version);
    const { flags, argument, rest, wantsHelp } = parseFlags({ ...command, title }, args);
    if (!wantsHelp) return await command.run(flags, environment, argument, rest);
    const { commandHelp } = await import('./help.ts');
    environment.stdout(commandHelp({ ...command, title }));
  });
}

/** Prints why a command has failed, and resolves to the code to exit with. */
export async function exitCodeOf(program: string, { stderr }: Environment, run: () => Promise<void>): Promise<number> {
  try {
    await run();
    return ExitCode.ok;
  } catch (error) {
    const message = messageOf(error);
    const { escaped } = await import('@hawser/terminal-text/wrapping');
    // Without a message, the reason was printed already.
    if (message !== '') stderr(`${program}: ${message}`.split('\n').map(escaped).join('\n'));
    return CommandFailed.is(error) ? error.exitCode : ExitCode.failed;
  }
}
