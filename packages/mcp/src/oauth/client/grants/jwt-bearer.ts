import { type PreRegisteredClient, preRegistered } from '../client-identity.ts';
import type { Grant } from '../grant.ts';
import { requestTokens } from '../token-request.ts';

/** What an assertion is asked for. */
export interface AssertionRequest {
  /** The authorization server, which is the assertion's audience. */
  readonly issuer: string;
  readonly resource: string;
  readonly scope: string | undefined;
  readonly signal: AbortSignal;
}

export interface JwtBearerOptions {
  readonly client: PreRegisteredClient;
  /** A JWT that the authorization server trusts, for example of a workload or of the company's identity provider. */
  assertion(request: AssertionRequest): string | Promise<string>;
}

/** Exchanges an assertion for tokens (RFC 7523). A refused assertion is not tried again. */
export function jwtBearer({ client, assertion }: JwtBearerOptions): Grant {
  return {
    ...(client.issuer !== 'any' && { issuer: client.issuer }),
    refreshes: false,
    identify: async ({ server }) => preRegistered(server, client),
    acquire: async (request, identity) => {
      const { server, resource, scope, signal } = request;
      const jwt = await assertion({ issuer: server.issuer, resource, scope, signal });
      const parameters = { assertion: jwt, ...(scope !== undefined && { scope }) };
      return requestTokens(request, identity, 'urn:ietf:params:oauth:grant-type:jwt-bearer', parameters);
    },
  };
}
