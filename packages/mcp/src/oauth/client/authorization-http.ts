import { isObject } from '../../jsonrpc/codec.ts';
import { messageOf } from '../../jsonrpc/errors.ts';
import { untilAborted } from '../../jsonrpc/waiting.ts';
import { isLoopback } from '../../transports/loopback.ts';
import { deadlineAfter } from './deadline.ts';
import { OAuthError } from './oauth-error.ts';
import { isPrivateAddress } from './private-address.ts';

/** Metadata documents and token responses are small. */
export const RESPONSE_LIMITS = { maxResponseBytes: 256 * 1024 } as const;
const WITHOUT_BODY = [204, 205, 304];

interface AuthorizationHttpOptions {
  readonly fetch: typeof fetch;
  /** Milliseconds for each request; 0 is no limit. */
  readonly timeout: number;
  /** Default false. */
  readonly allowPrivateAddresses?: boolean;
  /** The addresses of a name; undefined: names are not looked up. */
  readonly lookup?: ((name: string) => Promise<readonly string[]>) | undefined;
}

/**
 * Makes the requests to authorization servers and for metadata. Their addresses come from servers that are not trusted:
 * only https is used, redirects are not followed, private addresses are refused, and every response has a limit and a
 * deadline. A server on this machine may name addresses of this machine, also with http.
 */
export class AuthorizationHttp {
  readonly #fetch: typeof fetch;
  readonly #timeout: number;
  readonly #mayUseLoopback: boolean;
  readonly #allowPrivateAddresses: boolean;
  readonly #lookup: AuthorizationHttpOptions['lookup'];
  /** Those whose address need not be public. */
  readonly #trustedOrigins: Set<string>;

  constructor(
    resource: URL,
    { fetch: request, timeout, allowPrivateAddresses = false, lookup }: AuthorizationHttpOptions,
  ) {
    this.#mayUseLoopback = isLoopback(resource.hostname);
    this.#allowPrivateAddresses = allowPrivateAddresses;
    this.#lookup = lookup;
    this.#trustedOrigins = new Set([resource.origin]);
    this.#fetch = request;
    this.#timeout = timeout;
    this.check(resource.href, 'The MCP server');
  }

  /** Trusts an authorization server that the user has logged in with. */
  trust(issuer: string): void {
    if (URL.canParse(issuer)) this.#trustedOrigins.add(new URL(issuer).origin);
  }

  /** Throws unless requests may be sent to the address. `what` it is of begins the message. */
  check(address: unknown, what: string): URL {
    const url = typeof address === 'string' && URL.canParse(address) ? new URL(address) : undefined;
    if (url === undefined) throw new OAuthError(`${what} has no valid URL`);
    const isAllowed =
      url.protocol === 'https:' || (url.protocol === 'http:' && this.#mayUseLoopback && isLoopback(url.hostname));
    if (!isAllowed) throw new OAuthError(`${what} must use https, not ${url.protocol}//${url.host}`);
    if (url.username !== '' || url.password !== '') throw new OAuthError(`${what} must not have a password in its URL`);
    if (!this.#mayBePrivate(url) && isPrivateAddress(url.hostname)) throw privateAddress(what, url.hostname);
    return url;
  }

  #mayBePrivate({ origin, hostname }: URL): boolean {
    const isOwn = this.#trustedOrigins.has(origin) || (this.#mayUseLoopback && isLoopback(hostname));
    return this.#allowPrivateAddresses || isOwn;
  }

  /** Rejects if the name is that of a private address. One that changes right after the check is not noticed. */
  async #checkName(url: URL): Promise<void> {
    if (this.#mayBePrivate(url) || this.#lookup === undefined) return;
    // A name that cannot be looked up here is reported by the request, unless a proxy knows it.
    const addresses = await this.#lookup(url.hostname.replace(/^\[|\]$/g, '')).catch(() => []);
    const address = addresses.find(isPrivateAddress);
    if (address !== undefined) throw privateAddress('The authorization server', `${url.hostname} (${address})`);
  }

  /** Settles with the whole response. Rejects with an OAuthError that names the address without its query. */
  async request(address: string, init: RequestInit, signal: AbortSignal): Promise<Response> {
    const url = this.check(address, 'The authorization server');
    return await this.#send(url, init, signal, async (response) => {
      const body = await readLimited(response, placeOf(url));
      const { status, headers } = response;
      return new Response(WITHOUT_BODY.includes(status) ? null : body, { status, headers });
    });
  }

  /** How the MCP server responds to a request without a token. Its body is not read. */
  async requestWithoutToken(url: URL, signal: AbortSignal): Promise<Pick<Response, 'status' | 'headers'>> {
    const init = {
      method: 'POST',
      headers: { 'content-type': 'application/json', accept: 'application/json, text/event-stream' },
      body: '{"jsonrpc":"2.0","id":1,"method":"ping"}',
    };
    return await this.#send(url, init, signal, async (response) => {
      await response.body?.cancel();
      return response;
    });
  }

  async #send<Result>(
    url: URL,
    init: RequestInit,
    signal: AbortSignal,
    read: (response: Response) => Promise<Result>,
  ): Promise<Result> {
    const place = placeOf(url);
    const deadline = deadlineAfter(this.#timeout, 'requestTimeout');
    try {
      const ended = AbortSignal.any([signal, deadline]);
      await untilAborted(this.#checkName(url), ended);
      return await read(await this.#fetch(url.href, { ...init, redirect: 'manual', signal: ended }));
    } catch (error) {
      signal.throwIfAborted();
      if (error instanceof OAuthError) throw error;
      if (deadline.aborted) throw new OAuthError(`${place} did not respond within ${this.#timeout} ms`);
      throw new OAuthError(`Could not reach ${place}: ${reasonOf(error)}`);
    }
  }

  /** The JSON object at the address; undefined for a status of 4xx and for pages, which some servers send for any path. */
  async getJson(url: URL, signal: AbortSignal): Promise<Record<string, unknown> | undefined> {
    const place = placeOf(url);
    const response = await this.request(url.href, { headers: { accept: 'application/json' } }, signal);
    if (response.status >= 400 && response.status < 500) return undefined;
    if (response.status !== 200) throw new OAuthError(`${place} responded with HTTP ${response.status}`);
    const value: unknown = await response.json().catch(() => undefined);
    return isObject(value) ? value : undefined;
  }
}

function privateAddress(what: string, where: string): OAuthError {
  return new OAuthError(
    `${what} is at the private address ${where}. If you trust the MCP server to name it, set allowPrivateAddresses`,
  );
}

/** For messages: without the query, which may hold a secret. */
function placeOf({ origin, pathname }: URL): string {
  return `${origin}${pathname}`;
}

async function readLimited(response: Response, place: string): Promise<Uint8Array<ArrayBuffer>> {
  const parts: Uint8Array[] = [];
  let length = 0;
  for await (const part of response.body ?? []) {
    length += part.length;
    // Leaving the loop cancels the body.
    if (length > RESPONSE_LIMITS.maxResponseBytes)
      throw new OAuthError(`${place} sent more than ${RESPONSE_LIMITS.maxResponseBytes} bytes`);
    parts.push(part);
  }
  const body = new Uint8Array(length);
  let at = 0;
  for (const part of parts) {
    body.set(part, at);
    at += part.length;
  }
  return body;
}

/** `fetch` puts the reason in the cause. */
function reasonOf(error: unknown): string {
  const { cause } = (error ?? {}) as { cause?: unknown };
  return messageOf(cause ?? error);
}
