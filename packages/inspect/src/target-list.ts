import { listServers } from '@hawser/client/server-target';
import { describeTarget, TargetProblem } from '@hawser/client/target';
import type { TargetPlaces } from '@hawser/client/target-places';
import type { ServerChoice, TargetList } from './calls.ts';

/** The running editors, those of this folder first, and the servers of configuration files. */
export async function listTargets(places: TargetPlaces): Promise<TargetList> {
  const finder = await places.editors?.();
  const { editors, problems } = (await finder?.running()) ?? { editors: [], problems: [] };
  const configured = listServers(places);
  const servers = configured.servers.map(({ name, config, target }): ServerChoice => {
    const isUsable = !(target instanceof TargetProblem);
    return {
      name,
      config,
      description: isUsable ? describeTarget(target) : undefined,
      problem: isUsable ? undefined : target.message,
    };
  });
  return { editors, servers, problems: [...problems, ...configured.problems] };
}
