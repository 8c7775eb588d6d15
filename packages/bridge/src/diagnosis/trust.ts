import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { realFolders } from '@hawser/user-files/real-folders';
import type { Environment } from '../command-line/environment.ts';
import { PROJECT_FOLDERS } from '../editors/workspace/language-servers/find-programs.ts';
import { TrustedFolders } from '../serving/trusted-folders.ts';
import type { Finding } from './finding.ts';

/** Whether language servers that are part of this folder may run. */
export function trustFinding({ cwd, stateFolder }: Pick<Environment, 'cwd' | 'stateFolder'>): Finding {
  const [folder = cwd] = realFolders([cwd]);
  const finding = { id: 'trust', title: 'Programs of this folder' };
  if (new TrustedFolders(stateFolder).has(folder)) return { ...finding, status: 'ok', detail: 'trusted' };
  const places = PROJECT_FOLDERS.filter((each) => existsSync(join(folder, each)));
  if (places.length === 0) return { ...finding, status: 'ok', detail: 'none found' };
  const detail = `not trusted: language servers in ${places.join(', ')} are not run`;
  return { ...finding, status: 'warning', detail, advice: 'If you trust who wrote them: hawser trust' };
}
