import { DISCOVERY_FORMATS } from '../agents/agents.ts';
import type { DiscoveryPlaces } from '../discovery/editors.ts';
import type { Environment } from './environment.ts';

/** What decides which editors there are. */
export function discoveryPlaces(environment: Environment): DiscoveryPlaces & { readonly cwd: string } {
  const { cwd, home, stateFolder, temporaryFolder, isWindows, variables } = environment;
  return { cwd, home, stateFolder, temporaryFolder, isWindows, variables, formats: DISCOVERY_FORMATS };
}
