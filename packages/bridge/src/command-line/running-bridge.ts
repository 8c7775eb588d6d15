import { CommandFailed, ExitCode } from '@hawser/command-line/exit-codes';
import { RpcError } from '@hawser/mcp';
import { withParents } from '@hawser/user-files/real-folders';
import { PROTOCOL, Refusal } from '../control/calls.ts';
import type { ControlClient } from '../control/control-client.ts';
import { type FoundBridge, findBridges } from '../control/find.ts';
import type { BridgeChoice } from './bridge-choice.ts';
import type { Environment } from './environment.ts';
import { workspaceFolder } from './workspace-folder.ts';

/** What to do where no bridge is. */
export const HOW_TO_SERVE = 'Run hawser there, or open the folder in Neovim with the plugin';

/** Connects to the bridge that the user means. The caller closes the client. */
export async function runningBridge(choice: BridgeChoice, environment: Environment): Promise<ControlClient> {
  const folder = choice.bridge === undefined ? workspaceFolder(choice.workspace ?? '.', environment) : undefined;
  const { bridges, problems } = await findBridges(environment, { pid: choice.bridge });
  const matching = folder === undefined ? bridges : serving(folder, bridges, choice);
  const [chosen] = matching;
  await Promise.all(
    bridges.filter((each) => matching.length > 1 || each !== chosen).map(({ client }) => client.close()),
  );
  if (chosen === undefined) {
    const [problem] = problems;
    if (problem !== undefined) throw new CommandFailed(ExitCode.failed, problem.message);
    throw new CommandFailed(
      ExitCode.notRunning,
      folder === undefined
        ? `No bridge has process id ${choice.bridge}`
        : `No bridge serves ${folder}. ${HOW_TO_SERVE}`,
    );
  }
  if (matching.length > 1) throw new CommandFailed(ExitCode.usage, ambiguous(matching));
  if (chosen.status.protocol !== PROTOCOL) {
    await chosen.client.close();
    const { version, pid } = chosen.status;
    throw new CommandFailed(
      ExitCode.failed,
      `The bridge (process ${pid}) is version ${version} and this command ${environment.version}; restart the bridge`,
    );
  }
  return chosen.client;
}

/** Speaks with a bridge and disconnects. A refusal becomes the command's failure. */
export async function withBridge<Result>(
  choice: BridgeChoice,
  environment: Environment,
  speak: (bridge: ControlClient) => Promise<Result>,
): Promise<Result> {
  const bridge = await runningBridge(choice, environment);
  try {
    return await speak(bridge);
  } catch (error) {
    throw asFailure(error);
  } finally {
    await bridge.close();
  }
}

/** The bridges of the folder, or of the nearest one above it if the user named none. Stand-ins only if there is no other. */
export function serving(
  folder: string,
  bridges: readonly FoundBridge[],
  { workspace }: BridgeChoice,
): readonly FoundBridge[] {
  for (const candidate of workspace === undefined ? withParents(folder) : [folder]) {
    const found = bridges.filter(({ status }) => status.folders.includes(candidate));
    const editors = found.filter(({ status }) => status.isStandIn !== true);
    if (found.length > 0) return editors.length > 0 ? editors : found;
  }
  return [];
}

function ambiguous(bridges: readonly FoundBridge[]): string {
  const each = bridges.map(({ status }) => `${status.pid} (${status.editor})`).join(', ');
  return `${bridges.length} bridges serve this workspace: ${each}. Name one with --bridge PID`;
}

function asFailure(error: unknown): unknown {
  if (!(error instanceof RpcError)) return error;
  if (error.code === Refusal.noProposal) return new CommandFailed(ExitCode.noProposal, error.message);
  return new CommandFailed(ExitCode.failed, error.message);
}
