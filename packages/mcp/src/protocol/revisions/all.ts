import type { Revision } from '../revision.ts';
import { revision20241105 } from './2024-11-05/revision.ts';
import { revision20250326 } from './2025-03-26/revision.ts';
import { revision20250618 } from './2025-06-18/revision.ts';
import { revision20251125 } from './2025-11-25/revision.ts';

/** The editions spoken here, oldest first. */
export const REVISIONS: readonly Revision[] = [revision20241105, revision20250326, revision20250618, revision20251125];

export const NEWEST: Revision = revision20251125;

export const SUPPORTED_VERSIONS: readonly string[] = REVISIONS.map(({ version }) => version);

export function findRevision(version: string): Revision | undefined {
  return REVISIONS.find((revision) => revision.version === version);
}
