import { describeValue, type OptionNames, requireKnownOptions, requireObject } from '../../jsonrpc/argument-checks.ts';
import type { Principal } from '../../protocol/origin.ts';
import type { Authorize, AuthorizeMessage, Refusal, ResourceMetadata } from '../../transports/authorization.ts';
import { BearerRefusals } from './bearer-refusals.ts';
import { type IntrospectionOptions, introspector } from './introspection.ts';
import { Issuer, secureUrl } from './issuer.ts';
import { type JwtOptions, jwtVerifier } from './jwt.ts';
import { InvalidToken, principalIdOf, scopesOf, type TokenClaims, tokenOf } from './token.ts';

export interface RequireBearerOptions extends JwtOptions {
  /** The authorization server, exactly as it names itself: `https://login.example.com`. */
  readonly issuer: string;
  /** What a token must be for. The URL of this MCP endpoint, as clients know it, unless `resource` says otherwise. */
  readonly audience: string;
  /** The URL of this MCP endpoint, if tokens call their audience something else. Default: `audience`. */
  readonly resource?: string;
  /** Every request needs all of these. Default: none. */
  readonly scopes?: readonly string[];
  /** What requests and notifications of a method need besides: `{ 'resources/read': ['files:read'] }`. */
  readonly methodScopes?: ScopesByName;
  /** What calls of a tool need besides: `{ write_note: ['notes:write'] }`. */
  readonly toolScopes?: ScopesByName;
  /** Asks the issuer about each token instead of verifying its signature: for opaque tokens, and to notice revocation. */
  readonly introspection?: IntrospectionOptions;
  /** Default: the global one. */
  readonly fetch?: typeof fetch;
}

export interface ScopesByName {
  readonly [name: string]: readonly string[];
}

/** The bearer of a valid token. */
export interface BearerPrincipal extends Principal {
  /** Made of issuer and subject, so that a refreshed token has the same. */
  readonly id: string;
  readonly scopes: readonly string[];
  /** What the token says, or the issuer says about it. */
  readonly claims: TokenClaims;
}

/** An `authorize` for HTTP servers that accepts the access tokens of an OAuth authorization server. */
export function requireBearer(
  options: RequireBearerOptions,
): Authorize & { readonly resourceMetadata: ResourceMetadata } {
  checkOptions(options);
  const { audience, resource = audience, scopes = [], methodScopes = {}, toolScopes = {} } = options;
  secureUrl('issuer', options.issuer);
  const supported = scopeNames([{ scopes }, methodScopes, toolScopes]);
  const metadata = metadataOf(options.issuer, resource, supported);
  const refusals = new BearerRefusals(new URL(metadata.path, resource).href);
  const issuer = new Issuer(options.issuer, options.fetch ?? fetch);
  const verify =
    options.introspection === undefined
      ? jwtVerifier(issuer, audience, options)
      : introspector(issuer, audience, options.introspection, options.clockTolerance ?? 30);

  /** The refusal of a token without the scopes it needs. */
  function lacking(granted: readonly string[], needed: readonly string[]): Refusal | undefined {
    const missing = needed.filter((scope) => !granted.includes(scope));
    if (missing.length === 0) return undefined;
    return refusals.insufficient(
      missing,
      supported.filter((scope) => granted.includes(scope) || needed.includes(scope)),
    );
  }

  async function authorize({ headers }: Parameters<Authorize>[0]): Promise<BearerPrincipal | Refusal> {
    try {
      const token = tokenOf(headers.authorization);
      if (token === undefined) return refusals.missing(scopes);
      const claims = await verify(token);
      // Its bearer would have to prove that it has a key, which this server can't check.
      if (claims.cnf !== undefined) throw new InvalidToken('The token is bound to a key, so it is not a bearer token');
      const granted = scopesOf(claims);
      return lacking(granted, scopes) ?? { id: principalIdOf(issuer.url, claims), scopes: granted, claims };
    } catch (error) {
      if (error instanceof InvalidToken) return refusals.invalid(error.message, scopes);
      const message =
        'The token could not be checked, because the authorization server did not respond. Try again later';
      return { status: 503, message, cause: error as Error };
    }
  }

  function refuseMessage(message: AuthorizeMessage, { scopes: granted = [] }: Principal): Refusal | undefined {
    const byMethod = Object.hasOwn(methodScopes, message.method) ? methodScopes[message.method] : undefined;
    return lacking(granted, [...scopes, ...(byMethod ?? []), ...scopesOfTool(message, toolScopes)]);
  }

  const hasMessageScopes = Object.keys(methodScopes).length + Object.keys(toolScopes).length > 0;
  return Object.assign(authorize, { resourceMetadata: metadata, ...(hasMessageScopes && { refuseMessage }) });
}

function scopesOfTool({ method, params }: AuthorizeMessage, toolScopes: ScopesByName): readonly string[] {
  if (method !== 'tools/call' || typeof params !== 'object' || params === null) return [];
  const { name } = params as { name?: unknown };
  return typeof name === 'string' && Object.hasOwn(toolScopes, name) ? (toolScopes[name] ?? []) : [];
}

function metadataOf(issuer: string, resource: string, scopes: readonly string[]): ResourceMetadata {
  const { pathname, search, hash } = secureUrl('resource (by default the audience)', resource);
  if (hash !== '' || search !== '') throw new TypeError(`resource must have no query and no fragment: ${resource}`);
  const document = {
    resource,
    authorization_servers: [issuer],
    // RFC 9728 requires that empty lists are left out.
    ...(scopes.length > 0 && { scopes_supported: scopes }),
    bearer_methods_supported: ['header'],
  };
  return { path: `/.well-known/oauth-protected-resource${pathname === '/' ? '' : pathname}`, document };
}

/** Every scope that the options name. Throws if one can't be sent. */
function scopeNames(tables: readonly ScopesByName[]): readonly string[] {
  const names = new Set(tables.flatMap((table) => Object.values(table)).flat());
  for (const name of names)
    if (typeof name !== 'string' || !/^[!#-[\]-~]+$/.test(name))
      throw new TypeError(`A scope must be a text without spaces, quotes and backslashes, not ${JSON.stringify(name)}`);
  return [...names];
}

const NAMES: OptionNames<RequireBearerOptions> = {
  issuer: true,
  audience: true,
  resource: true,
  scopes: true,
  methodScopes: true,
  toolScopes: true,
  introspection: true,
  fetch: true,
  jwksUri: true,
  algorithms: true,
  clockTolerance: true,
};

function checkOptions(options: RequireBearerOptions): void {
  requireKnownOptions('requireBearer', options, NAMES);
  checkText('issuer', options.issuer);
  checkText('audience', options.audience);
  const { scopes = [], methodScopes = {}, toolScopes = {}, introspection } = options;
  checkScopes('scopes', scopes);
  for (const [name, table] of Object.entries({ methodScopes, toolScopes })) {
    requireObject(`requireBearer: ${name}`, table, 'an object', `${name}: { write_note: ['notes:write'] }`);
    for (const [key, needed] of Object.entries(table)) checkScopes(`${name}.${key}`, needed);
  }
  if (introspection === undefined) return;
  const example = 'introspection: { clientId, clientSecret }';
  requireObject('requireBearer: introspection', introspection, 'an object', example);
}

function checkScopes(name: string, scopes: unknown): void {
  if (Array.isArray(scopes)) return;
  throw new TypeError(`requireBearer: ${name} must be an array of scopes, got ${describeValue(scopes)}`);
}

function checkText(what: string, value: unknown): void {
  if (typeof value !== 'string' || value === '') throw new TypeError(`requireBearer needs the option ${what}`);
}
