export type ResourceName = 'transcript' | 'definitions' | 'output';

/** The URI of a resource of a session. */
export function resourceOf(session: string, name: ResourceName): string {
  return `lisp://sessions/${encodeURIComponent(session)}/${name}`;
}
