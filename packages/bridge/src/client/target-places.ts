import type { DiscoveryPlaces } from '../discovery/editors.ts';

/** What decides which server the user means. */
export interface TargetPlaces extends DiscoveryPlaces {
  readonly cwd: string;
}
