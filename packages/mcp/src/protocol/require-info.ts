/** Throws a TypeError unless the value is a name and a version. */
export function requireInfo(callee: string, info: unknown): void {
  const { name, version } = (info ?? {}) as { name?: unknown; version?: unknown };
  if (typeof name === 'string' && typeof version === 'string') return;
  const example = `new ${callee}({ name: 'notes', version: '1.0.0' })`;
  throw new TypeError(`new ${callee} takes { name, version }, both strings, first. Write ${example}`);
}
