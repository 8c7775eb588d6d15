import type { AuthorizationServer, TokenEndpointResponse } from 'oauth4webapi';
import type { AuthorizationHttp } from './authorization-http.ts';
import type { ClientIdentity } from './client-identity.ts';
import {
  discoverAuthorizationServer,
  discoverResource,
  type ProtectedResource,
  serverWithoutMetadata,
} from './discovery.ts';
import type { Grant, GrantRequest } from './grant.ts';
import { OAuthError } from './oauth-error.ts';
import { PROOF_ALGORITHM, ProofKey } from './proof.ts';
import { scopesOf } from './scopes.ts';
import { requestRevocation, requestTokens } from './token-request.ts';
import type { StoredCredentials, TokenKey, TokenStore, Tokens } from './token-store.ts';

interface OAuthSetup {
  readonly http: AuthorizationHttp;
  readonly store: TokenStore;
  readonly grant: Grant;
  /** Of the MCP server. */
  readonly url: URL;
}

interface Wanted {
  /** Where the server says that its metadata are. */
  readonly metadataUrl: string | undefined;
  readonly isProofWanted: boolean;
  /** Whether the server has refused a request that had no token. */
  readonly isRefused: boolean;
}

/** The result of a logout at one authorization server. */
export interface LogoutOutcome extends TokenKey {
  /** Whether its tokens are invalid now. Not every authorization server can revoke tokens. */
  readonly revocation: 'revoked' | 'not offered' | 'failed';
  /** Why the revocation failed. */
  readonly reason?: string;
}

/** A token is refreshed this long before it expires, or after nine tenths of its life. */
const EXPIRY_MARGIN_MS = 30_000;

/** A hundred years. Tokens that live longer count as tokens that do not expire: a Date could not hold their end. */
const MAX_LIFETIME_SECONDS = 100 * 365 * 24 * 3600;

/** Visible ASCII: what RFC 6749 allows in a token. */
const SENDABLE = /^[\x21-\x7e]+$/;

/** The credentials for one resource at one authorization server. */
export class Credentials {
  readonly issuer: string;
  readonly #setup: OAuthSetup;
  readonly #resource: ProtectedResource;
  readonly #usesProof: boolean;
  /** Undefined until they are needed. */
  #server: AuthorizationServer | undefined;
  /** Whether the server was found by no metadata at all. */
  #isGuess = false;
  #stored: StoredCredentials = {};
  /** The access token that the store had when it was last read or written. */
  #tokenInStore: string | undefined;
  /** The scopes that were asked for. */
  #requested: string[] = [];
  #refreshAt = Number.POSITIVE_INFINITY;
  proofKey: ProofKey | undefined;
  /** Where the tokens come from. */
  source: 'store' | 'refresh' | 'login' = 'store';
  /** Called when there are tokens to be used. */
  onTokens: () => void = () => {};

  private constructor(setup: OAuthSetup, issuer: string, resource: ProtectedResource, proof = false) {
    this.issuer = issuer;
    this.#setup = setup;
    this.#resource = resource;
    this.#usesProof = proof;
  }

  /** Those of the store. They are used and refreshed without asking the resource for its authorization server. */
  static stored(setup: OAuthSetup, { issuer, resource }: TokenKey): Credentials {
    setup.http.trust(issuer);
    return new Credentials(setup, issuer, { resource, issuers: [issuer], scopes: [], requiresProof: false });
  }

  /** Finds the resource's authorization server; without tokens. */
  static async find(setup: OAuthSetup, wanted: Wanted, signal: AbortSignal): Promise<Credentials> {
    const { http, grant, url } = setup;
    const found = await discoverResource(http, url, wanted.metadataUrl, signal);
    const named = found?.issuers.find((issuer) => issuer === grant.issuer) ?? found?.issuers[0];
    let server = await discoverAuthorizationServer(http, named ?? url.origin, signal);
    const isGuess = server === undefined && found === undefined;
    if (isGuess) {
      if (!wanted.isRefused) throw new OAuthError(`${url.origin}${url.pathname} asks for no login`);
      server = serverWithoutMetadata(url);
    }
    if (server === undefined) throw new OAuthError(`${named ?? url.origin} has no metadata of an authorization server`);
    const self = `${url.origin}${url.pathname === '/' ? '' : url.pathname}`;
    const resource = found ?? { resource: self, issuers: [], scopes: [], requiresProof: false };
    const isProofWanted = wanted.isProofWanted || resource.requiresProof;
    const canProve = server.dpop_signing_alg_values_supported?.includes(PROOF_ALGORITHM) === true;
    const credentials = new Credentials(setup, server.issuer, resource, isProofWanted && canProve);
    credentials.#server = server;
    credentials.#isGuess = isGuess;
    return credentials;
  }

  get accessToken(): string | undefined {
    return this.#stored.tokens?.accessToken;
  }

  /** The value of the header. */
  get authorization(): string | undefined {
    const token = this.accessToken;
    return token === undefined ? undefined : `${this.proofKey === undefined ? 'Bearer' : 'DPoP'} ${token}`;
  }

  /** Those that were asked for and those that were granted. */
  get scopes(): string[] {
    return [...this.#requested, ...scopesOf(this.#stored.tokens?.scope)];
  }

  get supportedScopes(): readonly string[] {
    return this.#resource.scopes;
  }

  get offersOfflineAccess(): boolean {
    return this.#server?.scopes_supported?.includes('offline_access') === true;
  }

  get isExpiring(): boolean {
    return Date.now() >= this.#refreshAt && this.#stored.tokens?.refreshToken !== undefined;
  }

  async headers(method: string, url: URL): Promise<Record<string, string>> {
    const token = this.accessToken;
    if (token === undefined) return {};
    if (this.proofKey !== undefined) return this.proofKey.headers(token, method, url);
    return { Authorization: `Bearer ${token}` };
  }

  /** Reads the store. True when it has a token that is neither expired nor the refused one. */
  async load(refused: string | undefined): Promise<boolean> {
    return await this.#adopt(await this.#setup.store.load(this.key), refused);
  }

  /** False when the server does not accept the refresh token, or there is none. */
  async refresh(signal: AbortSignal): Promise<boolean> {
    const { store } = this.#setup;
    const release = await store.lock?.(this.key, signal);
    try {
      const stored = await store.load(this.key);
      const hasChanged = stored?.tokens?.accessToken !== this.#tokenInStore;
      // Another client has refreshed them, or logged out.
      if (hasChanged && (await this.#adopt(stored, undefined))) {
        this.source = 'refresh';
        return true;
      }
      return await this.#requestRefresh(signal);
    } finally {
      await release?.();
    }
  }

  async #requestRefresh(signal: AbortSignal): Promise<boolean> {
    const { refreshToken, scope } = this.#stored.tokens ?? {};
    if (refreshToken === undefined) return false;
    try {
      const request = await this.#request('refresh', undefined, signal);
      const identity = await this.#setup.grant.identify(request);
      const parameters = { refresh_token: refreshToken };
      const response = await requestTokens(request, identity, 'refresh_token', parameters);
      this.source = 'refresh';
      await this.#use({ refresh_token: refreshToken, ...(scope !== undefined && { scope }), ...response }, identity);
      return true;
    } catch (error) {
      // A server that cannot be reached says nothing about the token.
      if (!(error instanceof OAuthError) || error.code === undefined) throw error;
      // The authorization server no longer knows the registration; a login with it would end on a page with an error.
      if (error.code === 'invalid_client') this.#stored = {};
      return false;
    }
  }

  /** Gets new tokens. */
  async acquire(scope: string | undefined, signal: AbortSignal): Promise<void> {
    const { grant } = this.#setup;
    this.proofKey = this.#usesProof ? await ProofKey.generate() : undefined;
    let request = await this.#request('login', scope, signal);
    let identity = await grant.identify(request).catch((error: unknown) => {
      if (!this.#isGuess || !(error instanceof OAuthError)) throw error;
      throw new OAuthError(`${this.issuer} names no authorization server, and is none itself: ${error.message}`);
    });
    let response: TokenEndpointResponse;
    try {
      response = await grant.acquire(request, identity);
    } catch (error) {
      const isForgotten = error instanceof OAuthError && error.code === 'invalid_client';
      if (!isForgotten || request.registered === undefined || identity.registered !== request.registered) throw error;
      // The authorization server no longer knows the registration.
      this.#stored = {};
      request = await this.#request('login', scope, signal);
      identity = await grant.identify(request);
      response = await grant.acquire(request, identity);
    }
    this.source = 'login';
    this.#requested = scopesOf(scope);
    await this.#use(scope === undefined ? response : { scope, ...response }, identity);
  }

  /** Forgets everything, also at the authorization server. */
  async discard(signal: AbortSignal): Promise<LogoutOutcome> {
    const { store } = this.#setup;
    const stored = (await store.load(this.key)) ?? this.#stored;
    await store.delete(this.key);
    this.#stored = stored;
    const { refreshToken, accessToken } = stored.tokens ?? {};
    const outcome = (revocation: LogoutOutcome['revocation'], reason?: string) => ({
      ...this.key,
      revocation,
      ...(reason !== undefined && { reason }),
    });
    try {
      const request = await this.#request('revocation', undefined, signal);
      if (request.server.revocation_endpoint === undefined) return outcome('not offered');
      const identity = await this.#setup.grant.identify(request);
      // Some servers revoke the access token with the refresh token; others can revoke no access token at all.
      if (refreshToken !== undefined) await requestRevocation(request, identity, refreshToken);
      if (accessToken !== undefined) {
        const revoked = requestRevocation(request, identity, accessToken);
        await (refreshToken === undefined ? revoked : revoked.catch(() => {}));
      }
      return outcome('revoked');
    } catch (error) {
      signal.throwIfAborted();
      return outcome(
        'failed',
        error instanceof OAuthError ? error.message : 'it is not known to which client they belong',
      );
    }
  }

  get key(): TokenKey {
    return { issuer: this.issuer, resource: this.#resource.resource };
  }

  /** Takes over what the store has. True when its token is neither expired nor the refused one. */
  async #adopt(stored: StoredCredentials | undefined, refused: string | undefined): Promise<boolean> {
    this.#stored = stored ?? {};
    const { tokens } = this.#stored;
    this.#tokenInStore = tokens?.accessToken;
    if (tokens === undefined) return false;
    this.proofKey = tokens.proofKey && (await ProofKey.import(tokens.proofKey));
    if (tokens.accessToken === refused || (tokens.expiresAt ?? Number.POSITIVE_INFINITY) <= Date.now()) return false;
    this.#refreshAt = (tokens.expiresAt ?? Number.POSITIVE_INFINITY) - EXPIRY_MARGIN_MS;
    this.onTokens();
    return true;
  }

  async #request(
    purpose: GrantRequest['purpose'],
    scope: string | undefined,
    signal: AbortSignal,
  ): Promise<GrantRequest> {
    return {
      purpose,
      server: await this.#metadata(signal),
      resource: this.#resource.resource,
      scope,
      registered: this.#stored.client,
      proofKey: this.proofKey,
      http: this.#setup.http,
      signal,
    };
  }

  async #metadata(signal: AbortSignal): Promise<AuthorizationServer> {
    const { http, url } = this.#setup;
    this.#server ??= await discoverAuthorizationServer(http, this.issuer, signal);
    if (this.#server === undefined && this.issuer === url.origin) this.#server = serverWithoutMetadata(url);
    if (this.#server === undefined) throw new OAuthError(`${this.issuer} has no metadata of an authorization server`);
    return this.#server;
  }

  async #use(response: TokenEndpointResponse, { registered }: ClientIdentity): Promise<void> {
    const { access_token: accessToken, refresh_token: refreshToken, expires_in: seconds, scope, token_type } = response;
    if (!SENDABLE.test(accessToken))
      throw new OAuthError(`${this.issuer} gave a token that cannot be sent in a header`);
    const isLimited = seconds !== undefined && seconds <= MAX_LIFETIME_SECONDS;
    const lifetime = isLimited ? seconds * 1000 : Number.POSITIVE_INFINITY;
    const now = Date.now();
    // Asked for a bound token, a server may still give a bearer token.
    if (token_type !== 'dpop') this.proofKey = undefined;
    const tokens: Tokens = {
      accessToken,
      ...(refreshToken !== undefined && { refreshToken }),
      ...(isLimited && { expiresAt: now + lifetime }),
      ...(scope !== undefined && { scope }),
      ...(this.proofKey !== undefined && { proofKey: this.proofKey.jwk }),
    };
    this.#stored = { ...(registered !== undefined && { client: registered }), tokens };
    this.#refreshAt = now + lifetime - Math.min(EXPIRY_MARGIN_MS, lifetime / 10);
    // First, so that a store that fails does not lose them.
    this.onTokens();
    await this.#setup.store.save(this.key, this.#stored);
    this.#tokenInStore = accessToken;
  }
}
