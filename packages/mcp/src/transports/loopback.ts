import type { IncomingMessage } from 'node:http';

/** Who may speak to a server that listens for local programs. */
export interface CallerRules {
  /** Host names, without port, that are accepted besides the loopback ones. */
  readonly allowedHosts?: readonly string[];
  /** Origins accepted besides those of loopback pages, such as `https://example.com`. */
  readonly allowedOrigins?: readonly string[];
}

/**
 * Undefined for a request of a local program, else why it is refused. A page whose name was rebound to 127.0.0.1
 * still carries its own Host and Origin.
 */
export function refuseCaller({ headers }: IncomingMessage, rules: CallerRules): string | undefined {
  const { allowedHosts = [], allowedOrigins = [] } = rules;
  const { host, origin } = headers;
  const hostName = host === undefined ? undefined : hostNameOf(`http://${host}`);
  if (hostName === undefined || !(isLoopback(hostName) || allowedHosts.includes(hostName))) {
    return `Host not allowed: ${host ?? '(none)'}`;
  }
  if (origin === undefined || allowedOrigins.includes(origin)) return undefined;
  const originName = hostNameOf(origin);
  return originName !== undefined && isLoopback(originName) ? undefined : `Origin not allowed: ${origin}`;
}

export function isLoopback(hostName: string): boolean {
  return hostName === 'localhost' || hostName === '[::1]' || hostName === '::1' || /^127(\.\d{1,3}){3}$/.test(hostName);
}

function hostNameOf(url: string): string | undefined {
  return URL.canParse(url) ? new URL(url).hostname : undefined;
}
