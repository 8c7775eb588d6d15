import {
  type AuthorizationServer,
  allowInsecureRequests,
  customFetch,
  revocationRequest,
  type TokenEndpointResponse,
} from 'oauth4webapi';
import type { AuthorizationHttp } from './authorization-http.ts';
import type { ClientIdentity } from './client-identity.ts';
import { discoverResource, discoverServer, type ProtectedResource, serverWithoutMetadata } from './discovery.ts';
import type { Grant, GrantRequest } from './grant.ts';
import { OAuthError } from './oauth-error.ts';
import { PROOF_ALGORITHM, ProofKey } from './proof.ts';
import { scopesOf } from './scopes.ts';
import { requestTokens } from './token-request.ts';
import type { StoredCredentials, TokenKey, TokenStore, Tokens } from './token-store.ts';

interface Surroundings {
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
}

/** A token is refreshed this long before it expires, or after nine tenths of its life. */
const EXPIRY_MARGIN_MS = 30_000;

/** What there is for one resource at one authorization server. */
export class Credentials {
  readonly #around: Surroundings;
  readonly #server: AuthorizationServer;
  readonly #resource: ProtectedResource;
  readonly #usesProof: boolean;
  #stored: StoredCredentials = {};
  /** The scopes that were asked for. */
  #requested: string[] = [];
  #refreshAt = Number.POSITIVE_INFINITY;
  proofKey: ProofKey | undefined;
  /** Where the tokens come from. */
  source: 'store' | 'refresh' | 'login' = 'store';
  /** Called when there are tokens to be used. */
  onTokens: () => void = () => {};

  private constructor(around: Surroundings, server: AuthorizationServer, resource: ProtectedResource, proof: boolean) {
    this.#around = around;
    this.#server = server;
    this.#resource = resource;
    this.#usesProof = proof;
  }

  /** Finds the resource's authorization server; without tokens. */
  static async find(around: Surroundings, wanted: Wanted, signal: AbortSignal): Promise<Credentials> {
    const { http, grant, url } = around;
    const found = await discoverResource(http, url, wanted.metadataUrl, signal);
    const named = found?.issuers.find((issuer) => issuer === grant.issuer) ?? found?.issuers[0];
    let server = await discoverServer(http, named ?? url.origin, signal);
    if (server === undefined && found === undefined) server = serverWithoutMetadata(url);
    if (server === undefined) throw new OAuthError(`${named ?? url.origin} has no metadata of an authorization server`);
    const self = `${url.origin}${url.pathname === '/' ? '' : url.pathname}`;
    const resource = found ?? { resource: self, issuers: [], scopes: [], requiresProof: false };
    const isProofWanted = wanted.isProofWanted || resource.requiresProof;
    const canProve = server.dpop_signing_alg_values_supported?.includes(PROOF_ALGORITHM) === true;
    return new Credentials(around, server, resource, isProofWanted && canProve);
  }

  get issuer(): string {
    return this.#server.issuer;
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
    return this.#server.scopes_supported?.includes('offline_access') === true;
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
    this.#stored = (await this.#around.store.load(this.#key)) ?? {};
    const { tokens } = this.#stored;
    if (tokens === undefined) return false;
    this.proofKey = tokens.proofKey && (await ProofKey.import(tokens.proofKey));
    if (tokens.accessToken === refused || (tokens.expiresAt ?? Number.POSITIVE_INFINITY) <= Date.now()) return false;
    this.#refreshAt = (tokens.expiresAt ?? Number.POSITIVE_INFINITY) - EXPIRY_MARGIN_MS;
    this.onTokens();
    return true;
  }

  /** False when the server does not accept the refresh token, or there is none. */
  async refresh(signal: AbortSignal): Promise<boolean> {
    const { refreshToken, scope } = this.#stored.tokens ?? {};
    if (refreshToken === undefined) return false;
    const request = this.#request(undefined, signal);
    try {
      const identity = await this.#around.grant.identify(request);
      const parameters = { refresh_token: refreshToken };
      const response = await requestTokens(request, identity, 'refresh_token', parameters);
      this.source = 'refresh';
      await this.#use({ refresh_token: refreshToken, ...(scope !== undefined && { scope }), ...response }, identity);
      return true;
    } catch (error) {
      // A server that cannot be reached says nothing about the token.
      if (error instanceof OAuthError && error.code !== undefined) return false;
      throw error;
    }
  }

  /** Gets new tokens. */
  async acquire(scope: string | undefined, signal: AbortSignal): Promise<void> {
    const { grant } = this.#around;
    this.proofKey = this.#usesProof ? await ProofKey.generate() : undefined;
    let request = this.#request(scope, signal);
    let identity = await grant.identify(request);
    let response: TokenEndpointResponse;
    try {
      response = await grant.acquire(request, identity);
    } catch (error) {
      const isForgotten = error instanceof OAuthError && error.code === 'invalid_client';
      if (!isForgotten || request.registered === undefined || identity.registered !== request.registered) throw error;
      // The authorization server no longer knows the registration.
      this.#stored = {};
      request = this.#request(scope, signal);
      identity = await grant.identify(request);
      response = await grant.acquire(request, identity);
    }
    this.source = 'login';
    this.#requested = scopesOf(scope);
    await this.#use(scope === undefined ? response : { scope, ...response }, identity);
  }

  /** Forgets everything, also at the authorization server. */
  async discard(signal: AbortSignal): Promise<void> {
    const stored = (await this.#around.store.load(this.#key)) ?? this.#stored;
    await this.#around.store.delete(this.#key);
    const token = stored.tokens?.refreshToken ?? stored.tokens?.accessToken;
    if (token === undefined || this.#server.revocation_endpoint === undefined) return;
    this.#stored = stored;
    const { client, authentication } = await this.#around.grant.identify(this.#request(undefined, signal));
    const { http } = this.#around;
    // The response does not matter: the tokens are forgotten in any case.
    await revocationRequest(this.#server, client, authentication, token, {
      [allowInsecureRequests]: true,
      [customFetch]: (url: string, init: RequestInit) => http.request(url, init, signal),
    });
  }

  get #key(): TokenKey {
    return { issuer: this.issuer, resource: this.#resource.resource };
  }

  #request(scope: string | undefined, signal: AbortSignal): GrantRequest {
    return {
      server: this.#server,
      resource: this.#resource.resource,
      scope,
      registered: this.#stored.client,
      proofKey: this.proofKey,
      http: this.#around.http,
      signal,
    };
  }

  async #use(response: TokenEndpointResponse, { registered }: ClientIdentity): Promise<void> {
    const { access_token: accessToken, refresh_token: refreshToken, expires_in: seconds, scope, token_type } = response;
    const lifetime = seconds === undefined ? Number.POSITIVE_INFINITY : seconds * 1000;
    const now = Date.now();
    // Asked for a bound token, a server may still give a bearer token.
    if (token_type !== 'dpop') this.proofKey = undefined;
    const tokens: Tokens = {
      accessToken,
      ...(refreshToken !== undefined && { refreshToken }),
      ...(seconds !== undefined && { expiresAt: now + lifetime }),
      ...(scope !== undefined && { scope }),
      ...(this.proofKey !== undefined && { proofKey: this.proofKey.jwk }),
    };
    this.#stored = { ...(registered !== undefined && { client: registered }), tokens };
    this.#refreshAt = now + lifetime - Math.min(EXPIRY_MARGIN_MS, lifetime / 10);
    // First, so that a store that fails does not lose them.
    this.onTokens();
    await this.#around.store.save(this.#key, this.#stored);
  }
}
