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
  const ours = locks.find(({ lock }) => identity !== undefined && lock.token === identity.token);
  if (ours?.lock.pid === undefined || !isAlive(ours.lock.pid)) {
    throw new CommandFailed(ExitCode.notRunning, `No bridge serves ${folder}`);
  }
  process.kill(ours.lock.pid, 'SIGTERM');
  environment.stdout(`hawser: stopped (process ${ours.lock.pid})`);
}
