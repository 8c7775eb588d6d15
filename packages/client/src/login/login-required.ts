/** A server refuses requests without a login, or with the one that there is. The message says how to log in. */
export class LoginRequired extends Error {
  override readonly name = 'LoginRequired';

  /** Whether this is why something failed. By name, because bundles have their own copies of this class. */
  static isCauseOf(error: unknown): boolean {
    for (let each = error; each instanceof Error; each = each.cause) if (each.name === 'LoginRequired') return true;
    return false;
  }
}
