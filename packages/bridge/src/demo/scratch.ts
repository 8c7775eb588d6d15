import { mkdirSync, mkdtempSync, realpathSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { FILES } from './sample.ts';

/** The only folder that the demo writes to. */
export interface Scratch {
  readonly workspace: string;
  readonly stateFolder: string;
  /** Where the agent of the demo looks for lock files. */
  readonly lockFolder: string;
  /** Safe to call twice. */
  remove(): void;
}

export function makeScratch(temporaryFolder: string): Scratch {
  // Only this user can enter it.
  const folder = mkdtempSync(join(realpathSync(temporaryFolder), 'hawser-demo-'));
  const workspace = join(folder, 'work');
  for (const [path, text] of Object.entries(FILES)) {
    mkdirSync(dirname(join(workspace, path)), { recursive: true });
    writeFileSync(join(workspace, path), text);
  }
  return {
    workspace,
    stateFolder: join(folder, 'state'),
    lockFolder: join(folder, 'config', 'ide'),
    remove: () => rmSync(folder, { recursive: true, force: true, maxRetries: 3 }),
  };
}
