import { type PreRegisteredClient, preRegistered } from '../client-identity.ts';
import type { Grant } from '../grant.ts';
import { requestTokens } from '../token-request.ts';

/** Gets tokens for the client itself, without a user. */
export function clientCredentials({ client }: { readonly client: PreRegisteredClient }): Grant {
  return {
    ...(client.issuer !== 'any' && { issuer: client.issuer }),
    refreshes: false,
    identify: async ({ server }) => preRegistered(server, client),
    acquire: (request, identity) =>
      requestTokens(
        request,
        identity,
        'client_credentials',
        request.scope === undefined ? {} : { scope: request.scope },
      ),
  };
}
