/** What a valid token says. */
export interface TokenClaims {
  readonly sub?: unknown;
  readonly client_id?: unknown;
  readonly exp?: unknown;
  readonly scope?: unknown;
  readonly scp?: unknown;
  readonly cnf?: unknown;
  readonly [claim: string]: unknown;
}

/** Checks a token. Rejects with InvalidToken, or with anything else if the request to the issuer failed. */
export type VerifyToken = (token: string) => Promise<TokenClaims>;

/** The client needs another token. The message is shown to it, and contains nothing of the token. */
export class InvalidToken extends Error {
  override readonly name = 'InvalidToken';
}

/** The token of an Authorization header; undefined if it has none. Throws InvalidToken if the header is malformed. */
export function tokenOf(header: string | readonly string[] | undefined): string | undefined {
  if (header === undefined) return undefined;
  if (typeof header !== 'string') throw new InvalidToken('There is more than one Authorization header');
  if (!/^bearer(?![^ ])/i.test(header)) return undefined;
  const [, token] = /^bearer +([\w.~+/-]+=*) *$/i.exec(header) ?? [];
  if (token === undefined) throw new InvalidToken('The Authorization header must be: Bearer, a space, and the token');
  const { maxTokenBytes } = TOKEN_LIMITS;
  if (token.length > maxTokenBytes)
    throw new InvalidToken(`The token is longer than the limit of ${maxTokenBytes} characters`);
  return token;
}

export const TOKEN_LIMITS = { maxTokenBytes: 16 * 1024 } as const;

/** Of `scope`, as RFC 9068 has it, and `scp`, as some issuers call it. */
export function scopesOf({ scope, scp }: TokenClaims): readonly string[] {
  const names = [scope, scp].flatMap((claim): readonly unknown[] =>
    typeof claim === 'string' ? claim.split(' ') : Array.isArray(claim) ? claim : [],
  );
  return [...new Set(names.filter((name) => typeof name === 'string' && name !== '') as string[])];
}

/** The owner of what the token's bearer creates: the same for every token of a user. */
export function principalIdOf(issuer: string, { sub, client_id }: TokenClaims): string {
  if (typeof sub === 'string' && sub !== '') return `${issuer}#sub=${sub}`;
  if (typeof client_id === 'string' && client_id !== '') return `${issuer}#client_id=${client_id}`;
  throw new InvalidToken('The token has no subject');
}
