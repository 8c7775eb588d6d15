import type { TerminalReviewer } from '../review/reviewers/terminal/terminal-reviewer.ts';
import type { Environment } from './environment.ts';
import { openReview } from './review-in-terminal.ts';
import { type Running, type ServeOptions, serve } from './serve.ts';

/** Serves, and shows proposals in the terminal it was started in. Leaving the view ends the bridge. */
export async function serveInTerminal(
  options: ServeOptions,
  environment: Environment,
  stop: () => void,
): Promise<Running> {
  let view: TerminalReviewer | undefined;
  // Errors are shown in the view: lines written to the terminal would spoil it.
  const logging = environment.isStderrTerminal
    ? { ...environment, stderr: (line: string) => (view === undefined ? environment.stderr(line) : view.say(line)) }
    : environment;
  const isLogShown = environment.isStderrTerminal && options.logFile === undefined;
  const logLevel = isLogShown ? 'error' : options.logLevel;
  const running = await serve({ ...options, logLevel }, logging, stop);
  view = openReview(running.control(), 'ask', environment);
  void view?.over.then(stop);
  return {
    ...running,
    isEditing: () => view?.isEditing() ?? false,
    close: async () => {
      view?.leave();
      await running.close();
    },
  };
}
