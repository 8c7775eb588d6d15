import { closeAll } from '../close-all.ts';
import type { Environment } from '../command-line/environment.ts';
import { openTerminalProgram, type TerminalProgram } from '../terminal-program/terminal-program.ts';
import { type ServedWorkspace, type ServeOptions, serveWorkspace } from './serve-workspace.ts';
import { type Lifetime, serveUntilEnded } from './until-ended.ts';

/** `hawser serve` in a terminal, with a view of what agents propose. */
export async function runServeInTerminal(options: ServeOptions, environment: Environment): Promise<void> {
  await serveUntilEnded((lifetime) => serveInTerminal(options, environment, lifetime), environment);
}

/** Serves, and shows its views in the terminal it was started in. Leaving them ends the bridge. */
async function serveInTerminal(
  options: ServeOptions,
  environment: Environment,
  lifetime: Lifetime,
): Promise<ServedWorkspace> {
  let program: TerminalProgram | undefined;
  // Errors are shown in the view: lines written to the terminal would spoil it.
  const logging = environment.isStderrTerminal
    ? {
        ...environment,
        stderr: (line: string) => (program === undefined ? environment.stderr(line) : program.say(line)),
      }
    : environment;
  const isLogShown = environment.isStderrTerminal && options.logFile === undefined;
  const running = await serveWorkspace({ ...options, ...(isLogShown && { logLevel: 'error' }) }, logging, lifetime);
  const { terminal } = environment;
  if (terminal === undefined) return running;
  program = openTerminalProgram(running.control(), { terminal, leaving: 'ends the bridge' }, environment);
  void program.over.then(lifetime.end);
  return {
    ...running,
    isEditing: () => program?.isEditing() ?? false,
    close: () => closeAll([() => program?.leave(), () => running.close()]),
  };
}
