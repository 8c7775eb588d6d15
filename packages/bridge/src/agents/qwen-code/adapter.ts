import type { AgentAdapter } from '../../agent.ts';
import { type CompanionOptions, companionAdapter } from '../companion/companion.ts';
import { workspacePathOf } from '../companion/lock.ts';
import { qwenLock } from './lock.ts';

/** Qwen Code. It reads the token from the lock file alone. */
export function qwenCodeAdapter(options: CompanionOptions): AgentAdapter {
  return companionAdapter(
    {
      name: 'qwen-code',
      lock: (pid) => qwenLock(options, pid),
      refusals: 'errors',
      environment: ({ port }, folders) => ({
        QWEN_CODE_IDE_SERVER_PORT: String(port),
        get QWEN_CODE_IDE_WORKSPACE_PATH() {
          return workspacePathOf(folders());
        },
      }),
    },
    options,
  );
}
