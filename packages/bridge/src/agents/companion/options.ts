import type { EndpointSettings, HttpAgentSettings } from '../endpoint.ts';

/** What the user of an adapter of this kind decides. */
export interface CompanionOptions extends EndpointSettings, HttpAgentSettings {
  /** What the agent calls the editor. */
  readonly ideName: string;
  /** Where the agent looks for lock files. */
  readonly lockFolder: string;
}
