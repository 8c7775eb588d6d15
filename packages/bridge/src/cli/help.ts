import type { CommandSpec, OptionSpec } from './command.ts';
import { HELP } from './parse-flags.ts';

const WIDTH = 80;

export function programHelp(commands: readonly CommandSpec[]): string {
  const rows = commands.map(({ name, argument, description }): Row => [`${name}${shown(argument)}`, description]);
  return [
    'Usage: hawser [command] [options]',
    '',
    'One line between every coding agent and every editor',
    '',
    'Commands (hawser <command> --help has more):',
    ...table(rows),
    '',
    'Options:',
    ...table([
      ['-V, --version', 'print the version'],
      ['-h, --help', 'print this help'],
    ]),
  ].join('\n');
}

export function commandHelp(command: CommandSpec): string {
  const { description, options, notes } = command;
  const rows = [...options, HELP].map((option): Row => [flagsOf(option), describe(option)]);
  return [
    `Usage: hawser ${usageOf(command)}`,
    '',
    description,
    '',
    'Options:',
    ...table(rows),
    ...(notes === undefined ? [] : ['', notes]),
  ].join('\n');
}

type Row = readonly [term: string, description: string];

function shown(argument: string | undefined): string {
  return argument === undefined ? '' : ` <${argument}>`;
}

export function usageOf({ name, argument, more, rest }: CommandSpec): string {
  const list = more === undefined ? '' : ` [${more}...]`;
  return `${name} [options]${shown(argument)}${list}${rest === undefined ? '' : ` [-- ${rest}]`}`;
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

function table(rows: readonly Row[]): string[] {
  const column = Math.max(...rows.map(([term]) => term.length)) + 4;
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
