import { type ChildConnection, connectStdio } from '@hawser/mcp/stdio';
import type { StdioTarget } from '../target.ts';

export interface StdioOptions {
  /** Gets what the server writes to stderr. */
  readonly onStderr?: (text: string) => void;
}

/** Starts the server. It is in a process group of its own, so that Ctrl-C in the terminal is ours to handle. */
export function openStdio({ command, args, env, cwd }: StdioTarget, options: StdioOptions = {}): ChildConnection {
  return connectStdio({ command, args, env, cwd, ...options, processGroup: 'own' });
}
