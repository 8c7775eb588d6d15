/** Milliseconds of a monotonic clock. Using `performance` would load a module and delay the start. */
export function now(): number {
  const [seconds, nanoseconds] = process.hrtime();
  return seconds * 1000 + nanoseconds / 1_000_000;
}
