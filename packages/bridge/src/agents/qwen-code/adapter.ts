import type { AgentAdapter } from '../../agent.ts';
import { companionAdapter } from '../companion/companion.ts';
import { workspacePathOf } from '../companion/lock.ts';
import type { CompanionOptions } from '../companion/options.ts';
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
