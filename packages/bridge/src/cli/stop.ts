import { realpathSync } from 'node:fs';
import { resolve } from 'node:path';
import { isAlive } from '../discovery/alive.ts';
import { claudeLockFolder, claudeLockReader } from '../discovery/claude-lock.ts';
import { recallIdentity } from '../discovery/identity.ts';
import { findLocks } from '../discovery/sweep.ts';
import type { Environment } from './environment.ts';
import { CommandFailed, ExitCode } from './exit-codes.ts';

/** Ends the bridge that serves a workspace. */
export function stop(workspace: string, environment: Environment): void {
  const { cwd, home, claudeConfigDir, stateFolder, isWindows } = environment;
  const folder = realpathSync(resolve(cwd, workspace));
  const identity = recallIdentity({ stateFolder, folders: [folder], door: 'claude-code' });
  const locks = findLocks(
    claudeLockFolder({ configDir: claudeConfigDir, home }),
    claudeLockReader({ runningInWindows: isWindows }),
  );
  // By the token, which nobody else has: the process is ours.
  const pid = locks
    .filter(({ lock }) => identity !== undefined && lock.token === identity.token)
    .map(({ lock }) => lock.pid)
    .find((candidate) => candidate !== undefined && isAlive(candidate));
  if (pid === undefined) throw new CommandFailed(ExitCode.notRunning, `No bridge serves ${folder}`);
  process.kill(pid, 'SIGTERM');
  environment.stdout(`hawser: stopped (process ${pid})`);
}
