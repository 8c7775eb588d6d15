import { argumentInHelp, type HelpRow, helpTable } from '@hawser/command-line/help';
import type { CommandGroup } from './commands.ts';

export function programHelp(groups: readonly CommandGroup[]): string {
  const rowsOf = ({ commands }: CommandGroup) =>
    commands.map(({ name, argument, description }): HelpRow => [`${name}${argumentInHelp(argument)}`, description]);
  // One table, so that the descriptions of all groups are in one column.
  const column = Math.max(...groups.flatMap(rowsOf).map(([term]) => term.length)) + 4;
  return [
    'Usage: hawser [command] [options]',
    '',
    'One line between every coding agent and every editor',
    '',
    ...groups.flatMap((group) => [`${group.title}:`, ...helpTable(rowsOf(group), column), '']),
    'Options:',
    ...helpTable(
      [
        ['-V, --version', 'print the version'],
        ['-h, --help', 'print this help'],
      ],
      column,
    ),
    '',
    'hawser <command> --help has more about a command.',
  ].join('\n');
}
