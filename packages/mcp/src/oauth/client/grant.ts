import type { AuthorizationServer, TokenEndpointResponse } from 'oauth4webapi';
import type { AuthorizationHttp } from './authorization-http.ts';
import type { ClientIdentity } from './client-identity.ts';
import type { ProofKey } from './proof.ts';
import type { RegisteredClient } from './token-store.ts';

/** One attempt to get tokens, or to revoke them. */
export interface GrantRequest {
  /** `login` gets new tokens; the others are about tokens that the client got before. */
  readonly purpose: 'login' | 'refresh' | 'revocation';
  readonly server: AuthorizationServer;
  /** Sent as `resource` (RFC 8707). */
  readonly resource: string;
  /** Separated by spaces; undefined leaves it to the authorization server. */
  readonly scope: string | undefined;
  /** The registration of an earlier run. */
  readonly registered: RegisteredClient | undefined;
  /** The key to bind the tokens to; undefined for bearer tokens. */
  readonly proofKey: ProofKey | undefined;
  readonly http: AuthorizationHttp;
  /** Aborts at the deadline of the login. */
  readonly signal: AbortSignal;
}

/** A way to get tokens. Both methods reject with an OAuthError, or with what a callback of the user throws. */
export interface Grant {
  /** The authorization server to prefer when the MCP server names several. */
  readonly issuer?: string;
  /** Whether tokens can be refreshed, so that `offline_access` is of use. */
  readonly refreshes: boolean;
  /** Called before `acquire`, each refresh and each revocation. */
  identify(request: GrantRequest): Promise<ClientIdentity>;
  acquire(request: GrantRequest, identity: ClientIdentity): Promise<TokenEndpointResponse>;
}
