import type { EndpointSettings, HttpAgentSettings, LockSettings } from '../adapter-parts/endpoint.ts';

/** What the user of an adapter of this kind decides. */
export interface CompanionOptions extends EndpointSettings, HttpAgentSettings, LockSettings {}
