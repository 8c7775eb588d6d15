import type { ParamsOf } from '@hawser/editor-protocol';
import type { OpenAdapter } from '../agent.ts';
import { CONNECTING_AGENTS } from '../agents/agents.ts';
import { launchesIn } from '../agents/launch.ts';
import type { Environment } from '../command-line/environment.ts';

/** What editors tell and start agents with. */
export function howToReach(
  agents: readonly OpenAdapter[],
  environment: Environment,
): Pick<ParamsOf<'bridge/status'>, 'address' | 'lock' | 'launches'> {
  // Users and plugins know the port and lock file of the agent that is first in `all.ts`, wherever the user has named it.
  const main = agents.find(({ name }) => name === CONNECTING_AGENTS[0]?.name) ?? agents[0];
  const [address] = main?.endpoints ?? [];
  const [lock] = main?.discoveryFiles ?? [];
  return {
    ...(address !== undefined && { address }),
    ...(lock !== undefined && { lock }),
    launches: launchesIn(environment),
  };
}
