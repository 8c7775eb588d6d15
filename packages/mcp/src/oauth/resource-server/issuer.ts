import { isObject } from '../../jsonrpc/codec.ts';

/** For each request to the issuer, discovery included. */
export const ISSUER_LIMITS = { timeoutMs: 5000, maxResponseBytes: 1024 * 1024 } as const;

type Json = Readonly<Record<string, unknown>>;

/** An authorization server, known by its metadata (RFC 8414, or OpenID Connect Discovery). */
export class Issuer {
  readonly url: string;
  readonly #fetch: typeof fetch;
  #metadata: Promise<Json> | undefined;

  constructor(url: string, fetchWith: typeof fetch) {
    this.url = url;
    this.#fetch = fetchWith;
  }

  /** The address of one of its endpoints. Rejects if the issuer can't be reached; the next call asks it again. */
  async endpoint(name: 'jwks_uri' | 'introspection_endpoint'): Promise<URL> {
    this.#metadata ??= this.#discover();
    const asked = this.#metadata;
    try {
      const { [name]: address } = await asked;
      if (typeof address !== 'string') throw new Error(`The metadata of ${this.url} has no ${name}`);
      return secureUrl(name, address);
    } catch (error) {
      // Another call may have begun to ask again.
      if (this.#metadata === asked) this.#metadata = undefined;
      throw error;
    }
  }

  /** Asks for the metadata again when it is next needed. */
  forgetMetadata(): void {
    this.#metadata = undefined;
  }

  /** The JSON object that the issuer responds with. */
  async requestJson(url: URL, options: RequestInit): Promise<Json> {
    const { status, text } = await this.request(url, options);
    if (status !== 200) throw new Error(`${url} responded with HTTP ${status}`);
    const value = parse(text);
    if (isObject(value)) return value;
    // The text stays out of the message: it can contain what was sent.
    throw new Error(`${url} did not respond with a JSON object`);
  }

  async request(url: URL | string, options: RequestInit): Promise<{ readonly status: number; readonly text: string }> {
    const signal = options.signal ?? AbortSignal.timeout(ISSUER_LIMITS.timeoutMs);
    const send = this.#fetch; // the global one may not be called as a method
    try {
      // A redirect could send a token, or the search for keys, to another server.
      const response = await send(url, { ...options, signal, redirect: 'manual' });
      return { status: response.status, text: await readLimited(response) };
    } catch (cause) {
      throw new Error(`${url} could not be reached`, { cause });
    }
  }

  async #discover(): Promise<Json> {
    const signal = AbortSignal.timeout(ISSUER_LIMITS.timeoutMs);
    const failures: unknown[] = [];
    for (const url of metadataUrls(this.url)) {
      try {
        const metadata = await this.requestJson(url, { headers: { Accept: 'application/json' }, signal });
        if (metadata.issuer === this.url) return metadata;
        throw new Error(`${url} is the metadata of another issuer`);
      } catch (error) {
        failures.push(error);
      }
    }
    const reasons = failures.map((failure) => (failure as Error).message).join('; ');
    throw new Error(`No metadata of the issuer ${this.url} was found: ${reasons}`, { cause: failures[0] });
  }
}

/** Throws unless others can't read or change what is sent there: https, or http within this machine. */
export function secureUrl(what: string, address: string): URL {
  if (!URL.canParse(address)) throw new TypeError(`${what} must be a URL, not ${JSON.stringify(address)}`);
  const url = new URL(address);
  const isLocal = /^(localhost|127\.\d+\.\d+\.\d+|\[::1\])$/.test(url.hostname);
  if (url.protocol === 'https:' || (url.protocol === 'http:' && isLocal)) return url;
  throw new TypeError(`${what} must begin with https: (http: only on this machine), not ${JSON.stringify(address)}`);
}

/** Where the metadata can be, in the order that MCP prescribes. */
function metadataUrls(issuer: string): readonly URL[] {
  const { origin, pathname } = new URL(issuer);
  const path = pathname.replace(/\/$/, '');
  const paths = [
    `/.well-known/oauth-authorization-server${path}`,
    `/.well-known/openid-configuration${path}`,
    `${path}/.well-known/openid-configuration`,
  ];
  return [...new Set(paths)].map((each) => new URL(origin + each));
}

async function readLimited({ body }: Response): Promise<string> {
  const decoder = new TextDecoder();
  let text = '';
  let bytes = 0;
  // Leaving the loop cancels the rest of the body.
  for await (const part of body ?? []) {
    bytes += part.length;
    if (bytes > ISSUER_LIMITS.maxResponseBytes)
      throw new Error(`The response is larger than the limit of ${ISSUER_LIMITS.maxResponseBytes} bytes`);
    text += decoder.decode(part, { stream: true });
  }
  return text + decoder.decode();
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
