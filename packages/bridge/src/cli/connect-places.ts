import { existsSync } from 'node:fs';
import { delimiter } from 'node:path';
import type { GuidePlaces } from '../connect/guide.ts';
import type { Environment } from './environment.ts';
import { isOnPath } from './on-path.ts';

/** Where the configurations of agents are, for a bridge of this folder. */
export function connectPlaces(workspace: string, environment: Environment): GuidePlaces {
  const { home, variables } = environment;
  return {
    workspace,
    home,
    hawser: hawserCommand(environment),
    variables,
    exists: existsSync,
  };
}

/** By its name if agents find it by that, else by its path. */
function hawserCommand({ variables, program }: Environment): GuidePlaces['hawser'] {
  // npm adds folders for the commands that it runs.
  const isLasting = (folder: string) => !/[\\/](node_modules[\\/]\.bin|node-gyp-bin)$/.test(folder);
  const lasting = (variables.PATH ?? '').split(delimiter).filter(isLasting);
  return isOnPath('hawser', lasting.join(delimiter)) ? ['hawser'] : program;
}
