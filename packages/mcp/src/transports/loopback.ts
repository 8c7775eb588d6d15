/** Which Host and Origin headers a server accepts. */
export interface CallerRules {
  /**
   * Host names, without port, that are accepted besides the loopback ones; `any` accepts all. A server for other
   * machines must list the names that they use for it.
   */
  readonly allowedHosts?: readonly string[] | 'any';
  /** Origins that are accepted besides those of loopback pages, such as `https://example.com`; `any` accepts all. */
  readonly allowedOrigins?: readonly string[] | 'any';
}

/** The part of a request that the rules are about; names in lower case. */
export interface CallerHeaders {
  readonly headers: { readonly host?: unknown; readonly origin?: unknown };
}

/** The host of a request target in absolute form (`http://host/mcp`), which replaces the Host header. */
export function hostOfTarget(target = '/'): string | undefined {
  if (target.startsWith('/') || !URL.canParse(target)) return undefined;
  return new URL(target).host;
}

/**
 * Undefined if the Host and Origin headers are accepted, else why not. They protect local servers from web pages: a page
 * whose name was rebound to 127.0.0.1 still sends its own Host and Origin.
 */
export function refuseCaller({ headers }: CallerHeaders, rules: CallerRules): string | undefined {
  const { host, origin } = headers;
  const { allowedHosts = [], allowedOrigins = [] } = rules;
  if (allowedHosts !== 'any') {
    const name = typeof host === 'string' ? hostNameOf(`http://${host}`) : undefined;
    if (name === undefined || !(isLoopback(name) || allowedHosts.includes(name))) {
      return `Host not allowed: ${shown(host)}`;
    }
  }
  if (origin === undefined || allowedOrigins === 'any') return undefined;
  if (typeof origin === 'string') {
    if (allowedOrigins.includes(origin)) return undefined;
    const name = hostNameOf(origin);
    if (name !== undefined && isLoopback(name)) return undefined;
  }
  return `Origin not allowed: ${shown(origin)}`;
}

export function isLoopback(hostName: string): boolean {
  return hostName === 'localhost' || hostName === '[::1]' || hostName === '::1' || /^127(\.\d{1,3}){3}$/.test(hostName);
}

function hostNameOf(url: string): string | undefined {
  return URL.canParse(url) ? new URL(url).hostname : undefined;
}

function shown(header: unknown): string {
  return header === undefined ? '(none)' : String(header).slice(0, 100);
}
