import { realpathSync, statSync } from 'node:fs';
import { resolve } from 'node:path';
import { CommandFailed, ExitCode } from '@hawser/command-line/exit-codes';
import type { Environment } from './environment.ts';

/** The real path of the folder that the user named. */
export function workspaceFolder(workspace: string, { cwd }: Environment): string {
  const path = resolve(cwd, workspace);
  try {
    if (statSync(path).isDirectory()) return realpathSync(path);
  } catch {
    throw new CommandFailed(ExitCode.noWorkspace, `There is no folder ${path}; name one with --workspace`);
  }
  throw new CommandFailed(ExitCode.noWorkspace, `${path} is not a folder; name one with --workspace`);
}
