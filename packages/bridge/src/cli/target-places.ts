import { DISCOVERY_FORMATS } from '../agents/agents.ts';
import type { TargetPlaces } from '../client/target-places.ts';
import type { Environment } from './environment.ts';

/** What decides which server or editor the user means. */
export function targetPlaces(environment: Environment): TargetPlaces {
  const { cwd, home, stateFolder, temporaryFolder, isWindows, variables } = environment;
  return { cwd, home, stateFolder, temporaryFolder, isWindows, variables, formats: DISCOVERY_FORMATS };
}
