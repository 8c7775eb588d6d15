// @ts-check
// The manual page and the reference of the `hawser` command, from the same source as its `--help`.
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { build } from 'esbuild';
import { root } from './prepare.mjs';

/**
 * @typedef {import('../packages/bridge/src/cli/command.ts').CommandSpec} CommandSpec
 * @typedef {import('../packages/bridge/src/cli/command.ts').OptionSpec} OptionSpec
 * @typedef {typeof import('../packages/bridge/src/cli/help.ts')} Help
 * @typedef {{ commands: readonly CommandSpec[], exitCodes: [code: number, meaning: string][], HELP: OptionSpec } & Help} CommandLine
 */

/** @returns {Promise<CommandLine>} */
export async function readCommandLine() {
  const folder = mkdtempSync(join(tmpdir(), 'hawser-commands-'));
  try {
    const outfile = join(folder, 'commands.mjs');
    const cli = join(root, 'packages', 'bridge', 'src', 'cli');
    const files = ['commands', 'exit-codes', 'help', 'parse-flags'];
    const contents = files.map((name) => `export * from './${name}.ts';`).join('\n');
    await build({
      stdin: { contents, resolveDir: cli, loader: 'ts' },
      outfile,
      bundle: true,
      format: 'esm',
      platform: 'node',
      // What the commands load when they run is not needed to describe them.
      plugins: [{ name: 'specs-only', setup: ({ onResolve }) => onResolve({ filter: /./ }, laterImportsStayOut) }],
      logLevel: 'warning',
    });
    const { ExitCode, EXIT_CODE_MEANINGS, ...rest } = await import(pathToFileURL(outfile).href);
    return { ...rest, exitCodes: Object.entries(ExitCode).map(([name, code]) => [code, EXIT_CODE_MEANINGS[name]]) };
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

/** @param {import('esbuild').OnResolveArgs} args */
function laterImportsStayOut({ kind, path }) {
  return kind === 'dynamic-import' ? { path, external: true } : undefined;
}

/**
 * For `man hawser`.
 * @param {CommandLine} commandLine
 * @param {{ version: string, description: string }} about
 */
export function manPage({ commands, exitCodes, HELP, usageOf, flagsOf, describe }, { version, description }) {
  return [
    `.TH HAWSER 1 "" "hawser ${version}" "User Commands"`,
    '.SH NAME',
    `hawser \\- ${roff(description)}`,
    '.SH SYNOPSIS',
    '.B hawser',
    '[\\fIcommand\\fR] [\\fIoptions\\fR]',
    '.SH COMMANDS',
    'Without a command, \\fBserve\\fR is meant.',
    ...commands.flatMap((command) => [
      `.SS "hawser ${roff(usageOf(command))}"`,
      roff(sentence(command.description)),
      ...[...command.options, HELP].flatMap((option) => [
        '.TP',
        `.B ${roff(flagsOf(option))}`,
        roff(sentence(describe(option))),
      ]),
      ...(command.notes === undefined ? [] : ['.PP', '.nf', roff(command.notes), '.fi']),
    ]),
    '.SH EXIT STATUS',
    ...exitCodes.flatMap(([code, meaning]) => ['.TP', `.B ${code}`, roff(sentence(meaning.replaceAll('`', '')))]),
    '',
  ].join('\n');
}

/**
 * Markdown.
 * @param {CommandLine} commandLine
 */
export function commandReference({ commands, exitCodes, HELP, usageOf, flagsOf, describe }) {
  return [
    '# Commands',
    '',
    'Without a command, `serve` is meant. `hawser COMMAND --help` prints what is here.',
    ...commands.flatMap((command) => [
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
    ]),
    '',
    '## Exit codes',
    '',
    '| code | |',
    '|---|---|',
    ...exitCodes.map(([code, meaning]) => `| ${code} | ${meaning} |`),
    '',
  ].join('\n');
}

/** @param {string} text */
function sentence(text) {
  const first = text.slice(0, 1).toUpperCase();
  return `${first}${text.slice(1)}.`;
}

/** @param {string} text */
function roff(text) {
  return text
    .replaceAll('\\', '\\e')
    .replaceAll('-', '\\-')
    .replace(/^([.'])/gm, '\\&$1')
    .replaceAll('"', '\\(dq');
}

/** @param {string} text */
function cell(text) {
  return text.replaceAll('|', '\\|').replaceAll('<', '&lt;');
}
