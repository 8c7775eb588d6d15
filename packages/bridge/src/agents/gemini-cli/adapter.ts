import type { AgentAdapter } from '../../agent.ts';
import { geminiLockContent, geminiLockName, readGeminiLock, workspacePathOf } from '../../discovery/companion-lock.ts';
import { companionAdapter } from '../companion/companion.ts';
import type { CompanionOptions } from '../companion/options.ts';

/** Gemini CLI. */
export function geminiCliAdapter(options: CompanionOptions): AgentAdapter {
  const { lockFolder, ideName } = options;
  return companionAdapter(
    {
      name: 'gemini-cli',
      lock: (pid) => ({
        folderFor: () => lockFolder,
        nameFor: ({ port }) => geminiLockName(pid, port),
        contentFor: (lock) => geminiLockContent({ ...lock, ideName }),
        read: readGeminiLock,
      }),
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
}
