import {
  type AuthorizationServer,
  type Client,
  type ClientAuth,
  ClientSecretPost,
  None,
  PrivateKeyJwt,
} from 'oauth4webapi';
import type { AuthorizationHttp } from './authorization-http.ts';
import { OAuthError, refusedBy } from './oauth-error.ts';
import type { CryptoKey } from './proof.ts';
import type { RegisteredClient } from './token-store.ts';

/** A client that the operator of the authorization server has registered. */
export interface PreRegisteredClient {
  /**
   * The authorization server that knows the client. Its secret is sent to no other server. `any` trusts the MCP server to name
   * it.
   */
  readonly issuer: string;
  readonly clientId: string;
  readonly clientSecret?: string;
  /** Authenticates the client with signed assertions (private_key_jwt) in place of a secret. */
  readonly privateKey?: CryptoKey | { readonly key: CryptoKey; readonly kid?: string };
  /** Default: the first of them that the authorization server supports. */
  readonly tokenEndpointAuthMethod?: 'client_secret_basic' | 'client_secret_post' | 'none';
  /** Keeps the client with its tokens, the secret included, for `refreshOnly`. Default false. */
  readonly isStored?: boolean;
}

/** How the client identifies itself to an authorization server. */
export interface ClientIdentity {
  readonly client: Client;
  readonly authentication: ClientAuth;
  /** Not to be shown to the user. */
  readonly secrets: readonly string[];
  /** To be stored with the tokens; undefined when the grant will know the client anyway. */
  readonly registered?: RegisteredClient;
}

/** More members of the registration (RFC 7591), such as `client_name` and `client_uri`, which users may see. */
export type ClientRegistration = Readonly<Record<string, unknown>>;

export function preRegistered(
  server: AuthorizationServer,
  config: PreRegisteredClient,
  redirectUrl = '',
): ClientIdentity {
  const { issuer, clientId, clientSecret, privateKey, isStored = false } = config;
  if (issuer !== 'any' && issuer !== server.issuer) {
    throw new OAuthError(
      `The client ${clientId} is registered with ${issuer}, but the MCP server requires tokens of ${server.issuer}`,
    );
  }
  const client = { client_id: clientId };
  if (privateKey !== undefined) return { client, authentication: PrivateKeyJwt(privateKey), secrets: [] };
  const method = clientSecret === undefined ? 'none' : (config.tokenEndpointAuthMethod ?? secretMethod(server));
  if (!isStored) return { client, ...authenticate(method, clientSecret) };
  const secret = clientSecret === undefined ? {} : { clientSecret };
  return fromRegistration({ clientId, ...secret, tokenEndpointAuthMethod: method, redirectUrl });
}

/** A client whose id is the URL of its metadata (client ID metadata document). */
export function identifiedByUrl(clientId: string): ClientIdentity {
  return { client: { client_id: clientId }, authentication: None(), secrets: [] };
}

export function fromRegistration(registered: RegisteredClient): ClientIdentity {
  const { clientId, clientSecret, tokenEndpointAuthMethod } = registered;
  return { client: { client_id: clientId }, ...authenticate(tokenEndpointAuthMethod, clientSecret), registered };
}

/** Registers the client with the authorization server (RFC 7591). */
export async function register(
  http: AuthorizationHttp,
  server: AuthorizationServer,
  redirectUrl: string,
  registration: ClientRegistration,
  signal: AbortSignal,
): Promise<ClientIdentity> {
  if (server.registration_endpoint === undefined) {
    throw new OAuthError(
      `${server.issuer} registers no clients by itself. Register one with its operator, and pass its id as client.`,
    );
  }
  const supported = server.token_endpoint_auth_methods_supported ?? ['client_secret_basic'];
  const wanted = ['none', 'client_secret_basic', 'client_secret_post'].find((method) => supported.includes(method));
  const metadata = {
    client_name: 'MCP client',
    application_type: /^https:/.test(redirectUrl) ? 'web' : 'native',
    ...registration,
    redirect_uris: [redirectUrl],
    grant_types: ['authorization_code', 'refresh_token'],
    response_types: ['code'],
    token_endpoint_auth_method: wanted ?? 'none',
  };
  const init = {
    method: 'POST',
    headers: { 'content-type': 'application/json', accept: 'application/json' },
    body: JSON.stringify(metadata),
  };
  const response = await http.request(server.registration_endpoint, init, signal);
  // A response without the members is refused below.
  const body = (await response.json().catch(() => undefined)) as Record<string, unknown> | undefined;
  if (!response.ok) throw refusedBy(`${server.issuer} did not register the client (HTTP ${response.status})`, body);
  const { client_id: clientId, client_secret: secret, token_endpoint_auth_method: method } = body ?? {};
  if (typeof clientId !== 'string' || clientId === '') {
    throw new OAuthError(`${server.issuer} registered the client without an id`);
  }
  const clientSecret = typeof secret === 'string' && secret !== '' ? secret : undefined;
  const tokenEndpointAuthMethod = typeof method === 'string' ? method : metadata.token_endpoint_auth_method;
  return fromRegistration({
    clientId,
    ...(clientSecret !== undefined && { clientSecret }),
    tokenEndpointAuthMethod: clientSecret === undefined ? 'none' : tokenEndpointAuthMethod,
    redirectUrl,
  });
}

function secretMethod({ token_endpoint_auth_methods_supported: supported }: AuthorizationServer): string {
  const isPostOnly = supported?.includes('client_secret_post') && !supported.includes('client_secret_basic');
  return isPostOnly ? 'client_secret_post' : 'client_secret_basic';
}

function authenticate(method: string, secret = ''): Pick<ClientIdentity, 'authentication' | 'secrets'> {
  const secrets = secret === '' ? [] : [secret];
  if (method === 'none') return { authentication: None(), secrets };
  if (method === 'client_secret_post') return { authentication: ClientSecretPost(secret), secrets };
  if (method === 'client_secret_basic') return { authentication: clientSecretBasic(secret), secrets };
  throw new OAuthError(
    `The authorization server requires its clients to authenticate by ${method}, which is not supported`,
  );
}

/** Unlike the library's, it leaves `-` and `_` as they are: many servers do not decode the header. */
function clientSecretBasic(secret: string): ClientAuth {
  const encoded = (text: string) => new URLSearchParams([['', text]]).toString().slice(1);
  return (_server, { client_id: id }, _body, headers) => {
    headers.set('authorization', `Basic ${btoa(`${encoded(id)}:${encoded(secret)}`)}`);
  };
}
