/** The part of a key that decides which node of a cluster has it. */
export function tag(name: string): string {
  const escaped = name.replace(/[{}%]/g, (char) => `%${char.charCodeAt(0).toString(16)}`);
  return `{${escaped === '' ? '%' : escaped}}`;
}
