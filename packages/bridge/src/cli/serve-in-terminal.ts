import type { Environment } from './environment.ts';
import { type Running, type ServeOptions, serve } from './serve.ts';
import { openTerminalProgram, type TerminalProgram } from './terminal-program.ts';

/** Serves, and shows its views in the terminal it was started in. Leaving them ends the bridge. */
export async function serveInTerminal(
  options: ServeOptions,
  environment: Environment,
  stop: () => void,
): Promise<Running> {
  let program: TerminalProgram | undefined;
  // Errors are shown in the view: lines written to the terminal would spoil it.
  const logging = environment.isStderrTerminal
    ? {
        ...environment,
        stderr: (line: string) => (program === undefined ? environment.stderr(line) : program.say(line)),
      }
    : environment;
  const isLogShown = environment.isStderrTerminal && options.logFile === undefined;
  const logLevel = isLogShown ? 'error' : options.logLevel;
  const running = await serve({ ...options, logLevel }, logging, stop);
  const { terminal } = environment;
  if (terminal === undefined) return running;
  program = openTerminalProgram(running.control(), { terminal, leaving: 'ends the bridge' }, environment);
  void program.over.then(stop);
  return {
    ...running,
    isEditing: () => program?.isEditing() ?? false,
    close: async () => {
      program?.leave();
      await running.close();
    },
  };
}
