import type { AgentAdapter, Evaluate } from '../../agent.ts';
import type { EndpointSettings, LockFormat } from '../endpoint.ts';
import { openAdapter } from '../open-adapter.ts';
import { claudeLockContent, claudeLockName, claudeLockReader } from './lock.ts';

export interface ClaudeCodeOptions extends EndpointSettings {
  /** What the agent calls the editor. */
  readonly ideName: string;
  /** Where Claude Code looks for lock files. */
  readonly lockFolder: string;
  readonly runningInWindows: boolean;
  /** Runs code for the agent's model; without it there is no `executeCode`. */
  readonly evaluate?: Evaluate | undefined;
  /** How long after an agent is ready it is sent the selection again. */
  readonly selectionAgainMs?: readonly number[];
}

const NAME = 'claude-code';

/** Claude Code and agents that speak like it: a WebSocket on this machine, found by a lock file. */
export function claudeCodeAdapter(options: ClaudeCodeOptions): AgentAdapter {
  return {
    name: NAME,
    open: (bridge) =>
      openAdapter(bridge, {
        ...options,
        name: NAME,
        locks: [lockFormat(options, bridge.identity.pid)],
        urlOf: ({ port }) => `ws://127.0.0.1:${port}/`,
        environment: ({ port }) => ({ CLAUDE_CODE_SSE_PORT: String(port), ENABLE_IDE_INTEGRATION: 'true' }),
        takesMentions: true,
        serve: async (gate) => (await import('./server.ts')).serveClaudeCode(NAME, bridge, options, gate),
      }),
  };
}

function lockFormat({ lockFolder, ideName, runningInWindows }: ClaudeCodeOptions, pid: number): LockFormat {
  return {
    folderFor: () => lockFolder,
    nameFor: ({ port }) => claudeLockName(port),
    contentFor: ({ token, folders }) =>
      claudeLockContent({ pid, workspaceFolders: folders, ideName, authToken: token, runningInWindows }),
    read: claudeLockReader({ runningInWindows }),
  };
}
