/** Milliseconds of a clock that nobody sets. Touching `performance` loads a module, which takes a while at the start. */
export function now(): number {
  const [seconds, nanoseconds] = process.hrtime();
  return seconds * 1000 + nanoseconds / 1_000_000;
}
