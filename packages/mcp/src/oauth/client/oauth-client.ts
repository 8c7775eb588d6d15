import { type OptionNames, requireKnownOptions } from '../../jsonrpc/argument-checks.ts';
import { delayOf } from '../../jsonrpc/deadlines.ts';
import { guardListeners } from '../../jsonrpc/guarded-signal.ts';
import { reportError, reportOnStderr } from '../../jsonrpc/report-error.ts';
import { untilAborted } from '../../jsonrpc/waiting.ts';
import type {
  AuthorizationChallenge,
  AuthorizedRequest,
  ClientAuthorization,
} from '../../transports/http/client/authorization.ts';
import { AuthorizationHttp } from './authorization-http.ts';
import { type Challenge, oauthChallenge } from './challenge.ts';
import { Credentials, type LogoutOutcome } from './credentials.ts';
import { deadlineAfter } from './deadline.ts';
import { covers } from './discovery.ts';
import type { Grant } from './grant.ts';
import { OAuthError } from './oauth-error.ts';
import { systemLookup } from './private-address.ts';
import { includesAll, joinScopes, scopesOf } from './scopes.ts';
import type { TokenKey, TokenStore } from './token-store.ts';
import { memoryTokenStore } from './token-stores/memory.ts';

/** Options under the same names, with their defaults. */
export const OAUTH_LIMITS = { loginTimeout: 300_000, requestTimeout: 30_000 } as const;

export interface OAuthClientOptions {
  /** How to get tokens: `authorizationCode`, `clientCredentials`, `jwtBearer` or `refreshOnly`. */
  readonly grant: Grant;
  /** Keeps tokens between runs. Default: none are kept. */
  readonly store?: TokenStore;
  /** Scopes to request besides those that the server asks for, separated by spaces. */
  readonly scope?: string;
  /** Milliseconds for a login, including the user's part; 0 is no limit. Default 300 000. */
  readonly loginTimeout?: number;
  /** Milliseconds for each request to an authorization server; 0 is no limit. Default 30 000. */
  readonly requestTimeout?: number;
  /** Default: the global one. */
  readonly fetch?: typeof fetch;
  /**
   * Lets the server name authorization servers at private addresses, such as 10.0.0.1 or names of such. Default false: a server on
   * the internet could make the client send requests within your network. Servers on this machine may name this machine.
   */
  readonly allowPrivateAddresses?: boolean;
  /** Aborting it ends a login. */
  readonly signal?: AbortSignal;
}

/**
 * Authorizes the requests of `connectHttp(url, { authorization })`. When the server refuses a request, it finds the
 * authorization server, gets tokens and lets the request be sent again. Requests that are refused at the same time share
 * one login or refresh, which continues when one of them is aborted.
 */
export interface OAuthClient extends ClientAuthorization {
  /** Gets new tokens before a request needs them. */
  login(options?: { readonly scope?: string; readonly signal?: AbortSignal }): Promise<void>;
  /**
   * Forgets the tokens and the client's registration, those of every authorization server that the store has some of.
   * Revokes the tokens if the authorization server can.
   */
  logout(options?: { readonly signal?: AbortSignal }): Promise<readonly LogoutOutcome[]>;
}

/**
 * Throws an OAuthError for a URL that is neither https nor of this machine, a RangeError for a wrong timeout, and a
 * TypeError for an option that does not exist.
 */
export function oauthClient(url: string | URL, options: OAuthClientOptions): OAuthClient {
  requireKnownOptions('oauthClient', options, NAMES);
  return new ResourceAuthorization(new URL(url), options);
}

const NAMES: OptionNames<OAuthClientOptions> = {
  grant: true,
  store: true,
  scope: true,
  loginTimeout: true,
  requestTimeout: true,
  fetch: true,
  allowPrivateAddresses: true,
  signal: true,
};

/** How often one request is sent again: with stored, refreshed and new tokens, and once more with more scopes. */
const MAX_RETRIES = 5;
/** After new tokens were refused, no further login is made for this long. */
const REFUSED_LOGIN_MS = 60_000;

/** The characters that RFC 9449 allows. */
const NONCE = /^[\x21\x23-\x5b\x5d-\x7e]+$/;

class ResourceAuthorization implements OAuthClient {
  readonly #url: URL;
  readonly #options: OAuthClientOptions;
  readonly #http: AuthorizationHttp;
  readonly #store: TokenStore;
  #current: Credentials | undefined;
  /** The login or refresh under way. */
  #renewal: Promise<void> | undefined;
  /** The scopes that the login under way asks for; undefined without one. */
  #loginScopes: readonly string[] | undefined;
  /** The search for stored tokens before the first request. */
  #resumption: Promise<void> | undefined;
  #loginRefusedAt = Number.NEGATIVE_INFINITY;

  constructor(url: URL, options: OAuthClientOptions) {
    const {
      fetch: request,
      allowPrivateAddresses = false,
      requestTimeout = OAUTH_LIMITS.requestTimeout,
      store = memoryTokenStore(),
    } = options;
    delayOf(options.loginTimeout, 'loginTimeout');
    delayOf(requestTimeout, 'requestTimeout');
    this.#url = url;
    this.#options = options;
    this.#http = new AuthorizationHttp(url, {
      // Not `fetch` itself: browsers refuse to run it as a method of another object.
      fetch: request ?? ((input, init) => fetch(input, init)),
      timeout: requestTimeout,
      allowPrivateAddresses,
      // A `fetch` of the user may resolve names elsewhere, for example at a proxy.
      lookup: request === undefined ? systemLookup() : undefined,
    });
    this.#store = store;
  }

  async headers({ method, url, signal }: AuthorizedRequest): Promise<Readonly<Record<string, string>>> {
    if (url.origin !== this.#url.origin) return {};
    this.#resumption ??= this.#resume();
    await untilAborted(this.#resumption, signal);
    if (this.#current?.isExpiring) {
      // If it fails the server refuses the old token, and the failure is reported then.
      await untilAborted(
        this.#share((shared) => this.#refresh(shared)).catch(() => {}),
        signal,
      );
    }
    return (await this.#current?.headers(method, url)) ?? {};
  }

  async challenged(challenge: AuthorizationChallenge): Promise<boolean> {
    const { status, url, sent, retries, signal } = challenge;
    if (url.origin !== this.#url.origin || retries >= MAX_RETRIES) return false;
    const asked = oauthChallenge(challenge.header('WWW-Authenticate'));
    const error = asked?.parameters.get('error');
    if (status === 403 && error !== 'insufficient_scope') return false;
    const current = this.#current;
    const nonce = challenge.header('DPoP-Nonce');
    if (error === 'use_dpop_nonce' && nonce !== undefined && NONCE.test(nonce) && current?.proofKey !== undefined) {
      await current.proofKey.rememberNonce(nonce, url);
      return true;
    }
    // Other requests may have got new tokens since.
    const isOutdated = current !== undefined && sent.Authorization !== current.authorization;
    if (!isOutdated) {
      const isRetry = retries > 0;
      const renew = (shared: AbortSignal) =>
        status === 403 ? this.#extend(asked as Challenge, isRetry, shared) : this.#replace(asked, isRetry, shared);
      await untilAborted(this.#share(renew), signal);
    }
    return true;
  }

  async login({ scope, signal }: { readonly scope?: string; readonly signal?: AbortSignal } = {}): Promise<void> {
    this.#loginRefusedAt = Number.NEGATIVE_INFINITY;
    let wanted = scopesOf(scope);
    while (this.#renewal !== undefined) {
      const renewal = this.#renewal;
      const running = this.#loginScopes;
      if (running !== undefined && includesAll(running, wanted)) {
        await (signal === undefined ? renewal : untilAborted(renewal, signal));
        return;
      }
      const gained = renewal.then(
        () => running ?? [],
        () => [],
      );
      // The later token replaces the earlier one, so it must be good for both.
      wanted = [...new Set([...(await (signal === undefined ? gained : untilAborted(gained, signal))), ...wanted])];
    }
    this.#loginScopes = wanted;
    const work = this.#share((shared) => this.#login(wanted, shared)).finally(() => {
      this.#loginScopes = undefined;
    });
    await (signal === undefined ? work : untilAborted(work, signal));
  }

  async #login(wanted: readonly string[], signal: AbortSignal): Promise<void> {
    const { status, headers } = await this.#http.requestWithoutToken(this.#url, signal);
    const asked = status === 401 ? oauthChallenge(headers.get('WWW-Authenticate')) : undefined;
    const found = await this.#find(asked, status === 401, signal);
    // For the registration of an earlier login.
    await found.load(undefined);
    await found.acquire(this.#scopes(found, [...scopesOf(asked?.parameters.get('scope')), ...wanted]), signal);
  }

  async logout({ signal }: { readonly signal?: AbortSignal } = {}): Promise<readonly LogoutOutcome[]> {
    while (this.#renewal !== undefined) {
      const ended = this.#renewal.catch(() => {});
      await (signal === undefined ? ended : untilAborted(ended, signal));
    }
    const outcomes: LogoutOutcome[] = [];
    const work = this.#share(async (shared) => {
      const all = await this.#everything(shared);
      this.#current = undefined;
      for (const each of all) outcomes.push(await each.discard(shared));
    });
    await (signal === undefined ? work : untilAborted(work, signal));
    return outcomes;
  }

  /** What there is to forget. */
  async #everything(signal: AbortSignal): Promise<Credentials[]> {
    const current = this.#current;
    const keys = await this.#store.keys?.();
    if (keys === undefined) return [current ?? (await this.#find(undefined, true, signal))];
    const isCurrent = ({ issuer, resource }: TokenKey) =>
      issuer === current?.key.issuer && resource === current.key.resource;
    const stored = keys.filter((key) => isResourceOf(key, this.#url) && !isCurrent(key));
    return [...(current === undefined ? [] : [current]), ...stored.map((key) => Credentials.stored(this.#setup, key))];
  }

  /** Uses the tokens that the store has for this URL or for a folder above it. If there are several, the server decides. */
  async #resume(): Promise<void> {
    try {
      const keys = ((await this.#store.keys?.()) ?? []).filter((key) => isResourceOf(key, this.#url));
      const exact = keys.filter(({ resource }) => new URL(resource).href === this.#url.href);
      const [key, another] = exact.length > 0 ? exact : keys;
      if (key === undefined || another !== undefined || this.#current !== undefined) return;
      const stored = this.#used(Credentials.stored(this.#setup, key));
      if (await stored.load(undefined)) return;
      // If it fails the server refuses the request, and the failure is reported then.
      await this.#share(async (shared) => void (await stored.refresh(shared))).catch(() => {});
    } catch (error) {
      this.#resumption = undefined;
      throw error;
    }
  }

  /** Joins the renewal under way, or begins one with a deadline of its own. */
  #share(work: (signal: AbortSignal) => Promise<void>): Promise<void> {
    if (this.#renewal !== undefined) return this.#renewal;
    const { loginTimeout = OAUTH_LIMITS.loginTimeout, signal } = this.#options;
    const deadline = deadlineAfter(loginTimeout, 'loginTimeout');
    const either = guardListeners(signal === undefined ? deadline : AbortSignal.any([deadline, signal]), (thrown) =>
      reportError(thrown, reportOnStderr),
    );
    const renewal = untilAborted(work(either), either)
      .catch((error) => {
        throw deadline.aborted ? new OAuthError(`The login was not completed within ${loginTimeout} ms`) : error;
      })
      .finally(() => {
        this.#renewal = undefined;
      });
    // Every request that waits for it may be given up before it fails.
    renewal.catch(() => {});
    this.#renewal = renewal;
    return renewal;
  }

  async #refresh(signal: AbortSignal): Promise<void> {
    await this.#current?.refresh(signal);
  }

  /** The server accepts no token, or not this one. */
  async #replace(asked: Challenge | undefined, isRetry: boolean, signal: AbortSignal): Promise<void> {
    const refused = this.#current;
    const found = await this.#find(asked, true, signal);
    const isSameServer = refused !== undefined && refused.issuer === found.issuer;
    if (await found.load(isSameServer ? refused.accessToken : undefined)) return;
    // Tokens that were got for this very request are refused: those of a login for good.
    const justGot = isRetry && isSameServer ? refused.source : undefined;
    if (justGot !== 'refresh' && justGot !== 'login' && (await found.refresh(signal))) return;
    if (isSameServer) this.#forbidRepeatedLogin(justGot === 'login');
    await found.acquire(this.#scopes(found, scopesOf(asked?.parameters.get('scope'))), signal);
  }

  /** The token has too few scopes. */
  async #extend(asked: Challenge, isRetry: boolean, signal: AbortSignal): Promise<void> {
    const refused = this.#current;
    const found = await this.#find(asked, true, signal);
    const missing = scopesOf(asked.parameters.get('scope'));
    const earlier = refused?.issuer === found.issuer ? refused.scopes : [];
    this.#forbidRepeatedLogin(isRetry && refused?.source === 'login' && includesAll(earlier, missing));
    await found.load(undefined);
    await found.acquire(this.#scopes(found, [...earlier, ...missing]), signal);
  }

  #forbidRepeatedLogin(isRefused: boolean): void {
    const now = performance.now();
    if (isRefused) this.#loginRefusedAt = now;
    if (now - this.#loginRefusedAt > REFUSED_LOGIN_MS) return;
    throw new OAuthError(`${this.#url.origin} refuses the token that it asked for, so no further login was tried`);
  }

  /** Finds the authorization server anew: it may have changed. */
  async #find(asked: Challenge | undefined, isRefused: boolean, signal: AbortSignal): Promise<Credentials> {
    const metadataUrl = asked?.parameters.get('resource_metadata');
    const wanted = { metadataUrl, isProofWanted: asked?.scheme === 'dpop', isRefused };
    return this.#used(await Credentials.find(this.#setup, wanted, signal));
  }

  /** Requests use these once they have tokens. */
  #used(credentials: Credentials): Credentials {
    credentials.onTokens = () => {
      this.#current = credentials;
    };
    return credentials;
  }

  get #setup() {
    return { http: this.#http, store: this.#store, grant: this.#options.grant, url: this.#url };
  }

  /** Those of the challenge, else all that the server has. */
  #scopes(found: Credentials, asked: readonly string[]): string | undefined {
    const wanted = joinScopes(asked.length > 0 ? asked : found.supportedScopes, scopesOf(this.#options.scope));
    const isOffered = found.offersOfflineAccess && this.#options.grant.refreshes;
    return wanted === undefined || !isOffered ? wanted : joinScopes(scopesOf(wanted), ['offline_access']);
  }
}

function isResourceOf({ resource }: TokenKey, url: URL): boolean {
  return URL.canParse(resource) && covers(new URL(resource), url);
}
