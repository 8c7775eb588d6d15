import type { DiscoveryPlaces } from '../discovery/formats.ts';

/** What decides which server the user means. */
export interface TargetPlaces extends DiscoveryPlaces {
  readonly cwd: string;
  readonly codexHome: string | undefined;
  readonly variables: Readonly<Record<string, string | undefined>>;
}
