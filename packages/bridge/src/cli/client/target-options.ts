import type { TargetFlags } from '../../client/resolve-target.ts';
import type { CommandSpec, OptionSpec } from '../command.ts';

/** The flags that every client command has. */
export interface ClientFlags extends TargetFlags {
  readonly protocol?: string;
  /** Milliseconds. */
  readonly timeout?: number;
  readonly verbose?: true;
  readonly json?: true;
}

const TARGET_OPTIONS: readonly OptionSpec[] = [
  { name: 'stdio', value: 'command', description: 'the server that this command starts, such as "node server.js"' },
  { name: 'url', value: 'url', description: 'the server at ws://…, wss://…, http://… or https://…' },
  { name: 'header', value: 'header', description: 'sent to it, as "Name: value"; can be repeated', isList: true },
  { name: 'lock', value: 'file', description: 'the editor that wrote this discovery file; hawser editors lists them' },
  { name: 'server', value: 'name', description: 'the server of this name in a configuration file of your agent' },
  { name: 'config', value: 'file', description: 'with --server: that file (default: the usual ones, nearest first)' },
  { name: 'protocol', value: 'date', description: 'the revision of MCP (default: the newest that the server knows)' },
  {
    name: 'timeout',
    value: 'seconds',
    description: 'how long to wait for each answer (default: 60); 0 is no limit',
    parse: toMilliseconds,
  },
  { name: 'verbose', short: 'v', description: "print the server's stderr" },
];

const EDITOR_OF_FOLDER =
  'Without --stdio, --url, --lock or --server, the server is the editor that serves this folder.';

/** A command that speaks with a server. `withoutTarget` says what it does if the user names none. */
export function withTargetOptions(command: CommandSpec, withoutTarget = EDITOR_OF_FOLDER): CommandSpec {
  const { notes } = command;
  return {
    ...command,
    options: [...command.options, ...TARGET_OPTIONS],
    notes: notes === undefined ? withoutTarget : `${notes}\n${withoutTarget}`,
  };
}

function toMilliseconds(text: string): number {
  if (/^\d{1,6}(\.\d{1,3})?$/.test(text)) return Math.round(Number(text) * 1000);
  throw new Error('A timeout is a number of seconds, such as 10 or 0.5.');
}
