import { CommandFailed, ExitCode } from '@hawser/command-line/exit-codes';
import { escaped } from '@hawser/terminal-text/wrapping';
import { describeOutcome } from '../review/viewing/describe.ts';
import type { Environment } from './environment.ts';
import { reviewInTerminal } from './review-in-terminal.ts';
import { type BridgeChoice, withBridge } from './running-bridge.ts';

export interface UndoFlags extends BridgeChoice {
  readonly id?: string;
  readonly yes?: true;
}

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
