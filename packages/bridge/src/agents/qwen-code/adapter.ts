import type { AgentAdapter } from '../../agent.ts';
import { companionAdapter } from '../companion/companion.ts';
import { workspacePathOf } from '../companion/lock.ts';
import type { CompanionOptions } from '../companion/options.ts';
import { qwenLockContent, qwenLockName, readQwenLock } from './lock.ts';

/** Qwen Code. It reads the token from the lock file alone. */
export function qwenCodeAdapter(options: CompanionOptions): AgentAdapter {
  const { lockFolder, ideName } = options;
  return companionAdapter(
    {
      name: 'qwen-code',
      lock: (pid) => ({
        folderFor: () => lockFolder,
        nameFor: ({ port }) => qwenLockName(port),
        contentFor: (lock) => qwenLockContent({ ...lock, ideName, pid }),
        read: readQwenLock,
      }),
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
