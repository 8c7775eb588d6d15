import { mkdirSync, mkdtempSync, realpathSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { FILES } from './sample.ts';

/** The only folder that the demo writes to. */
export interface Scratch {
  readonly workspace: string;
  readonly stateFolder: string;
  readonly home: string;
  readonly variables: { readonly CLAUDE_CONFIG_DIR: string };
  /** Where the agent of the demo looks for lock files. */
  readonly lockFolder: string;
  /** Safe to call twice. */
  remove(): void;
}

export function makeScratch(temporaryFolder: string): Scratch {
  // Only this user can enter it.
  const folder = mkdtempSync(join(realpathSync(temporaryFolder), 'hawser-demo-'));
  const workspace = join(folder, 'work');
  const config = join(folder, 'config');
  for (const [path, text] of Object.entries(FILES)) {
    mkdirSync(dirname(join(workspace, path)), { recursive: true });
    writeFileSync(join(workspace, path), text);
  }
  return {
    workspace,
    stateFolder: join(folder, 'state'),
    home: folder,
    variables: { CLAUDE_CONFIG_DIR: config },
    lockFolder: join(config, 'ide'),
    remove: () => rmSync(folder, { recursive: true, force: true, maxRetries: 3 }),
  };
}
