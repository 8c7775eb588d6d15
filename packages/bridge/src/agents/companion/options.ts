import type { EndpointSettings, HttpAgentSettings, LockSettings } from '../adapter-parts/endpoint.ts';

/** What the user of an adapter of this kind decides. A file of its own, as published types may not import @hawser/mcp. */
export interface CompanionOptions extends EndpointSettings, HttpAgentSettings, LockSettings {}
