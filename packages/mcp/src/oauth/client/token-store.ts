/** Tokens belong to one resource and the authorization server that issued them, and are never used with another. */
export interface TokenKey {
  readonly issuer: string;
  readonly resource: string;
}

/** A client that registered itself with the authorization server. */
export interface RegisteredClient {
  readonly clientId: string;
  readonly clientSecret?: string;
  readonly tokenEndpointAuthMethod: string;
  /** It was registered for this one; another needs a new registration. */
  readonly redirectUrl: string;
}

export interface Tokens {
  readonly accessToken: string;
  /** Milliseconds since 1970; undefined when the server did not say. */
  readonly expiresAt?: number;
  readonly refreshToken?: string;
  /** What was granted, separated by spaces. */
  readonly scope?: string;
  /** The key that the tokens are bound to (DPoP); undefined for bearer tokens. */
  readonly proofKey?: ProofJwk;
}

/** A private key as JSON (RFC 7517). */
export interface ProofJwk {
  readonly kty: string;
  readonly crv: string;
  readonly x: string;
  readonly y: string;
  readonly d: string;
}

/** A JSON value, so that a store can write it as text. It holds secrets: keep it where only the user can read it. */
export interface StoredCredentials {
  readonly client?: RegisteredClient;
  readonly tokens?: Tokens;
}

/** Keeps credentials between runs. Several clients may share one store, and several processes one that has `lock`. */
export interface TokenStore {
  /** Undefined when there are none. */
  load(key: TokenKey): Promise<StoredCredentials | undefined>;
  /** Replaces what is stored under the key. */
  save(key: TokenKey, credentials: StoredCredentials): Promise<void>;
  /** Does nothing when there are none. */
  delete(key: TokenKey): Promise<void>;
  /**
   * Every key under which something is stored. With it, a client sends a stored token with its first request; without it,
   * only after the server has refused one.
   */
  keys?(): Promise<readonly TokenKey[]>;
  /**
   * Waits for the lock of the key, and takes it. Resolves to a function that releases it; rejects when
   * the signal aborts. It is held during a refresh, because most refresh tokens work only once.
   */
  lock?(key: TokenKey, signal: AbortSignal): Promise<() => Promise<void>>;
}
