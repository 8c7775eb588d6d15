/** Authorization failed. Never holds a token, a code or a secret, and has no `cause` that could. */
export class OAuthError extends Error {
  override readonly name = 'OAuthError';
  /** The error code of OAuth, such as `invalid_grant` or `access_denied`; undefined when the server gave none. */
  readonly code: string | undefined;

  constructor(message: string, code?: string) {
    super(message);
    this.code = code;
  }
}

const MAX_DESCRIPTION_CHARS = 300;

/** The error for a response of an authorization server. `secrets` are removed from what the server says. */
export function refusedBy(what: string, body: unknown, secrets: readonly string[] = []): OAuthError {
  const { error, error_description: description } = (body ?? {}) as { error?: unknown; error_description?: unknown };
  if (typeof error !== 'string') return new OAuthError(what);
  const detail = typeof description === 'string' && description !== '' ? `${error} (${description})` : error;
  return new OAuthError(`${what}: ${printable(detail, secrets)}`, printable(error, secrets));
}

function printable(text: string, secrets: readonly string[]): string {
  let clean = text;
  for (const secret of secrets) if (secret !== '') clean = clean.replaceAll(secret, '[removed]');
  // biome-ignore lint/suspicious/noControlCharactersInRegex: the text goes to a terminal.
  return clean.replaceAll(/[\u0000-\u001f\u007f-\u009f]/g, ' ').slice(0, MAX_DESCRIPTION_CHARS);
}
