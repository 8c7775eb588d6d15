import type { CommandSyntax, OptionSpec } from '@hawser/command-line/command';

/** How the user names a bridge. */
export interface BridgeChoice {
  /** The folder that it serves; else the current one, or the nearest one above that a bridge serves. */
  readonly workspace?: string | undefined;
  /** Its process id. */
  readonly bridge?: number | undefined;
}

const BRIDGE_OPTIONS: readonly OptionSpec[] = [
  {
    name: 'workspace',
    short: 'w',
    value: 'dir',
    description: 'the folder it serves (default: this one, or the nearest above with a bridge)',
  },
  {
    name: 'bridge',
    short: 'b',
    value: 'pid',
    description: 'its process id, if several bridges serve the folder',
    parse: toPid,
  },
];

/** A command for a bridge that runs already. */
export function withBridgeOptions(command: CommandSyntax): CommandSyntax {
  return { ...command, options: [...BRIDGE_OPTIONS, ...command.options] };
}

function toPid(text: string): number {
  if (/^[1-9]\d{0,9}$/.test(text)) return Number(text);
  throw new Error('A process id is a number; hawser status names it.');
}
