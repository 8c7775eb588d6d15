import { realpathSync, statSync } from 'node:fs';
import { resolve } from 'node:path';
import { CommandFailed, ExitCode } from '@hawser/command-line/exit-codes';
import { type BridgeChoice, withBridgeOptions } from '../command-line/bridge-choice.ts';
import type { Environment } from '../command-line/environment.ts';
import { withBridge } from '../command-line/running-bridge.ts';

export const mentionCommand = withBridgeOptions({
  name: 'mention',
  argument: 'file[:lines]',
  description: 'point agents to a file or to lines of it, such as a.ts:10-20',
  options: [],
});

/** `place` is a file, or one with lines counted from 1: `a.ts:10` or `a.ts:10-20`. */
export function mention(choice: BridgeChoice, environment: Environment, place: string): Promise<void> {
  const { path, first, last } = parse(place, environment.cwd);
  return withBridge(choice, environment, async (bridge) => {
    const { agents } = await bridge.mention({ path, first, last });
    if (agents === 0)
      throw new CommandFailed(ExitCode.failed, 'No agent is connected; start one, then mention the file again');
    environment.stdout(`hawser: mentioned ${place} (sent to ${agents} ${agents === 1 ? 'agent' : 'agents'})`);
  });
}

function parse(place: string, cwd: string): { path: string; first?: number; last?: number } {
  const whole = realFile(resolve(cwd, place));
  if (whole !== undefined) return { path: whole };
  const [, file, from, to] = /^(.+):([1-9]\d{0,8})(?:-([1-9]\d{0,8}))?$/.exec(place) ?? [];
  const path = file === undefined ? undefined : realFile(resolve(cwd, file));
  if (path === undefined) {
    throw new CommandFailed(
      ExitCode.usage,
      `There is no file ${resolve(cwd, file ?? place)}; name one as FILE or FILE:10-20`,
    );
  }
  const [first, last] = [Number(from) - 1, Number(to ?? from) - 1];
  if (last < first) throw new CommandFailed(ExitCode.usage, `The last line comes before the first: ${place}`);
  return { path, first, last };
}

function realFile(path: string): string | undefined {
  try {
    return statSync(path).isFile() ? realpathSync(path) : undefined;
  } catch {
    return undefined;
  }
}
