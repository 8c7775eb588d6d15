import type { AuthorizationServer } from 'oauth4webapi';
import type { AuthorizationHttp } from './authorization-http.ts';
import { OAuthError } from './oauth-error.ts';

/** What a server says about how it is protected. */
export interface ProtectedResource {
  /** As the server writes it: authorization servers compare it as text. */
  readonly resource: string;
  readonly issuers: readonly string[];
  readonly scopes: readonly string[];
  readonly requiresProof: boolean;
}

/** Reads the protected resource metadata (RFC 9728); undefined when there is none, as before the revision 2025-06-18. */
export async function discoverResource(
  http: AuthorizationHttp,
  server: URL,
  named: string | undefined,
  signal: AbortSignal,
): Promise<ProtectedResource | undefined> {
  const places = [
    wellKnown(server, 'oauth-protected-resource', pathOf(server)),
    wellKnown(server, 'oauth-protected-resource'),
  ];
  if (named !== undefined) places.unshift(http.check(named, 'The protected resource metadata'));
  for (const place of unique(places)) {
    const metadata = await http.getJson(place, signal);
    if (metadata !== undefined) return readResource(metadata, server);
  }
  return undefined;
}

function readResource(metadata: Record<string, unknown>, server: URL): ProtectedResource {
  const { resource, authorization_servers: issuers, scopes_supported: scopes } = metadata;
  if (typeof resource !== 'string' || !URL.canParse(resource)) {
    throw new OAuthError('The protected resource metadata name no resource');
  }
  // A token for another resource would be of use to the server that asks for it.
  if (!covers(new URL(resource), server)) {
    const { origin, pathname } = new URL(resource);
    throw new OAuthError(
      `The protected resource metadata are of ${origin}${pathname}, not of ${server.origin}${server.pathname}`,
    );
  }
  return {
    resource,
    issuers: strings(issuers),
    scopes: strings(scopes),
    requiresProof: metadata.dpop_bound_access_tokens_required === true,
  };
}

/** Whether the resource is the server or a folder that it is in. */
export function covers(resource: URL, server: URL): boolean {
  if (resource.origin !== server.origin || resource.hash !== '') return false;
  const folder = resource.pathname.endsWith('/') ? resource.pathname : `${resource.pathname}/`;
  return `${server.pathname}/`.startsWith(folder) && (resource.search === '' || resource.search === server.search);
}

/** Reads the metadata of an authorization server (RFC 8414, or OpenID Connect Discovery). */
export async function discoverAuthorizationServer(
  http: AuthorizationHttp,
  issuer: string,
  signal: AbortSignal,
): Promise<AuthorizationServer | undefined> {
  const url = http.check(issuer, 'The authorization server');
  const path = pathOf(url);
  const places = [wellKnown(url, 'oauth-authorization-server', path), wellKnown(url, 'openid-configuration', path)];
  if (path !== '') places.push(new URL(`${path}/.well-known/openid-configuration`, url));
  for (const place of places) {
    const metadata = await http.getJson(place, signal);
    if (metadata !== undefined) return readServer(http, metadata, url);
  }
  return undefined;
}

/** The endpoints of servers without metadata, in the revision 2025-03-26. */
export function serverWithoutMetadata(server: URL): AuthorizationServer {
  const at = (path: string) => new URL(path, server.origin).href;
  return {
    issuer: server.origin,
    authorization_endpoint: at('/authorize'),
    token_endpoint: at('/token'),
    registration_endpoint: at('/register'),
    code_challenge_methods_supported: ['S256'],
  };
}

const ENDPOINTS = ['authorization_endpoint', 'token_endpoint', 'registration_endpoint', 'revocation_endpoint'];

/** The other members of metadata that end in `_supported` are lists. */
const FLAGS = ['client_id_metadata_document_supported', 'authorization_response_iss_parameter_supported'];

function readServer(http: AuthorizationHttp, metadata: Record<string, unknown>, expected: URL): AuthorizationServer {
  const { issuer } = metadata;
  if (typeof issuer !== 'string' || !URL.canParse(issuer) || new URL(issuer).href !== expected.href) {
    throw new OAuthError(`The metadata of the authorization server ${expected.href} are those of another issuer`);
  }
  for (const endpoint of ENDPOINTS) {
    if (metadata[endpoint] !== undefined) http.check(metadata[endpoint], `The ${endpoint} of ${expected.href}`);
  }
  for (const [name, value] of Object.entries(metadata)) {
    const isUsable = FLAGS.includes(name) ? typeof value === 'boolean' : Array.isArray(value);
    if (name.endsWith('_supported') && !isUsable) delete metadata[name];
  }
  return metadata as unknown as AuthorizationServer; // the members that are used have been checked
}

function wellKnown(url: URL, name: string, path = ''): URL {
  return new URL(`/.well-known/${name}${path}`, url.origin);
}

function pathOf({ pathname }: URL): string {
  return pathname.replace(/\/$/, '');
}

function strings(value: unknown): string[] {
  return Array.isArray(value) ? value.filter((item) => typeof item === 'string') : [];
}

function unique(urls: readonly URL[]): URL[] {
  return urls.filter((url, index) => urls.findIndex(({ href }) => href === url.href) === index);
}
