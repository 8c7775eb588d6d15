import { mcp } from '../agents/mcp/agent.ts';
import { connectionIn } from '../agents/mcp/endpoint-file.ts';
import type { BridgeChoice } from '../command-line/bridge-choice.ts';
import type { Environment } from '../command-line/environment.ts';
import { serving } from '../command-line/running-bridge.ts';
import { PROTOCOL } from '../control/calls.ts';
import { type FoundBridge, findBridges } from '../control/find.ts';
import type { BridgeEndpoint } from './bridge-link.ts';

/** The bridge to use now; undefined if none runs. Rejects if none of those that run can be used. An editor's is preferred to a stand-in; among equals the one with the lowest process id. */
export async function findEndpoint(
  folder: string,
  choice: BridgeChoice,
  environment: Environment,
): Promise<BridgeEndpoint | undefined> {
  const { bridges } = await findBridges(environment, { pid: choice.bridge });
  const matching = (given: readonly FoundBridge[]) =>
    choice.bridge === undefined ? serving(folder, given, choice) : given;
  const suitable = new Map(bridges.flatMap((bridge) => pairOf(bridge, endpointOf(bridge))));
  const [chosen] = matching([...suitable.keys()])
    .flatMap((bridge) => suitable.get(bridge) ?? [])
    .toSorted(byPreference);
  const others = bridges.filter(({ client }) => client !== chosen?.control);
  await Promise.all(others.map(({ client }) => client.close()));
  const [unsuitable] = matching(bridges);
  if (chosen !== undefined || unsuitable === undefined) return chosen;
  const { pid, version } = unsuitable.status;
  throw new Error(`The bridge (process ${pid}, version ${version}) does not serve mcp; add mcp to its --agents`);
}

function pairOf(bridge: FoundBridge, endpoint: BridgeEndpoint | undefined): [FoundBridge, BridgeEndpoint][] {
  return endpoint === undefined ? [] : [[bridge, endpoint]];
}

/** Undefined for a bridge without the mcp adapter, or of a version that this one does not know. */
function endpointOf({ client, status }: FoundBridge): BridgeEndpoint | undefined {
  const file = status.agents.find(({ name }) => name === mcp.name)?.discoveryFiles[0];
  const connection = file === undefined || status.protocol !== PROTOCOL ? undefined : connectionIn(file);
  return connection && { ...connection, control: client, pid: status.pid, isStandIn: status.isStandIn === true };
}

function byPreference(one: BridgeEndpoint, other: BridgeEndpoint): number {
  if (one.isStandIn !== other.isStandIn) return one.isStandIn ? 1 : -1;
  return one.pid - other.pid;
}
