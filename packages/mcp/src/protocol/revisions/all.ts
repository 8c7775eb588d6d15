import type { Revision } from '../revision.ts';
import { revision20241105 } from './2024-11-05/revision.ts';
import { revision20250326 } from './2025-03-26/revision.ts';
import { revision20250618 } from './2025-06-18/revision.ts';
import { revision20251125 } from './2025-11-25/revision.ts';
import { revision20260728 } from './2026-07-28/revision.ts';

/** The revisions in which a session begins with `initialize`, oldest first. */
const SESSION_REVISIONS: readonly Revision[] = [revision20241105, revision20250326, revision20250618, revision20251125];

/** The revisions without sessions, oldest first. */
const STATELESS_REVISIONS: readonly Revision[] = [revision20260728];

/** The newest revision with sessions. */
export const NEWEST: Revision = revision20251125;

/** The newest revision. */
export const NEWEST_STATELESS: Revision = revision20260728;

/** The versions that `initialize` can agree on. */
export const SUPPORTED_VERSIONS: readonly string[] = SESSION_REVISIONS.map(({ version }) => version);

/** Every version, newest first, as `server/discover` lists them. */
export const ALL_VERSIONS: readonly string[] = [...SESSION_REVISIONS, ...STATELESS_REVISIONS]
  .map(({ version }) => version)
  .reverse();

/** The version of an HTTP request without a version header, by the specification. */
export const VERSION_WITHOUT_HEADER = '2025-03-26';

/** A revision that `initialize` can agree on. */
export function findRevision(version: string): Revision | undefined {
  return SESSION_REVISIONS.find((revision) => revision.version === version);
}

export function findStatelessRevision(version: string): Revision | undefined {
  return STATELESS_REVISIONS.find((revision) => revision.version === version);
}

/** The newest stateless revision among these that this library knows. */
export function newestStatelessOf(versions: readonly unknown[]): Revision | undefined {
  return STATELESS_REVISIONS.findLast(({ version }) => versions.includes(version));
}

/** The versions among these that are newer than every revision that this library knows. */
export function newerThanKnown(versions: readonly unknown[]): string[] {
  // Versions are dates, so their order is that of the texts.
  return versions.filter((version) => typeof version === 'string' && version > NEWEST_STATELESS.version) as string[];
}
