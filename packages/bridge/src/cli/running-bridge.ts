import { dirname } from 'node:path';
import { RpcError } from '@hawser/mcp';
import { Refusal } from '../control/calls.ts';
import { type ControlClient, connectControl } from '../control/connect.ts';
import { controlPlace } from '../control/place.ts';
import type { Environment } from './environment.ts';
import { CommandFailed, ExitCode } from './exit-codes.ts';
import { workspaceFolder } from './workspace-folder.ts';

/** The bridge of one workspace; without one named, of the current folder or of the nearest one above that has one. */
export async function runningBridge(workspace: string | undefined, environment: Environment): Promise<ControlClient> {
  const folder = workspaceFolder(workspace ?? '.', environment);
  for (const candidate of workspace === undefined ? withParents(folder) : [folder]) {
    const client = await connectControl(controlPlace(environment, candidate));
    if (client !== undefined) return client;
  }
  throw new CommandFailed(ExitCode.notRunning, `No bridge serves ${folder}`);
}

/** Speaks with the bridge of a workspace, and hangs up. What it refuses becomes the command's failure. */
export async function withBridge<Result>(
  workspace: string | undefined,
  environment: Environment,
  speak: (bridge: ControlClient) => Promise<Result>,
): Promise<Result> {
  const bridge = await runningBridge(workspace, environment);
  try {
    return await speak(bridge);
  } catch (error) {
    throw asFailure(error);
  } finally {
    await bridge.close();
  }
}

function asFailure(error: unknown): unknown {
  if (!(error instanceof RpcError)) return error;
  if (error.code === Refusal.noProposal) return new CommandFailed(ExitCode.noProposal, error.message);
  if (error.code === Refusal.endedAlready) return new CommandFailed(ExitCode.decidedAlready, error.message);
  return new CommandFailed(ExitCode.failed, error.message);
}

function withParents(folder: string): string[] {
  const parent = dirname(folder);
  return parent === folder ? [folder] : [folder, ...withParents(parent)];
}
