import type { Environment } from './environment.ts';
import { type ServeFlags, serveUntilEnded } from './serve-command.ts';
import { serveInTerminal } from './serve-in-terminal.ts';

/** `hawser serve` in a terminal, with a view of what agents propose. */
export function runServeInTerminal(flags: ServeFlags, environment: Environment): Promise<void> {
  return serveUntilEnded(serveInTerminal, flags, environment);
}
