import { parseArgs } from 'node:util';
import { messageOf } from '@hawser/unknown-values/thrown';
import { type CommandSyntax, type Flags, flagNameOf, type OptionSpec } from './command.ts';
import { CommandFailed, ExitCode } from './exit-codes.ts';
import { suggestion } from './suggestion.ts';

export interface ParsedArguments {
  readonly flags: Flags;
  /** Empty for a command that takes none. */
  readonly argument: string;
  /** What follows the argument of a command that takes more or passes it on. */
  readonly rest: readonly string[];
  readonly wantsHelp: boolean;
}

/** A command by the words that the user runs it with. */
export interface NamedCommand extends CommandSyntax {
  /** Such as `hawser check`. */
  readonly title: string;
}

/** Throws a CommandFailed that says what is wrong with the arguments. */
export function parseFlags(command: NamedCommand, args: readonly string[]): ParsedArguments {
  const { tokens } = parseArgs({
    args: [...args],
    options: Object.fromEntries([...command.options, HELP].map((option) => [option.name, forNode(option)])),
    strict: false,
    allowPositionals: true,
    tokens: true,
  });
  const given = new Map<OptionSpec, string[]>();
  const positionals: string[] = [];
  let list: OptionSpec | undefined;
  let rest: readonly string[] = [];
  for (const token of tokens) {
    if (token.kind === 'positional' && command.rest !== undefined && command.argument === undefined) {
      rest = args.slice(token.index);
      break;
    }
    if (token.kind === 'positional' && command.rest !== undefined) {
      positionals.push(token.value);
      const following = args.slice(token.index + 1);
      rest = following[0] === '--' ? following.slice(1) : following;
      break;
    }
    if (token.kind === 'positional') {
      // `--deny a b` is two values, unless the command takes an argument.
      if (list !== undefined && command.argument === undefined) given.get(list)?.push(token.value);
      else positionals.push(token.value);
      continue;
    }
    list = undefined;
    if (token.kind !== 'option') continue;
    const option = optionOf(command, token.name, token.rawName);
    if (option.isList) list = option;
    given.set(option, [...(given.get(option) ?? []), valueIn(token, option)]);
  }
  if (given.has(HELP)) return { flags: {}, argument: '', rest, wantsHelp: true };
  const argument = argumentOf(command, positionals);
  if (command.more !== undefined) rest = positionals.slice(1);
  return { flags: flagsOf(command, given), argument, rest, wantsHelp: false };
}

export const HELP: OptionSpec = { name: 'help', short: 'h', description: 'print this help' };

function forNode({ value, short }: OptionSpec) {
  return { type: value === undefined ? ('boolean' as const) : ('string' as const), ...(short && { short }) };
}

function optionOf(command: NamedCommand, name: string, rawName: string): OptionSpec {
  const option = [...command.options, HELP].find((known) => known.name === name);
  if (option !== undefined) return option;
  const names = [...command.options, HELP].map((known) => `--${known.name}`);
  throw wrong(command, `Unknown option ${rawName}.${suggestion(rawName, names)}`);
}

interface OptionToken {
  readonly rawName: string;
  readonly value: string | undefined;
  readonly inlineValue: boolean | undefined;
}

function valueIn({ rawName, value, inlineValue }: OptionToken, option: OptionSpec): string {
  if (option.value === undefined) {
    if (value !== undefined) throw new CommandFailed(ExitCode.usage, `${rawName} takes no value.`);
    return '';
  }
  const isMissing = value === undefined || (inlineValue !== true && value.startsWith('-') && value !== '-');
  if (isMissing) throw new CommandFailed(ExitCode.usage, `${rawName} needs a value: ${rawName} <${option.value}>`);
  return value;
}

function flagsOf(command: NamedCommand, given: ReadonlyMap<OptionSpec, readonly string[]>): Flags {
  return Object.fromEntries(
    command.options.flatMap((option) => {
      const value = flagOf(option, given.get(option));
      return value === undefined ? [] : [[flagNameOf(option), value]];
    }),
  );
}

/** Undefined if the option is absent and nothing is meant by that. */
function flagOf(option: OptionSpec, given: readonly string[] | undefined): unknown {
  if (option.value === undefined) return given === undefined ? undefined : true;
  if (option.isList) return (given ?? []).map((text) => parsed(option, text));
  const text = given?.at(-1) ?? option.default;
  return text === undefined ? undefined : parsed(option, text);
}

function parsed({ name, choices, parse }: OptionSpec, text: string): unknown {
  if (choices !== undefined && !choices.includes(text)) {
    const hint = suggestion(text, choices);
    throw new CommandFailed(ExitCode.usage, `--${name} ${text}: choose one of ${choices.join(', ')}.${hint}`);
  }
  if (parse === undefined) return text;
  try {
    return parse(text);
  } catch (error) {
    const why = messageOf(error);
    throw new CommandFailed(ExitCode.usage, `--${name} ${text}: ${why}`);
  }
}

function argumentOf(command: NamedCommand, [first, ...more]: readonly string[]): string {
  const { title, argument, argumentDefault, choices, more: takesMore } = command;
  if (argument === undefined && first !== undefined) throw wrong(command, `${title} takes no argument ${first}.`);
  if (argument !== undefined && first === undefined && argumentDefault === undefined)
    throw wrong(command, `${title} needs <${argument}>${choices === undefined ? '' : `: ${choices.join(', ')}`}.`);
  if (more.length > 0 && takesMore === undefined)
    throw wrong(command, `${title} takes one argument, not ${more.length + 1}.`);
  return first ?? argumentDefault ?? '';
}

function wrong({ title }: NamedCommand, message: string): CommandFailed {
  return new CommandFailed(ExitCode.usage, `${message} ${title} --help lists what it takes.`);
}
