import {
  AuthorizationResponseError,
  type AuthorizationServer,
  calculatePKCECodeChallenge,
  generateRandomCodeVerifier,
  generateRandomState,
  OperationProcessingError,
  validateAuthResponse,
} from 'oauth4webapi';
import { untilAborted } from '../../../jsonrpc/waiting.ts';
import {
  type ClientIdentity,
  type ClientRegistration,
  fromRegistration,
  identifiedByUrl,
  type PreRegisteredClient,
  preRegistered,
  register,
} from '../client-identity.ts';
import type { Grant, GrantRequest } from '../grant.ts';
import { OAuthError, refusedBy } from '../oauth-error.ts';
import { scopesOf } from '../scopes.ts';
import { requestTokens } from '../token-request.ts';

export interface AuthorizationCodeOptions {
  /** Where the authorization server sends the browser afterwards, such as `http://127.0.0.1:8765/callback`. */
  readonly redirectUrl: string;
  /** Shows the URL in a browser, and settles with the URL that the browser was redirected to. */
  openBrowser(url: string, options: { readonly signal: AbortSignal }): Promise<string | URL>;
  /** Without one, the client identifies itself by `clientMetadataUrl`, or registers itself. */
  readonly client?: PreRegisteredClient;
  /** The https URL of the client's metadata, for authorization servers that accept it as client id. */
  readonly clientMetadataUrl?: string;
  readonly registration?: ClientRegistration;
}

/** Lets the user log in with a browser. PKCE with S256 is always used. */
export function authorizationCode(options: AuthorizationCodeOptions): Grant {
  const { redirectUrl, openBrowser, client } = options;
  if (!URL.canParse(redirectUrl)) throw new TypeError(`redirectUrl is not a URL: ${redirectUrl}`);
  return {
    ...(client !== undefined && client.issuer !== 'any' && { issuer: client.issuer }),
    refreshes: true,
    identify: (request) => identify(request, options),
    acquire: async (request, identity) => {
      const verifier = generateRandomCodeVerifier();
      const state = generateRandomState();
      const url = await authorizationUrl(request, identity, { redirectUrl, state, verifier });
      const opened = Promise.resolve(openBrowser(url, { signal: request.signal }));
      const redirected = await untilAborted(opened, request.signal);
      const code = readCode(request.server, identity, redirected, redirectUrl, state);
      const parameters = { code, redirect_uri: redirectUrl, code_verifier: verifier };
      return requestTokens(request, identity, 'authorization_code', parameters);
    },
  };
}

async function identify(
  { purpose, server, registered, http, signal }: GrantRequest,
  { client, clientMetadataUrl, redirectUrl, registration = {} }: AuthorizationCodeOptions,
): Promise<ClientIdentity> {
  if (client !== undefined) return preRegistered(server, client, redirectUrl);
  if (clientMetadataUrl !== undefined && server.client_id_metadata_document_supported === true) {
    return identifiedByUrl(clientMetadataUrl);
  }
  // Tokens belong to the client that got them, wherever a login would lead to now.
  if (registered !== undefined && (purpose !== 'login' || registered.redirectUrl === redirectUrl)) {
    return fromRegistration(registered);
  }
  return register(http, server, redirectUrl, registration, signal);
}

async function authorizationUrl(
  { server, resource, scope, proofKey }: GrantRequest,
  { client }: ClientIdentity,
  { redirectUrl, state, verifier }: { redirectUrl: string; state: string; verifier: string },
): Promise<string> {
  if (server.authorization_endpoint === undefined)
    throw new OAuthError(`${server.issuer} has no authorization_endpoint`);
  if (!server.code_challenge_methods_supported?.includes('S256')) {
    throw new OAuthError(`${server.issuer} does not support PKCE with S256, so a login would not be safe`);
  }
  const url = new URL(server.authorization_endpoint);
  const parameters: Record<string, string | undefined> = {
    response_type: 'code',
    client_id: client.client_id,
    redirect_uri: redirectUrl,
    state,
    code_challenge: await calculatePKCECodeChallenge(verifier),
    code_challenge_method: 'S256',
    resource,
    scope,
    // OpenID Connect grants it only when the user is asked.
    prompt: scopesOf(scope).includes('offline_access') ? 'consent' : undefined,
    dpop_jkt: await proofKey?.handle.calculateThumbprint(),
  };
  for (const [name, value] of Object.entries(parameters)) if (value !== undefined) url.searchParams.set(name, value);
  return url.href;
}

/** Checks where the response arrived, its state and its issuer (RFC 9207). */
function readCode(
  server: AuthorizationServer,
  { client }: ClientIdentity,
  redirected: string | URL,
  redirectUrl: string,
  state: string,
): string {
  if (!URL.canParse(String(redirected))) throw new OAuthError('The redirected URL is not a URL. Paste all of it.');
  const url = new URL(redirected);
  if (placeOf(url) !== placeOf(new URL(redirectUrl))) {
    throw new OAuthError(`The browser was redirected to ${url.protocol}//${url.host}, not to ${redirectUrl}`);
  }
  try {
    const [code = '', ...more] = validateAuthResponse(server, client, url, state).getAll('code');
    if (code !== '' && more.length === 0) return code;
  } catch (error) {
    if (error instanceof AuthorizationResponseError) {
      throw refusedBy(`${server.issuer} refused the login`, Object.fromEntries(error.cause));
    }
    // The library's message has no values in it.
    const why = error instanceof OperationProcessingError ? error.message : 'invalid parameters';
    throw new OAuthError(`The response to the login is not one of ${server.issuer}: ${why}`);
  }
  throw new OAuthError(`${server.issuer} sent no code, or several`);
}

function placeOf({ protocol, host, pathname }: URL): string {
  return `${protocol}//${host}${pathname}`;
}
