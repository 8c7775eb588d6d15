import { join } from 'node:path';
import type { AgentPlaces } from '../../discovery/format.ts';

/** Where Codex keeps its files. */
export function codexFolder({ home, variables }: Pick<AgentPlaces, 'home' | 'variables'>): string {
  return variables.CODEX_HOME || join(home, '.codex');
}
