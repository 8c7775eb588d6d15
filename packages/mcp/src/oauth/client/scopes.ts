/** The scopes of a space-separated list, each once. */
export function scopesOf(scope: string | undefined): string[] {
  return [...new Set((scope ?? '').split(' ').filter((name) => name !== ''))];
}

/** Undefined when there is no scope at all, so that the parameter is omitted. */
export function joinScopes(...lists: readonly (readonly string[])[]): string | undefined {
  const all = [...new Set(lists.flat())];
  return all.length === 0 ? undefined : all.join(' ');
}

export function includesAll(scopes: readonly string[], wanted: readonly string[]): boolean {
  return wanted.every((scope) => scopes.includes(scope));
}
