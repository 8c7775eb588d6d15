/** Whether this is Node itself; other runtimes imitate its modules, more slowly or in part. */
export function isNode(): boolean {
  const versions: NodeJS.ProcessVersions | undefined = typeof process === 'object' ? process.versions : undefined;
  if (versions?.node === undefined || versions.bun !== undefined) return false;
  return !('Deno' in globalThis) && !('WebSocketPair' in globalThis);
}
