import { CommandFailed, ExitCode } from '@hawser/command-line/exit-codes';
import type { BridgeChoice } from '../command-line/bridge-choice.ts';
import type { Environment } from '../command-line/environment.ts';
import { runningBridge } from '../command-line/running-bridge.ts';
import { openTerminalProgram } from './terminal-program.ts';

/** The views of `hawser review`. */
export async function reviewInTerminal(choice: BridgeChoice, environment: Environment): Promise<void> {
  const { terminal } = environment;
  if (terminal === undefined) {
    throw new CommandFailed(
      ExitCode.usage,
      'hawser review needs a terminal; without one use --list, --show, --accept or --reject',
    );
  }
  const bridge = await runningBridge(choice, environment);
  const program = openTerminalProgram(bridge, { terminal, leaving: 'at once' }, environment);
  environment.onSignal((signal, code) => {
    // Ctrl-C in the user's editor is meant for it.
    if (signal === 'SIGINT' && program.isEditing()) return 'ignored';
    program.leave();
    process.exit(code);
  });
  const why = await program.over;
  await bridge.close();
  if (why === 'bridge ended') throw new CommandFailed(ExitCode.notRunning, 'The bridge has ended');
}
