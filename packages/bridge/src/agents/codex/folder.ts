import { join } from 'node:path';
import type { UserPlaces } from '../../discovery/format.ts';

/** Where Codex keeps its files. */
export function codexFolder({ home, variables }: UserPlaces): string {
  return variables.CODEX_HOME || join(home, '.codex');
}
