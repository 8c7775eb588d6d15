import { argumentInHelp, type HelpRow, helpTable } from '@hawser/command-line/help';
import type { BridgeCommand } from './command.ts';

export function programHelp(commands: readonly BridgeCommand[]): string {
  const rows = commands.map(
    ({ name, argument, description }): HelpRow => [`${name}${argumentInHelp(argument)}`, description],
  );
  return [
    'Usage: hawser [command] [options]',
    '',
    'One line between every coding agent and every editor',
    '',
    'Commands (hawser <command> --help has more):',
    ...helpTable(rows),
    '',
    'Options:',
    ...helpTable([
      ['-V, --version', 'print the version'],
      ['-h, --help', 'print this help'],
    ]),
  ].join('\n');
}
