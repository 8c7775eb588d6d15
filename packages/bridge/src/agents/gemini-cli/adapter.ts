import type { AgentAdapter } from '../../agent.ts';
import { companionAdapter } from '../companion/companion.ts';
import { workspacePathOf } from '../companion/lock.ts';
import type { CompanionOptions } from '../companion/options.ts';
import { geminiLock } from './lock.ts';

/** Gemini CLI. */
export function geminiCliAdapter(options: CompanionOptions): AgentAdapter {
  const adapter = companionAdapter(
    {
      name: 'gemini-cli',
      lock: (pid) => geminiLock(options, pid),
      // An error ends in an unhandled rejection there, and an acceptance in its terminal then fails.
      refusals: 'silent',
      environment: ({ port, token }, folders) => ({
        GEMINI_CLI_IDE_SERVER_PORT: String(port),
        GEMINI_CLI_IDE_AUTH_TOKEN: token,
        get GEMINI_CLI_IDE_WORKSPACE_PATH() {
          return workspacePathOf(folders());
        },
      }),
    },
    options,
  );
  return { name: adapter.name, open: (bridge) => adapter.open(bridge).catch(advise) };
}

/** On a machine with several users, the first who runs Gemini CLI or an editor for it owns the folder. */
function advise(error: NodeJS.ErrnoException): never {
  if (error.code !== 'EACCES') throw error;
  const message = `${error.message}. Set TMPDIR to a folder of your own, for this program and for Gemini CLI`;
  throw Object.assign(new Error(message, { cause: error }), { code: error.code });
}
