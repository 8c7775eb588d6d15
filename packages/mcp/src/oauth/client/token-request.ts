import {
  allowInsecureRequests,
  customFetch,
  genericTokenEndpointRequest,
  isDPoPNonceError,
  processGenericTokenEndpointResponse,
  ResponseBodyError,
  type TokenEndpointResponse,
} from 'oauth4webapi';
import type { ClientIdentity } from './client-identity.ts';
import type { GrantRequest } from './grant.ts';
import { OAuthError, refusedBy } from './oauth-error.ts';

/** Asks the token endpoint for tokens. No secret of the parameters is repeated in an error. */
export async function requestTokens(
  { server, resource, proofKey, http, signal }: GrantRequest,
  { client, authentication, secrets }: ClientIdentity,
  grantType: string,
  parameters: Readonly<Record<string, string>>,
): Promise<TokenEndpointResponse> {
  if (server.token_endpoint === undefined) throw new OAuthError(`${server.issuer} has no token endpoint`);
  const options = {
    signal,
    ...(proofKey !== undefined && { DPoP: proofKey.handle }),
    // `http` refuses what is not https, but for this machine.
    [allowInsecureRequests]: true,
    [customFetch]: (url: string, init: RequestInit) => http.request(url, init, signal),
  };
  for (let attempt = 1; ; attempt += 1) {
    const all = { ...parameters, resource };
    const response = await genericTokenEndpointRequest(server, client, authentication, grantType, all, options);
    try {
      return await processGenericTokenEndpointResponse(server, client, response);
    } catch (error) {
      if (attempt === 1 && isDPoPNonceError(error)) continue;
      // The library's errors hold the response, which may hold tokens.
      const what = `${server.issuer} gave no token (HTTP ${response.status})`;
      const answer = error instanceof ResponseBodyError ? error.cause : undefined;
      throw refusedBy(what, answer, [...secrets, ...secretValues(parameters)]);
    }
  }
}

function secretValues({ scope: _, redirect_uri: __, ...secret }: Readonly<Record<string, string>>): string[] {
  return Object.values(secret);
}
