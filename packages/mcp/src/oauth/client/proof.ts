import { allowInsecureRequests, customFetch, DPoP, type DPoPHandle, protectedResourceRequest } from 'oauth4webapi';
import { OAuthError } from './oauth-error.ts';
import type { ProofJwk } from './token-store.ts';

/** The global type of browsers, which Node's types lack. */
export type CryptoKey = Awaited<ReturnType<typeof crypto.subtle.importKey>>;

interface KeyPair {
  readonly publicKey: CryptoKey;
  readonly privateKey: CryptoKey;
}

const ALGORITHM = { name: 'ECDSA', namedCurve: 'P-256' };
/** Whose key is made here. */
export const PROOF_ALGORITHM = 'ES256';

/** Proves possession of the key that tokens are bound to (DPoP, RFC 9449), and remembers the servers' nonces. */
export class ProofKey {
  /** For requests to the token endpoint. */
  readonly handle: DPoPHandle;
  /** To be stored with the tokens. */
  readonly jwk: ProofJwk;

  private constructor(keys: KeyPair, jwk: ProofJwk) {
    this.handle = DPoP({}, keys);
    this.jwk = jwk;
  }

  static async generate(): Promise<ProofKey> {
    const keys = (await crypto.subtle.generateKey(ALGORITHM, true, ['sign', 'verify'])) as KeyPair;
    const { kty, crv, x, y, d } = await crypto.subtle.exportKey('jwk', keys.privateKey);
    return new ProofKey(keys, { kty, crv, x, y, d } as ProofJwk); // an elliptic key has them all
  }

  /** Of a key that was stored. */
  static async import(jwk: ProofJwk): Promise<ProofKey> {
    try {
      const { d: _, ...open } = jwk;
      const privateKey = await crypto.subtle.importKey('jwk', jwk, ALGORITHM, true, ['sign']);
      const publicKey = await crypto.subtle.importKey('jwk', open, ALGORITHM, true, ['verify']);
      return new ProofKey({ privateKey, publicKey }, jwk);
    } catch {
      throw new OAuthError('The stored key of the tokens is damaged. Log out and log in again.');
    }
  }

  /** The headers of one request to the MCP server. */
  async headers(accessToken: string, method: string, url: URL): Promise<Record<string, string>> {
    const { authorization = '', dpop = '' } = await this.#dryRun(accessToken, method, url, new Headers());
    return { Authorization: authorization, DPoP: dpop };
  }

  /** The MCP server requires this nonce in the next proofs. */
  async rememberNonce(nonce: string, url: URL): Promise<void> {
    await this.#dryRun('none', 'GET', url, new Headers({ 'DPoP-Nonce': nonce }));
  }

  /** Lets the library make a request that is not sent and gets these headers as its response. */
  async #dryRun(
    accessToken: string,
    method: string,
    url: URL,
    responseHeaders: Headers,
  ): Promise<Record<string, string>> {
    let headers: Record<string, string> = {};
    await protectedResourceRequest(accessToken, method, url, undefined, undefined, {
      DPoP: this.handle,
      [customFetch]: async (_url, options) => {
        headers = options.headers;
        return new Response(null, { headers: responseHeaders });
      },
      // Nothing is sent.
      [allowInsecureRequests]: true,
    });
    return headers;
  }
}
