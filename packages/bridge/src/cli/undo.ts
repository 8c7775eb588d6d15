import { CommandFailed, ExitCode } from '@hawser/command-line/exit-codes';
import { escaped } from '@hawser/terminal-text/wrapping';
import { type BridgeChoice, withBridgeOptions } from '../command-line/bridge-choice.ts';
import type { Environment } from '../command-line/environment.ts';
import { withBridge } from '../command-line/running-bridge.ts';
import { describeOutcome } from '../review/viewing/describe.ts';
import { reviewInTerminal } from '../terminal-program/review-in-terminal.ts';

export interface UndoFlags extends BridgeChoice {
  readonly id?: string;
  readonly yes?: true;
}

export const undoCommand = withBridgeOptions({
  name: 'undo',
  description: 'take back a change that was accepted, after a look at what that changes',
  options: [
    { name: 'id', value: 'id', description: 'of hawser log (default: the last one)' },
    { name: 'yes', short: 'y', description: 'without asking' },
  ],
  notes: 'What was changed in the file since then stays, where it is in other lines.',
});

/** `hawser undo`: proposes what takes a decision back, and lets the user decide on that. */
export async function undo({ id, yes, ...choice }: UndoFlags, environment: Environment): Promise<void> {
  const say = (line: string) => environment.stdout(escaped(`hawser: ${line}`));
  const isDone = await withBridge(choice, environment, async (bridge) => {
    const undoing = await bridge.undo(id);
    if (yes !== true) {
      say(`${undoing.title}: waits for your decision`);
      if (environment.terminal === undefined) {
        say(`hawser review --show ${undoing.id} shows it, --accept ${undoing.id} does it`);
      }
      return environment.terminal === undefined;
    }
    const result = await bridge.decide(undoing.id, { kind: 'accepted' });
    if (result.kind === 'failed') throw new CommandFailed(ExitCode.failed, result.reason);
    if (result.kind !== 'decided') throw new CommandFailed(ExitCode.failed, `Not undone: it is ${result.kind}`);
    say(`${undoing.title}: ${describeOutcome(result.outcome, 'you')}`);
    return true;
  });
  if (!isDone) await reviewInTerminal(choice, environment);
}
