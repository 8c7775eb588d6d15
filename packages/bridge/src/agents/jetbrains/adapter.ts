import type { AgentAdapter } from '../../agent.ts';
import type { EndpointSettings } from '../adapter-parts/endpoint.ts';
import { endpointAdapter } from '../adapter-parts/open-adapter.ts';
import { jetbrainsLock } from './lock.ts';

export interface JetbrainsOptions extends EndpointSettings {
  /** Milliseconds between pings; an agent that misses one is dropped. Default 5000. */
  readonly pingInterval?: number;
}

const NAME = 'jetbrains';
/** The dialect of the JetBrains plugin: its own names for things, and a lock file in the project. */
export function jetbrainsAdapter(options: JetbrainsOptions): AgentAdapter {
  return endpointAdapter(NAME, (bridge) => ({
    ...options,
    locks: [jetbrainsLock],
    needsFolder: true,
    urlOf: ({ port }) => `ws://127.0.0.1:${port}/mcp`,
    serve: async (entrance) => (await import('./server.ts')).serveJetbrains(NAME, bridge, options, entrance),
  }));
}
