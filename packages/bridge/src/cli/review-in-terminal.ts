import type { ControlClient } from '../control/connect.ts';
import { editText, keepText } from '../review/reviewers/terminal/edit-text.ts';
import { openTerminalReviewer, type TerminalReviewer } from '../review/reviewers/terminal/terminal-reviewer.ts';
import { Terminal } from '../terminal/terminal.ts';
import type { Environment } from './environment.ts';
import { CommandFailed, ExitCode } from './exit-codes.ts';
import { type BridgeChoice, runningBridge } from './running-bridge.ts';

/** The view of `hawser review`. */
export async function reviewInTerminal(choice: BridgeChoice, environment: Environment): Promise<void> {
  if (environment.terminal === undefined) {
    throw new CommandFailed(
      ExitCode.usage,
      'hawser review needs a terminal; without one use --list, --show, --accept or --reject',
    );
  }
  const bridge = await runningBridge(choice, environment);
  const view = openReview(bridge, 'at once', environment);
  if (view === undefined) return;
  environment.onSignal((signal, code) => {
    // Ctrl-C in the user's editor is meant for it.
    if (signal === 'SIGINT' && view.isEditing()) return 'ignored';
    view.leave();
    process.exit(code);
  });
  const why = await view.over;
  await bridge.close();
  if (why === 'bridge ended') throw new CommandFailed(ExitCode.notRunning, 'The bridge has ended');
}

/** Undefined without a terminal. */
export function openReview(
  bridge: ControlClient,
  leaving: 'at once' | 'ask',
  { terminal, editor, temporaryFolder, stderr }: Environment,
): TerminalReviewer | undefined {
  if (terminal === undefined) return undefined;
  const view = openTerminalReviewer({
    leaving,
    terminal: new Terminal(terminal),
    pause: () => bridge.pause(),
    resume: () => bridge.resume(),
    editText: (path, text) => editText(path, text, { editor, temporaryFolder }),
    keepText: (path, text) => keepText(path, text, { editor, temporaryFolder }),
    onKept: (file) => stderr(`hawser: the change ended before you decided; your version is kept in ${file}`),
  });
  bridge
    .attach(view, (status) => view.setStatus(status))
    .catch((error: Error) => {
      view.leave();
      stderr(`hawser: ${error.message}`);
    });
  void bridge.closed.then(() => view.bridgeEnded());
  return view;
}
