import { type CommandSyntax, type OptionSpec, SHELLS, type Shell } from '@hawser/command-line/command';
import { CommandFailed, ExitCode } from '@hawser/command-line/exit-codes';
import { HELP } from '@hawser/command-line/parse-flags';
import { suggestion } from '@hawser/command-line/suggestion';
import type { Environment } from '../command-line/environment.ts';

export const completionCommand: CommandSyntax = {
  name: 'completion',
  argument: 'shell',
  choices: SHELLS,
  description: `print a completion script for your shell: ${SHELLS.join(', ')}`,
  options: [],
  notes: `bash, zsh: eval "$(hawser completion bash)" in ~/.bashrc, with zsh in ~/.zshrc
fish: hawser completion fish | source, in ~/.config/fish/config.fish`,
};

/** Prints the script that makes a shell complete `hawser`. */
export function completion(name: string, commands: readonly CommandSyntax[], { stdout }: Environment): void {
  const shell = SHELLS.find((known) => known === name);
  if (shell === undefined) {
    const hint = suggestion(name, SHELLS);
    throw new CommandFailed(
      ExitCode.usage,
      `There is no completion for ${name}.${hint} Known are ${SHELLS.join(', ')}.`,
    );
  }
  stdout(completionScript(shell, commands));
}

export function completionScript(shell: Shell, specs: readonly CommandSyntax[]): string {
  return { bash, zsh, fish }[shell](specs);
}

const optionsOf = ({ options }: CommandSyntax) => [...options, HELP];
const flagsOf = ({ name, short }: OptionSpec) => (short === undefined ? [`--${name}`] : [`--${name}`, `-${short}`]);
const namesOf = (specs: readonly CommandSyntax[]) => [...specs.map(({ name }) => name), 'help'];

/** What can stand where a value is expected. */
function valuesOf({
  value,
  choices,
}: {
  value?: string;
  choices?: readonly string[];
}): string[] | 'folders' | 'files' | 'any' {
  if (choices !== undefined) return [...choices];
  if (value === 'dir') return 'folders';
  return value !== undefined && /^(path|file)/.test(value) ? 'files' : 'any';
}

function argumentOf({ argument, choices }: CommandSyntax) {
  return valuesOf({ ...(argument !== undefined && { value: argument }), ...(choices && { choices }) });
}

function bash(specs: readonly CommandSyntax[]): string {
  const words = (values: ReturnType<typeof valuesOf>) => {
    if (values === 'folders') return 'compgen -d -- "$word"';
    if (values === 'files') return 'compgen -f -- "$word"';
    return values === 'any' ? ':' : `compgen -W '${values.join(' ')}' -- "$word"`;
  };
  const cases = specs.flatMap((spec) => {
    const valued = optionsOf(spec).filter(({ value }) => value !== undefined);
    const values = valued.map((each) => `        ${flagsOf(each).join('|')}) ${words(valuesOf(each))} ;;`);
    const all = optionsOf(spec).flatMap(flagsOf).join(' ');
    return [
      `    ${spec.name})`,
      '      case $previous in',
      ...values,
      `        *) if [[ $word == -* ]]; then compgen -W '${all}' -- "$word"; else ${words(argumentOf(spec))}; fi ;;`,
      '      esac ;;',
    ];
  });
  return [
    '# bash completion of hawser: eval "$(hawser completion bash)"',
    '_hawser_words() {',
    "  local word=$1 previous=$2 command=$3 IFS=$' \\t\\n'",
    '  case $command in',
    ...cases,
    `    *) compgen -W '${namesOf(specs).join(' ')} --help --version' -- "$word" ;;`,
    '  esac',
    '}',
    '_hawser() {',
    '  local command="" IFS=$\'\\n\'',
    // The first word, once it is complete and if it is no option.
    `  (( COMP_CWORD > 1 )) && [[ \${COMP_WORDS[1]} != -* ]] && command=\${COMP_WORDS[1]}`,
    '  COMPREPLY=($(_hawser_words "$2" "$3" "$command"))',
    '}',
    'complete -F _hawser hawser',
  ].join('\n');
}

function zsh(specs: readonly CommandSyntax[]): string {
  const quoted = (text: string) => text.replaceAll("'", "'\\''").replaceAll(/[[\]:]/g, '\\$&');
  const action = (values: ReturnType<typeof valuesOf>) => {
    if (values === 'folders') return '_files -/';
    if (values === 'files') return '_files';
    return values === 'any' ? ' ' : `(${values.join(' ')})`;
  };
  const option = (each: OptionSpec) => {
    const flags = flagsOf(each);
    const [first] = flags;
    const names =
      flags.length === 1 ? `'${each.isList ? '*' : ''}${first}` : `'(${flags.join(' ')})'{${flags.join(',')}}'`;
    const value = each.value === undefined ? '' : `:${quoted(each.value)}:${action(valuesOf(each))}`;
    return `        ${names}[${quoted(each.description)}]${value}' \\`;
  };
  const cases = specs.flatMap((spec) => [
    `      ${spec.name})`,
    '        _arguments \\',
    ...optionsOf(spec).map(option),
    spec.argument === undefined
      ? '        && return 0'
      : `        '1:${quoted(spec.argument)}:${action(argumentOf(spec))}' && return 0`,
    '        ;;',
  ]);
  return [
    '#compdef hawser',
    '# zsh completion of hawser: eval "$(hawser completion zsh)"',
    '_hawser() {',
    '  local -a commands',
    '  commands=(',
    ...specs.map(({ name, description }) => `    '${name}:${quoted(description)}'`),
    '  )',
    '  if (( CURRENT == 2 )) && [[ $words[2] != -* ]]; then _describe command commands; return; fi',
    '  local command=$words[2]',
    '  shift words; (( CURRENT-- ))',
    '  case $command in',
    ...cases,
    '  esac',
    '}',
    // Loaded as a file of its own or by eval.
    'if [[ $funcstack[1] == _hawser ]]; then _hawser "$@"; else compdef _hawser hawser; fi',
  ].join('\n');
}

function fish(specs: readonly CommandSyntax[]): string {
  const quoted = (text: string) => `'${text.replaceAll('\\', '\\\\').replaceAll("'", "\\'")}'`;
  const values = (given: ReturnType<typeof valuesOf>) => {
    if (given === 'folders') return " -x -a '(__fish_complete_directories)'";
    if (given === 'files') return ' -r -F';
    return given === 'any' ? ' -x' : ` -x -a ${quoted(given.join(' '))}`;
  };
  const lines = specs.flatMap((spec) => {
    const { name, description, argument } = spec;
    const condition = `-n '__fish_seen_subcommand_from ${name}'`;
    const options = optionsOf(spec).map((each) => {
      const short = each.short === undefined ? '' : ` -s ${each.short}`;
      const value = each.value === undefined ? '' : values(valuesOf(each));
      return `complete -c hawser ${condition} -l ${each.name}${short}${value} -d ${quoted(each.description)}`;
    });
    const given = argumentOf(spec);
    return [
      `complete -c hawser -n __fish_use_subcommand -a ${name} -d ${quoted(description)}`,
      ...options,
      ...(argument === undefined ? [] : [`complete -c hawser ${condition}${given === 'any' ? '' : values(given)}`]),
    ];
  });
  return ['# fish completion of hawser: hawser completion fish | source', 'complete -c hawser -f', ...lines].join('\n');
}
