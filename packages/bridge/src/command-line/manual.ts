import { EXIT_CODE_MEANINGS, ExitCode } from '@hawser/command-line/exit-codes';
import { describe, flagsOf, usageOf } from '@hawser/command-line/help';
import { HELP } from '@hawser/command-line/parse-flags';
import { commands } from './commands.ts';

// The build makes the manual page and the reference from these, with the words of `--help`.

export interface ProgramDetails {
  readonly version: string;
  readonly description: string;
}

const exitCodes = Object.entries(EXIT_CODE_MEANINGS).map(
  ([name, meaning]) => [ExitCode[name as keyof typeof ExitCode], meaning] as const,
);

/** For `man hawser`. */
export function manPage({ version, description }: ProgramDetails): string {
  const described = commands.flatMap((command) => [
    `.SS "hawser ${roff(usageOf(command))}"`,
    roff(sentence(command.description)),
    ...[...command.options, HELP].flatMap((option) => [
      '.TP',
      `.B ${roff(flagsOf(option))}`,
      roff(sentence(describe(option))),
    ]),
    ...(command.notes === undefined ? [] : ['.PP', '.nf', roff(command.notes), '.fi']),
  ]);
  return [
    `.TH HAWSER 1 "" "hawser ${version}" "User Commands"`,
    '.SH NAME',
    `hawser \\- ${roff(description)}`,
    '.SH SYNOPSIS',
    '.B hawser',
    '[\\fIcommand\\fR] [\\fIoptions\\fR]',
    '.SH COMMANDS',
    'Without a command, \\fBserve\\fR is meant.',
    ...described,
    '.SH EXIT STATUS',
    ...exitCodes.flatMap(([code, meaning]) => ['.TP', `.B ${code}`, roff(sentence(meaning.replaceAll('`', '')))]),
    '',
  ].join('\n');
}

/** For the documentation: Markdown. */
export function commandReference(): string {
  const described = commands.flatMap((command) => [
    '',
    `## hawser ${command.name}`,
    '',
    sentence(command.description),
    '',
    '```',
    `hawser ${usageOf(command)}`,
    '```',
    '',
    '| option | |',
    '|---|---|',
    ...[...command.options, HELP].map((option) => `| \`${flagsOf(option)}\` | ${cell(describe(option))} |`),
    ...(command.notes === undefined ? [] : ['', ...command.notes.split('\n').map((line) => `${cell(line)}  `)]),
  ]);
  return [
    '# Commands',
    '',
    'Without a command, `serve` is meant. `hawser COMMAND --help` prints what is here.',
    ...described,
    '',
    '## Exit codes',
    '',
    '| code | |',
    '|---|---|',
    ...exitCodes.map(([code, meaning]) => `| ${code} | ${meaning} |`),
    '',
  ].join('\n');
}

function sentence(text: string): string {
  return `${text.slice(0, 1).toUpperCase()}${text.slice(1)}.`;
}

function roff(text: string): string {
  return text
    .replaceAll('\\', '\\e')
    .replaceAll('-', '\\-')
    .replace(/^([.'])/gm, '\\&$1')
    .replaceAll('"', '\\(dq');
}

function cell(text: string): string {
  return text.replaceAll('|', '\\|').replaceAll('<', '&lt;');
}
