import {
  allowInsecureRequests,
  customFetch,
  genericTokenEndpointRequest,
  isDPoPNonceError,
  processGenericTokenEndpointResponse,
  processRevocationResponse,
  ResponseBodyError,
  revocationRequest,
  type TokenEndpointResponse,
} from 'oauth4webapi';
import type { ClientIdentity } from './client-identity.ts';
import type { GrantRequest } from './grant.ts';
import { OAuthError, refusedBy } from './oauth-error.ts';

/** Asks the token endpoint for tokens. No secret of the parameters is repeated in an error. */
export async function requestTokens(
  request: GrantRequest,
  { client, authentication, secrets }: ClientIdentity,
  grantType: string,
  parameters: Readonly<Record<string, string>>,
): Promise<TokenEndpointResponse> {
  const { server, resource, proofKey } = request;
  if (server.token_endpoint === undefined) throw new OAuthError(`${server.issuer} has no token endpoint`);
  const options = { ...sendingBy(request), ...(proofKey !== undefined && { DPoP: proofKey.handle }) };
  for (let attempt = 1; ; attempt += 1) {
    const all = { ...parameters, resource };
    const response = await genericTokenEndpointRequest(server, client, authentication, grantType, all, options);
    try {
      return await processGenericTokenEndpointResponse(server, client, response);
    } catch (error) {
      if (attempt === 1 && isDPoPNonceError(error)) continue;
      // The library's errors hold the response, which may hold tokens.
      const what = response.ok
        ? `${server.issuer} sent a token response that is not valid`
        : `${server.issuer} gave no token (HTTP ${response.status})`;
      throw refusedBy(what, await bodyOf(error, response), [...secrets, ...secretValues(parameters)]);
    }
  }
}

/** Makes a token invalid. Rejects with an OAuthError when the server does not do so. */
export async function requestRevocation(
  request: GrantRequest,
  { client, authentication, secrets }: ClientIdentity,
  token: string,
): Promise<void> {
  const { server } = request;
  const response = await revocationRequest(server, client, authentication, token, sendingBy(request));
  try {
    await processRevocationResponse(response);
  } catch (error) {
    const what = `${server.issuer} revoked no token (HTTP ${response.status})`;
    throw refusedBy(what, await bodyOf(error, response), [...secrets, token]);
  }
}

/** What the server says about an error. The library does not read it if the response has a challenge. */
async function bodyOf(error: unknown, response: Response): Promise<unknown> {
  if (error instanceof ResponseBodyError) return error.cause;
  return response.bodyUsed ? undefined : await response.json().catch(() => undefined);
}

function sendingBy({ http, signal }: GrantRequest) {
  return {
    signal,
    // `http` refuses what is not https, but for this machine.
    [allowInsecureRequests]: true,
    [customFetch]: (url: string, init: RequestInit) => http.request(url, init, signal),
  };
}

function secretValues({ scope: _, redirect_uri: __, ...secret }: Readonly<Record<string, string>>): string[] {
  return Object.values(secret);
}
