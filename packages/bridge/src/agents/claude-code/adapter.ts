import type { AgentAdapter, Evaluate } from '../../agent.ts';
import type { EndpointSettings } from '../adapter-parts/endpoint.ts';
import { endpointAdapter } from '../adapter-parts/open-adapter.ts';
import { type ClaudeLockOptions, claudeLock } from './lock.ts';

export interface ClaudeCodeOptions extends EndpointSettings, ClaudeLockOptions {
  /** Runs code for the agent's model; without it there is no `executeCode`. */
  readonly evaluate?: Evaluate | undefined;
  /** How long after an agent is ready it is sent the selection again. */
  readonly selectionAgainMs?: readonly number[];
}

const NAME = 'claude-code';

/** Claude Code and agents that speak like it: a WebSocket on this machine, found by a lock file. */
export function claudeCodeAdapter(options: ClaudeCodeOptions): AgentAdapter {
  return endpointAdapter(NAME, (bridge) => ({
    ...options,
    locks: [claudeLock(options, bridge.identity.pid)],
    urlOf: ({ port }) => `ws://127.0.0.1:${port}/`,
    environment: ({ port }) => ({ CLAUDE_CODE_SSE_PORT: String(port), ENABLE_IDE_INTEGRATION: 'true' }),
    takesMentions: true,
    serve: async (entrance) => (await import('./server.ts')).serveClaudeCode(NAME, bridge, options, entrance),
  }));
}
