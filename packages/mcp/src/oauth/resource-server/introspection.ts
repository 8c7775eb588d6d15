import { type Issuer, secureUrl } from './issuer.ts';
import { InvalidToken, type TokenClaims, type VerifyToken } from './token.ts';

/** How this server identifies itself when it asks the issuer about a token (RFC 7662). */
export interface IntrospectionOptions {
  readonly clientId: string;
  readonly clientSecret: string;
  /** Default: as the metadata of the issuer says. */
  readonly endpoint?: string;
}

/** Asks the issuer about each token, every time: a token that was revoked is refused from then on. */
export function introspector(
  issuer: Issuer,
  audience: string,
  { clientId, clientSecret, endpoint }: IntrospectionOptions,
  clockTolerance: number,
): VerifyToken {
  const fixed = endpoint === undefined ? undefined : secureUrl('introspection.endpoint', endpoint);
  const headers = {
    Accept: 'application/json',
    Authorization: `Basic ${btoa(`${formEncoded(clientId)}:${formEncoded(clientSecret)}`)}`,
  };
  return async (token) => {
    const url = fixed ?? (await issuer.endpoint('introspection_endpoint'));
    const body = new URLSearchParams({ token, token_type_hint: 'access_token' });
    const claims: TokenClaims = await issuer.requestJson(url, { method: 'POST', headers, body });
    const now = Date.now() / 1000;
    const { active, token_type, iss, aud, exp, nbf } = claims;
    if (active !== true) throw new InvalidToken('The token has expired, was revoked, or is unknown to the issuer');
    if (typeof token_type === 'string' && token_type.toLowerCase() !== 'bearer')
      throw new InvalidToken('The token is not a bearer token');
    if (iss !== undefined && iss !== issuer.url) throw new InvalidToken('The token is of another issuer');
    if (!(Array.isArray(aud) ? aud : [aud]).includes(audience))
      throw new InvalidToken('The token is for another audience');
    if (typeof exp === 'number' && exp + clockTolerance <= now) throw new InvalidToken('The token has expired');
    if (typeof nbf === 'number' && nbf - clockTolerance > now) throw new InvalidToken('The token is not valid yet');
    return claims;
  };
}

/** As RFC 6749 has it, which is not how URLs are encoded. */
function formEncoded(text: string): string {
  return new URLSearchParams({ text }).toString().slice('text='.length);
}
