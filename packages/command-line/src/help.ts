import type { CommandSyntax, OptionSpec } from './command.ts';
import { HELP, type NamedCommand } from './parse-flags.ts';

const WIDTH = 80;

export function commandHelp(command: NamedCommand): string {
  const { title, description, options, notes } = command;
  const rows = [...options, HELP].map((option): HelpRow => [flagsOf(option), describe(option)]);
  return [
    `Usage: ${usageOf({ ...command, name: title })}`,
    '',
    description,
    '',
    'Options:',
    ...helpTable(rows),
    ...(notes === undefined ? [] : ['', notes]),
  ].join('\n');
}

export type HelpRow = readonly [term: string, description: string];

export function argumentInHelp(argument: string | undefined): string {
  return argument === undefined ? '' : ` <${argument}>`;
}

export function usageOf({ name, argument, argumentDefault, more, rest }: CommandSyntax): string {
  const list = more === undefined ? '' : ` [${more}...]`;
  const first = argumentDefault === undefined ? argumentInHelp(argument) : ` [${argument}]`;
  return `${name} [options]${first}${list}${rest === undefined ? '' : ` [-- ${rest}]`}`;
}

export function flagsOf({ name, short, value, isList }: OptionSpec): string {
  const flags = short === undefined ? `--${name}` : `-${short}, --${name}`;
  return value === undefined ? flags : `${flags} <${value}${isList ? '...' : ''}>`;
}

export function describe({ description, choices, default: meant }: OptionSpec): string {
  const more = [
    ...(choices === undefined ? [] : [`one of ${choices.join(', ')}`]),
    ...(meant === undefined ? [] : [`default: ${meant}`]),
  ];
  return more.length === 0 ? description : `${description} (${more.join('; ')})`;
}

/** Descriptions begin at the column; without one, behind the longest term. */
export function helpTable(
  rows: readonly HelpRow[],
  column = Math.max(...rows.map(([term]) => term.length)) + 4,
): string[] {
  return rows.flatMap(([term, description]) => {
    const [first = '', ...rest] = wrapped(description, WIDTH - column);
    return [`  ${term}`.padEnd(column) + first, ...rest.map((line) => ' '.repeat(column) + line)];
  });
}

function wrapped(text: string, width: number): string[] {
  const lines = [''];
  for (const word of text.split(' ')) {
    const last = lines[lines.length - 1] ?? '';
    if (last !== '' && last.length + 1 + word.length > width) lines.push(word);
    else lines[lines.length - 1] = last === '' ? word : `${last} ${word}`;
  }
  return lines;
}
