import type { CommandSyntax, OptionSpec } from '@hawser/command-line/command';
import type { TargetFlags } from '../resolve-target.ts';

/** The flags that every client command has. */
export interface ClientFlags extends TargetFlags {
  readonly protocol?: string;
  /** Milliseconds. */
  readonly timeout?: number;
  readonly verbose?: true;
  readonly json?: true;
}

/** Those of `@hawser/mcp`, which is loaded later than the options are read. A test compares them. */
export const REVISIONS: readonly string[] = ['2024-11-05', '2025-03-26', '2025-06-18', '2025-11-25', '2026-07-28'];

const TARGET_OPTIONS: readonly OptionSpec[] = [
  { name: 'stdio', value: 'command', description: 'the server that this command starts, such as "node server.js"' },
  { name: 'url', value: 'url', description: 'the server at ws://…, wss://…, http://… or https://…' },
  { name: 'header', value: 'header', description: 'sent to it, as "Name: value"; can be repeated', isList: true },
  { name: 'lock', value: 'file', description: 'the editor that wrote this discovery file; hawser editors lists them' },
  { name: 'server', value: 'name', description: 'the server of this name in a configuration file of your agent' },
  { name: 'config', value: 'file', description: 'with --server: that file (default: the usual ones, nearest first)' },
  {
    name: 'protocol',
    value: 'date',
    description: 'the revision of MCP (default: the newest that the server knows)',
    parse: knownRevision,
  },
  {
    name: 'timeout',
    value: 'seconds',
    description: 'how long to wait for each answer (default: 60); 0 is no limit',
    parse: toMilliseconds,
  },
  { name: 'verbose', short: 'v', description: "print the server's stderr" },
];

const EDITOR_OF_FOLDER = 'the server is the editor that serves this folder.';

export interface TargetOptions {
  /** What happens if the user names no server. */
  readonly withoutTarget?: string;
  /** Whether the program can find editors. Default: it can. */
  readonly editors?: 'found' | 'unknown';
  /** What --timeout limits, where that is special. */
  readonly timeout?: string;
  /** Options that mean nothing for the command. */
  readonly without?: readonly ('protocol' | 'verbose')[];
}

/** A command that speaks with a server. */
export function withTargetOptions(command: CommandSyntax, options: TargetOptions = {}): CommandSyntax {
  const { editors = 'found', timeout, without = [] } = options;
  const { withoutTarget = editors === 'found' ? EDITOR_OF_FOLDER : undefined } = options;
  const own = TARGET_OPTIONS.filter(
    ({ name }) => !without.some((each) => each === name) && (name !== 'lock' || editors === 'found'),
  ).map((option) =>
    option.name === 'timeout' && timeout !== undefined ? { ...option, description: timeout } : option,
  );
  const ways = editors === 'found' ? '--stdio, --url, --lock or --server' : '--stdio, --url or --server';
  const notes = [
    ...(command.notes === undefined ? [] : [command.notes]),
    ...(withoutTarget === undefined ? [] : [`Without ${ways}, ${withoutTarget}`]),
  ];
  return {
    ...command,
    options: [...command.options, ...own],
    ...(notes.length > 0 && { notes: notes.join('\n') }),
  };
}

/** A command for servers over HTTP, which connects to none of them for long. `timeout` says what that option limits. */
export function withUrlOptions(command: CommandSyntax, { timeout }: { readonly timeout: string }): CommandSyntax {
  const options = TARGET_OPTIONS.filter(({ name }) => ['url', 'server', 'config', 'timeout'].includes(name));
  const described = options.map((option) => {
    if (option.name === 'url') return { ...option, description: 'the server at http://… or https://…' };
    return option.name === 'timeout' ? { ...option, description: timeout } : option;
  });
  return { ...command, options: [...command.options, ...described] };
}

function knownRevision(text: string): string {
  if (REVISIONS.includes(text)) return text;
  throw new Error(`A revision of MCP is one of ${REVISIONS.join(', ')}.`);
}

function toMilliseconds(text: string): number {
  if (/^\d{1,6}(\.\d{1,3})?$/.test(text)) return Math.round(Number(text) * 1000);
  throw new Error('A timeout is a number of seconds, such as 10 or 0.5.');
}
