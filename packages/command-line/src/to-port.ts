/** The value of a `--port` option. Throws an Error that says what is wrong. */
export function toPort(text: string): number {
  const port = Number(text);
  if (/^\d+$/.test(text) && port <= 65_535) return port;
  throw new Error('A port is a number from 0 to 65535.');
}
