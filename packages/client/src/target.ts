import type { ClientAuthorization } from '@hawser/mcp/http';

/** A server that a client command speaks with. */
export type Target = StdioTarget | HttpTarget | WebSocketTarget;

export interface StdioTarget {
  readonly kind: 'stdio';
  readonly command: string;
  readonly args: readonly string[];
  /** Variables for the server, besides those that every program needs. */
  readonly env: Readonly<Record<string, string>>;
  /** Whether it gets all of our variables: a command of the user does, as in a shell; one from a file does not. */
  readonly inheritEnv?: boolean;
  readonly cwd: string;
}

export interface HttpTarget {
  readonly kind: 'http';
  readonly url: string;
  readonly headers: Readonly<Record<string, string>>;
  /** The unix socket to connect to; the URL then only names the path. */
  readonly socketPath?: string;
  /** The user's login. */
  readonly authorization?: TargetAuthorization;
}

export interface TargetAuthorization extends ClientAuthorization {
  /** Whether requests were sent with a login. */
  readonly isLoggedIn: boolean;
}

export interface WebSocketTarget {
  readonly kind: 'websocket';
  readonly url: string;
  readonly headers: Readonly<Record<string, string>>;
}

/** What is wrong with how the user named a server. */
export class TargetProblem extends Error {
  override readonly name = 'TargetProblem';
}

/**
 * For messages and reports. Headers and variables, and what can be secret in a URL (passwords, values of the query, long
 * random parts of the path), are left out.
 */
export function describeTarget(target: Target): string {
  if (target.kind === 'stdio') return [target.command, ...target.args].join(' ');
  return target.kind === 'http' && target.socketPath !== undefined
    ? `unix:${target.socketPath}`
    : describeUrl(new URL(target.url));
}

/** A message about a target without the secrets of the target that it repeats. */
export function withoutSecrets(message: string, target: Target): string {
  if (target.kind === 'stdio') return message;
  const url = new URL(target.url);
  const inUrl = [
    url.username,
    url.password,
    ...url.search.slice(1).split('&').map(parameterValue),
    ...randomParts(url),
  ];
  const secrets = [...Object.values(target.headers), ...inUrl, ...inUrl.map(decoded)];
  return secrets
    .filter((secret) => secret.length >= SHORTEST_SECRET)
    .sort((one, other) => other.length - one.length)
    .reduce((text, secret) => text.replaceAll(secret, '…'), message);
}

/** Shorter ones are common words too often: a message without those would not be understood. */
const SHORTEST_SECRET = 8;

function describeUrl(url: URL): string {
  const { protocol, host, pathname, search } = url;
  const secret = randomParts(url);
  const path = pathname.split('/').map((part) => (secret.includes(part) ? '…' : part));
  return `${protocol}//${host}${path.join('/')}${search.replace(/=[^&]*/g, '=…')}`;
}

/** Some services put the key into the path. */
function randomParts({ pathname }: URL): readonly string[] {
  return pathname.split('/').filter((part) => /^(?=.*\d)(?=.*[a-z])[\w~%.=-]{20,}$/i.test(part));
}

function parameterValue(parameter: string): string {
  return parameter.slice(parameter.indexOf('=') + 1);
}

function decoded(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}

/** The target of a URL. Throws a TargetProblem for one that no transport takes. */
export function urlTarget(url: string, headers: Readonly<Record<string, string>>): HttpTarget | WebSocketTarget {
  const scheme = URL.canParse(url) ? new URL(url).protocol : '';
  if (scheme === 'http:' || scheme === 'https:') return { kind: 'http', url, headers };
  if (scheme === 'ws:' || scheme === 'wss:') return { kind: 'websocket', url, headers };
  const named = url.replace(/\/\/[^/?#]*@/, '//').replace(/[?#].*/s, '?…');
  throw new TargetProblem(`${named} is not a URL with http:, https:, ws: or wss:.`);
}
