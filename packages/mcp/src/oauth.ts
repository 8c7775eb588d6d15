export type {
  ClientIdentity,
  ClientRegistration,
  PreRegisteredClient,
} from './oauth/client/client-identity.ts';
export type { LogoutOutcome } from './oauth/client/credentials.ts';
export type { Grant, GrantRequest } from './oauth/client/grant.ts';
export { type AuthorizationCodeOptions, authorizationCode } from './oauth/client/grants/authorization-code.ts';
export { clientCredentials } from './oauth/client/grants/client-credentials.ts';
export { type AssertionRequest, type JwtBearerOptions, jwtBearer } from './oauth/client/grants/jwt-bearer.ts';
export { type LoginNeeded, refreshOnly } from './oauth/client/grants/refresh-only.ts';
export { type OAuthClient, type OAuthClientOptions, oauthClient } from './oauth/client/oauth-client.ts';
export { OAuthError } from './oauth/client/oauth-error.ts';
export type {
  ProofJwk,
  RegisteredClient,
  StoredCredentials,
  TokenKey,
  TokenStore,
  Tokens,
} from './oauth/client/token-store.ts';
export { memoryTokenStore } from './oauth/client/token-stores/memory.ts';
