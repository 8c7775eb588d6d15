import type { AuthorizationChallenge, AuthorizedRequest, ClientAuthorization } from '@hawser/mcp/http';
import { describeTarget, type HttpTarget, type Target, type TargetAuthorization } from '../target.ts';
import { loginCommand } from './login-command.ts';
import { mayHaveLogin } from './login-names.ts';
import { LoginRequired } from './login-required.ts';

/** Adds the user's login to a target that can have one. */
export function withLogin(target: Target, stateFolder: string): Target {
  if (target.kind !== 'http' || loginObstacle(target) !== undefined) return target;
  return { ...target, authorization: new TargetLogin(target, stateFolder) };
}

/** Why a login would not be used for this target; undefined if it would. */
export function loginObstacle(target: Target): string | undefined {
  if (target.kind !== 'http' || target.socketPath !== undefined) {
    return `${describeTarget(target)} is not at http:// or https://, so it has no login.`;
  }
  if (Object.keys(target.headers).some((name) => name.toLowerCase() === 'authorization')) {
    return 'An Authorization header is given for this server, and is used instead of a login. Remove it first.';
  }
  const { username, password } = new URL(target.url);
  if (username === '' && password === '') return undefined;
  return 'The URL has a password in it, which is used instead of a login. Remove it first.';
}

/**
 * The user's login at one server. Without one nothing is loaded, and a server that wants one is answered with an error
 * that says how to log in. A login that is made later is found by the next request.
 */
class TargetLogin implements TargetAuthorization {
  readonly #target: HttpTarget;
  readonly #stateFolder: string;
  #stored: Promise<ClientAuthorization> | undefined;

  constructor(target: HttpTarget, stateFolder: string) {
    this.#target = target;
    this.#stateFolder = stateFolder;
  }

  get isLoggedIn(): boolean {
    return this.#stored !== undefined;
  }

  async headers(request: AuthorizedRequest): Promise<Readonly<Record<string, string>>> {
    if (mayHaveLogin(this.#stateFolder, this.#target.url)) this.#stored ??= this.#load();
    return (await (await this.#stored)?.headers(request)) ?? {};
  }

  async challenged(challenge: AuthorizationChallenge): Promise<boolean> {
    const stored = await this.#stored;
    if (stored !== undefined) return await stored.challenged(challenge);
    if (challenge.status !== 401 || !acceptsTokens(challenge.header('WWW-Authenticate'))) return false;
    throw new LoginRequired(`The server wants a login (HTTP 401). Log in with: ${loginCommand(this.#target)}`);
  }

  async #load(): Promise<ClientAuthorization> {
    const { storedLogin } = await import('./stored-login.ts');
    return storedLogin(this.#target, this.#stateFolder);
  }
}

/** Many servers send no header at all. */
function acceptsTokens(header = 'Bearer'): boolean {
  return /\b(bearer|dpop)\b/i.test(header);
}
