import { existsSync } from 'node:fs';
import { delimiter } from 'node:path';
import { isOnPath } from '../files/on-path.ts';
import type { GuidePlaces } from './guide.ts';

/** Where the configurations of agents are, for a bridge of this folder. */
export function connectPlaces(workspace: string, { home, variables, program }: Surroundings): GuidePlaces {
  return { workspace, home, variables, hawser: hawserCommand(variables, program), exists: existsSync };
}

interface Surroundings extends Pick<GuidePlaces, 'home' | 'variables'> {
  /** The words that start this program again. */
  readonly program: GuidePlaces['hawser'];
}

/** By its name if agents find it by that, else by its path. */
function hawserCommand(variables: GuidePlaces['variables'], program: GuidePlaces['hawser']): GuidePlaces['hawser'] {
  // npm adds folders for the commands that it runs.
  const isLasting = (folder: string) => !/[\\/](node_modules[\\/]\.bin|node-gyp-bin)$/.test(folder);
  const lasting = (variables.PATH ?? '').split(delimiter).filter(isLasting);
  return isOnPath('hawser', lasting.join(delimiter)) ? ['hawser'] : program;
}
