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

/** For messages and reports. Headers and variables, which can be secret, are left out. */
export function describeTarget(target: Target): string {
  if (target.kind === 'stdio') return [target.command, ...target.args].join(' ');
  const url = new URL(target.url);
  url.username = '';
  url.password = '';
  return target.kind === 'http' && target.socketPath !== undefined ? `unix:${target.socketPath}` : url.href;
}

/** The target of a URL. Throws a TargetProblem for one that no transport takes. */
export function urlTarget(url: string, headers: Readonly<Record<string, string>>): HttpTarget | WebSocketTarget {
  const scheme = URL.canParse(url) ? new URL(url).protocol : '';
  if (scheme === 'http:' || scheme === 'https:') return { kind: 'http', url, headers };
  if (scheme === 'ws:' || scheme === 'wss:') return { kind: 'websocket', url, headers };
  throw new TargetProblem(`${url} is not a URL with http:, https:, ws: or wss:.`);
}
