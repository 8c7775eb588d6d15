import { type CryptoKey, exportJWK, generateKeyPair, SignJWT } from 'jose';

/** The key of an issuer of tokens. */
export class TokenKey {
  /** The public part, as an issuer lists it. */
  readonly jwk: object;
  readonly #privateKey: CryptoKey;

  private constructor(jwk: object, privateKey: CryptoKey) {
    this.jwk = jwk;
    this.#privateKey = privateKey;
  }

  static async generate(): Promise<TokenKey> {
    const { publicKey, privateKey } = await generateKeyPair('ES256', { extractable: true });
    return new TokenKey({ ...(await exportJWK(publicKey)), kid: 'k', alg: 'ES256', use: 'sig' }, privateKey);
  }

  sign(claims: object): Promise<string> {
    return new SignJWT({ ...claims }).setProtectedHeader({ alg: 'ES256', kid: 'k' }).sign(this.#privateKey);
  }
}
