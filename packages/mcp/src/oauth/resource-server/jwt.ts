import { createRemoteJWKSet, customFetch, errors, type JWTVerifyGetKey, jwtVerify } from 'jose';
import { type Issuer, secureUrl } from './issuer.ts';
import { InvalidToken, type VerifyToken } from './token.ts';

export interface JwtOptions {
  /** Where the keys are. Default: as the metadata of the issuer says. */
  readonly jwksUri?: string;
  /** Signature algorithms to accept, asymmetric ones only. Default: `RS256` to `PS512`, `ES256` to `ES512` and EdDSA. */
  readonly algorithms?: readonly string[];
  /** Seconds by which the clocks of issuer and server may differ. Default 30. */
  readonly clockTolerance?: number;
}

const ALGORITHMS = [
  ...['RS256', 'RS384', 'RS512', 'PS256', 'PS384', 'PS512'],
  ...['ES256', 'ES384', 'ES512', 'EdDSA', 'Ed25519'],
];

/** Issuers also sign logout tokens, responses to introspection and more. */
const TYPES: ReadonlySet<string | undefined> = new Set([undefined, 'jwt', 'at+jwt', 'application/at+jwt']);

/** After the issuer turned out not to list a key, it is not asked about another unknown key for this long. */
const COOLDOWN_MS = 30_000;

/** Verifies tokens that the issuer signed. Its keys are kept for ten minutes, and read again for an unknown one. */
export function jwtVerifier(issuer: Issuer, audience: string, options: JwtOptions): VerifyToken {
  const { jwksUri, algorithms = ALGORITHMS, clockTolerance = 30 } = options;
  for (const name of algorithms)
    if (!ALGORITHMS.includes(name))
      throw new TypeError(`algorithms must name some of ${ALGORITHMS.join(', ')}, not ${JSON.stringify(name)}`);
  const fixed = jwksUri === undefined ? undefined : secureUrl('jwksUri', jwksUri);
  const keys = keysOf(issuer, fixed);
  const expected = {
    issuer: issuer.url,
    audience,
    algorithms: [...algorithms],
    clockTolerance,
    requiredClaims: ['exp'],
  };
  return async (token) => {
    const { payload, protectedHeader } = await jwtVerify(token, keys, expected).catch((error: unknown) => {
      throw error instanceof errors.JOSEError ? new InvalidToken(problemOf(error)) : error;
    });
    const { typ }: { typ?: unknown } = protectedHeader;
    if (!TYPES.has(typeof typ === 'string' ? typ.toLowerCase() : (typ as undefined)))
      throw new InvalidToken('The JWT is not an access token');
    return payload;
  };
}

type KeySet = ReturnType<typeof createRemoteJWKSet>;

/** Rejects with an error that is not of jose's if the keys could not be read. */
function keysOf(issuer: Issuer, fixed: URL | undefined): JWTVerifyGetKey {
  const fetchKeys = async (url: string, options: RequestInit) => {
    const { status, text } = await issuer.request(url, options);
    return new Response(text, { status: status === 200 ? 200 : 502 });
  };
  let uri: string | undefined;
  let keys: KeySet | undefined;
  let notListedAt = Number.NEGATIVE_INFINITY;
  const find = async (used: KeySet, ...wanted: Parameters<JWTVerifyGetKey>) => {
    try {
      return await used(...wanted);
    } catch (error) {
      const isCoolingDown = Date.now() - notListedAt < COOLDOWN_MS && !used.reloading;
      if (!(error instanceof errors.JWKSNoMatchingKey) || isCoolingDown) throw error;
    }
    await used.reload();
    try {
      return await used(...wanted);
    } catch (error) {
      notListedAt = Date.now();
      throw error;
    }
  };
  return async (header, token) => {
    const found = keys?.fresh ? undefined : (fixed ?? (await issuer.endpoint('jwks_uri')));
    if (keys === undefined || (found !== undefined && found.href !== uri)) {
      const wanted = found as URL; // there is one, because without keys none are fresh
      uri = wanted.href;
      // `find` decides when to read them again: jose itself would refuse a new key for 30 s.
      keys = createRemoteJWKSet(wanted, { [customFetch]: fetchKeys, cooldownDuration: Number.POSITIVE_INFINITY });
    }
    const used = keys;
    try {
      return await find(used, header, token);
    } catch (error) {
      if (error instanceof errors.JWKSNoMatchingKey || error instanceof errors.JWKSMultipleMatchingKeys) throw error;
      if (error instanceof errors.JOSENotSupported) throw error;
      // The keys may have moved.
      if (!used.fresh) issuer.forgetMetadata();
      throw new Error(`The keys of the issuer ${issuer.url} could not be read`, { cause: error });
    }
  };
}

/** Says what is wrong without a value of the token. */
function problemOf(error: errors.JOSEError): string {
  if (error instanceof errors.JWTExpired) return 'The token has expired';
  if (error instanceof errors.JWTClaimValidationFailed) {
    if (error.reason === 'missing') return `The token lacks the claim ${error.claim}`;
    if (error.claim === 'aud') return 'The token is for another audience';
    if (error.claim === 'iss') return 'The token is of another issuer';
    if (error.claim === 'nbf') return 'The token is not valid yet';
    return `The claim ${error.claim} of the token is not valid`;
  }
  if (error instanceof errors.JWKSNoMatchingKey) return 'The token is signed with a key that the issuer does not list';
  if (error instanceof errors.JWKSMultipleMatchingKeys) return 'The token does not say with which key it is signed';
  if (error instanceof errors.JOSEAlgNotAllowed) return 'The token is signed with an algorithm that is not accepted';
  if (error instanceof errors.JWSSignatureVerificationFailed) return 'The signature of the token is wrong';
  return 'The token is not a signed JWT';
}
