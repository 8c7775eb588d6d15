/** What the user asked for cannot be; the words say what to do instead. */
export class UsageError extends Error {
  override readonly name = 'UsageError';
}
