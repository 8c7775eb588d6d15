import { CommandFailed, ExitCode } from '@hawser/command-line/exit-codes';
import { ConfigRefused } from '../connect/config-refused.ts';
import { findBridges } from '../control/find.ts';
import type { Environment } from './environment.ts';

/** Tells running bridges that this command writes a file, so that they don't take it for a change of an agent. */
export async function announceWriting(path: string, text: string | undefined, environment: Environment): Promise<void> {
  const { bridges } = await findBridges(environment).catch(() => ({ bridges: [] }));
  // An older bridge does not know the call.
  await Promise.allSettled(bridges.map(({ client }) => client.announce(path, text)));
  await Promise.all(bridges.map(({ client }) => client.close()));
}

/** Reads or writes a configuration file. A refusal becomes the command's failure. */
export function orLeftAsItIs<Result>(path: string, act: () => Result): Result {
  try {
    return act();
  } catch (error) {
    if (!(error instanceof ConfigRefused)) throw error;
    throw new CommandFailed(ExitCode.failed, `${path} was not changed: ${error.message}`);
  }
}
