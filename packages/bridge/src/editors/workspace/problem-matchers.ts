import { resolve } from 'node:path';
import { isObject, type Members } from '@hawser/unknown-values/objects';
import type { Diagnostic, FileDiagnostics, Severity } from '../../editor.ts';

/** How to read what a checking command says. */
export type ProblemMatcher = 'tsc' | 'eslint-json' | 'gcc' | PatternMatcher;

/** Held against each line. It names the groups `file`, `line` and `message`, and may name the others. */
export interface PatternMatcher {
  /** With `column`, `endLine`, `endColumn`, `severity` and `code` as optional groups; lines and columns count from 1. */
  readonly pattern: RegExp;
  /** When the pattern has no severity. Default `error`. */
  readonly severity?: Severity;
  readonly source?: string;
}

export interface Said {
  readonly stdout: string;
  readonly stderr: string;
}

/** The problems that a command named, by file. Relative paths are relative to the folder it ran in. */
export function problemsIn(said: Said, matcher: ProblemMatcher, folder: string): readonly FileDiagnostics[] {
  const byPath = new Map<string, Diagnostic[]>();
  const found = matcher === 'eslint-json' ? inEslintJson(said.stdout) : inLines(said, matcher);
  let count = 0;
  for (const { file, diagnostic } of found) {
    count += 1;
    if (count > MAX_PROBLEMS) break;
    const path = resolve(folder, file);
    const diagnostics = byPath.get(path);
    if (diagnostics === undefined) byPath.set(path, [diagnostic]);
    else diagnostics.push(diagnostic);
  }
  return [...byPath].map(([path, diagnostics]) => ({ path, diagnostics }));
}

/** Throws when a pattern could not find anything. */
export function checkMatcher(matcher: ProblemMatcher): void {
  if (typeof matcher === 'string') return;
  for (const group of ['file', 'line', 'message']) {
    if (!matcher.pattern.source.includes(`(?<${group}>`)) throw new Error(`The pattern names no group ${group}`);
  }
}

const MAX_PROBLEMS = 10_000;

interface Problem {
  readonly file: string;
  readonly diagnostic: Diagnostic;
}

const linePatterns = {
  tsc: {
    // src/a.ts(3,5): error TS2304: …   and, made pretty:   src/a.ts:3:5 - error TS2304: …
    pattern:
      /^(?<file>[^\s(].*?)(?:\((?<line>\d+),(?<column>\d+)\):|:(?<line2>\d+):(?<column2>\d+) -) (?<severity>error|warning|info|message) TS(?<code>\d+): (?<message>.*)$/,
    source: 'ts',
  },
  gcc: {
    pattern:
      /^(?<file>(?:[A-Za-z]:[\\/])?[^:\s][^:]*):(?<line>\d+):(?:(?<column>\d+):)? *(?<severity>fatal error|error|warning|note|info|hint|remark): (?<message>.*?)(?: \[(?<code>-W[^\]]+)\])?$/,
  },
} satisfies Record<string, PatternMatcher>;

function* inLines({ stdout, stderr }: Said, matcher: 'tsc' | 'gcc' | PatternMatcher): Iterable<Problem> {
  const { pattern, severity, source }: PatternMatcher = typeof matcher === 'string' ? linePatterns[matcher] : matcher;
  // Flags that make a pattern remember where it was would skip every other line.
  const stateless = new RegExp(pattern.source, pattern.flags.replace(/[gy]/g, ''));
  let previous: Problem | undefined;
  for (const line of `${stdout}\n${stderr}`.replace(ansiSequence, '').split(/\r?\n/)) {
    const groups = stateless.exec(line)?.groups;
    if (groups !== undefined) {
      if (previous !== undefined) yield previous;
      previous = problemFrom(groups, severity, source);
    } else if (matcher === 'tsc' && previous !== undefined && /^ {2}\S/.test(line)) {
      // tsc prints the details of an error on indented lines after it.
      const { file, diagnostic } = previous;
      previous = { file, diagnostic: { ...diagnostic, message: `${diagnostic.message}\n${line}` } };
    }
  }
  if (previous !== undefined) yield previous;
}

// biome-ignore lint/suspicious/noControlCharactersInRegex: it is a control character that colours begin with
const ansiSequence = /\x1b\[[0-9;]*[A-Za-z]/g;

function problemFrom(
  groups: Readonly<Record<string, string | undefined>>,
  severity: Severity = 'error',
  source: string | undefined,
): Problem | undefined {
  const { file, message, endLine, endColumn, code } = groups;
  const [line, column] = [groups.line ?? groups.line2, groups.column ?? groups.column2];
  if (file === undefined || message === undefined || line === undefined) return undefined;
  const start = { line: fromOne(line), character: fromOne(column) };
  const end = endLine === undefined && endColumn === undefined ? start : endOf(start, endLine, endColumn);
  return {
    file,
    diagnostic: {
      message,
      severity: groups.severity === undefined ? severity : severityNamed(groups.severity),
      range: { start, end },
      ...(source === undefined ? {} : { source }),
      ...(code === undefined ? {} : { code: /^\d+$/.test(code) ? Number(code) : code }),
    },
  };
}

function endOf(start: { line: number; character: number }, line: unknown, column: unknown) {
  return {
    line: line === undefined || line === null ? start.line : fromOne(line),
    character: column === undefined || column === null ? start.character : fromOne(column),
  };
}

function severityNamed(name: string): Severity {
  const word = name.toLowerCase();
  if (word.startsWith('warn')) return 'warning';
  if (/^(?:info|note|remark|message|notice)/.test(word)) return 'info';
  return word.startsWith('hint') ? 'hint' : 'error';
}

/** From a number that counts from 1; what is missing or nonsense is the first. */
function fromOne(value: unknown): number {
  const number = Number(value ?? 1);
  return Number.isInteger(number) && number > 0 ? number - 1 : 0;
}

function* inEslintJson(stdout: string): Iterable<Problem> {
  const start = stdout.indexOf('[');
  if (start === -1) return;
  const files: unknown = JSON.parse(stdout.slice(start));
  if (!Array.isArray(files)) return;
  for (const file of files.filter(isObject)) {
    if (typeof file.filePath !== 'string' || !Array.isArray(file.messages)) continue;
    for (const message of file.messages.filter(isObject)) {
      if (isIgnoredFile(message)) continue;
      const position = { line: fromOne(message.line), character: fromOne(message.column) };
      yield {
        file: file.filePath,
        diagnostic: {
          message: String(message.message),
          severity: message.severity === 1 ? 'warning' : 'error',
          range: { start: position, end: endOf(position, message.endLine, message.endColumn) },
          source: 'eslint',
          ...(typeof message.ruleId === 'string' ? { code: message.ruleId } : {}),
        },
      };
    }
  }
}

/** ESLint warns when it was asked for a file that its configuration leaves out. */
function isIgnoredFile({ ruleId, line, message }: Members): boolean {
  return (ruleId ?? null) === null && line === undefined && String(message).startsWith('File ignored');
}
