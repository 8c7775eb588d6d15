import type { ParamsOf } from '@hawser/editor-protocol';
import type { OpenAdapter } from '../agent.ts';
import { MAIN_AGENT } from '../agents/agents.ts';
import { type LaunchPlace, launchesIn } from '../agents/launch.ts';

/** What editors tell and start agents with. */
export function howToReach(
  agents: readonly OpenAdapter[],
  environment: LaunchPlace,
): Pick<ParamsOf<'bridge/status'>, 'address' | 'lock' | 'launches'> {
  const main = agents.find(({ name }) => name === MAIN_AGENT) ?? agents[0];
  const [address] = main?.endpoints ?? [];
  const [lock] = main?.discoveryFiles ?? [];
  return {
    ...(address !== undefined && { address }),
    ...(lock !== undefined && { lock }),
    launches: launchesIn(environment),
  };
}
