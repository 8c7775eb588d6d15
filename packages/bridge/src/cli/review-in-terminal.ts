import type { ControlClient } from '../control/connect.ts';
import { editText } from '../review/reviewers/terminal/edit-text.ts';
import { type ReviewRun, runReview } from '../review/reviewers/terminal/terminal-reviewer.ts';
import type { ReviewOptions } from '../review/reviewers/terminal/view.ts';
import { Terminal } from '../terminal/terminal.ts';
import type { Environment } from './environment.ts';
import { CommandFailed, ExitCode } from './exit-codes.ts';
import { runningBridge } from './running-bridge.ts';

/** The view of `hawser review`. */
export async function reviewInTerminal(workspace: string | undefined, environment: Environment): Promise<void> {
  if (environment.terminal === undefined) {
    throw new CommandFailed(
      ExitCode.usage,
      'hawser review needs a terminal; without one use --list, --show, --accept or --reject',
    );
  }
  const bridge = await runningBridge(workspace, environment);
  const run = openReview(bridge, 'at once', environment);
  if (run === undefined) return;
  environment.onSignal((signal, code) => {
    // Ctrl-C in the person's editor is meant for that.
    if (signal === 'SIGINT' && run.isEditing()) return 'ignored';
    run.leave();
    process.exit(code);
  });
  const why = await run.over;
  await bridge.close();
  if (why === 'bridge ended') throw new CommandFailed(ExitCode.notRunning, 'The bridge has ended');
}

/** Undefined without a terminal. */
export function openReview(
  bridge: ControlClient,
  leaving: ReviewOptions['leaving'],
  { terminal, editor, temporaryFolder, stderr }: Environment,
): ReviewRun | undefined {
  if (terminal === undefined) return undefined;
  return runReview({
    bridge,
    leaving,
    terminal: new Terminal(terminal),
    editText: (path, text) => editText(path, text, { editor, temporaryFolder }),
    onKept: (file) => stderr(`hawser: the change has ended; your text is kept in ${file}`),
  });
}
