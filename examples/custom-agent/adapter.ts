import type { AgentAdapter } from '../../agent.ts';
import type { EndpointSettings } from '../adapter-parts/endpoint.ts';
import { endpointAdapter } from '../adapter-parts/open-adapter.ts';
import { scribeLock } from './lock.ts';

export interface ScribeOptions extends EndpointSettings {
  readonly lockFolder: string;
}

const NAME = 'scribe';

export function scribeAdapter(options: ScribeOptions): AgentAdapter {
  return endpointAdapter(NAME, (bridge) => ({
    ...options,
    locks: [scribeLock(options.lockFolder, bridge.identity.pid)],
    urlOf: ({ port }) => `http://127.0.0.1:${port}/mcp`,
    environment: ({ port }) => ({ SCRIBE_EDITOR_PORT: String(port) }),
    serve: async (entrance) => (await import('./server.ts')).serveScribe(NAME, bridge, entrance),
  }));
}
