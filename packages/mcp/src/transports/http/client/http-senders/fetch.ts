import { messageOf, NetworkError } from '../../../../jsonrpc/errors.ts';
import { toBase64 } from '../../../../protocol/base64.ts';
import { HttpError } from '../../../../protocol/http-error.ts';
import {
  addressOf,
  type HttpRequest,
  type HttpResponse,
  type HttpSender,
  MAX_CONTROL_CONNECTIONS,
  type PendingResponse,
  type Pool,
} from '../http-sender.ts';
import { brokenOff, codeOf } from '../response-body.ts';

interface Target {
  readonly url: URL;
  readonly href: string;
  readonly headers: Readonly<Record<string, string>>;
}

const NO_HEADERS: Readonly<Record<string, string>> = {};

/** Sends requests with `fetch`, which every runtime has. It does not say when a body has left. */
export class FetchSender implements HttpSender {
  readonly #fetch: typeof fetch;
  readonly #slots: { readonly [pool in Pool]: Slots };
  #target: Target | undefined;

  constructor(request: typeof fetch, maxConnections: number) {
    this.#fetch = request;
    this.#slots = { requests: new Slots(maxConnections), control: new Slots(MAX_CONTROL_CONNECTIONS) };
  }

  send({ url, method, headers, body, pool, sent }: HttpRequest): PendingResponse {
    const controller = new AbortController();
    const { signal } = controller;
    const exchange = async (): Promise<HttpResponse> => {
      const leave = await this.#slots[pool].enter(signal);
      try {
        signal.throwIfAborted();
        const target = this.#aim(url);
        const request = this.#fetch; // as a method of this object, browsers would refuse to run it
        const pending = request(target.href, {
          method,
          headers: { ...target.headers, ...headers },
          ...(body !== undefined && { body }),
          redirect: 'manual',
          signal,
        });
        sent?.();
        return new FetchResponse(await pending, controller, leave);
      } catch (error) {
        leave();
        throw error instanceof HttpError ? error : networkError(url, error);
      }
    };
    return { response: exchange(), abort: () => controller.abort() };
  }

  /** `fetch` closes idle connections by itself. */
  close(): void {}

  /** `fetch` refuses URLs with a name and password. */
  #aim(url: URL): Target {
    if (this.#target?.url === url) return this.#target;
    const { username, password } = url;
    const plain = new URL(url);
    plain.username = '';
    plain.password = '';
    const credentials = toBase64(`${decodeURIComponent(username)}:${decodeURIComponent(password)}`);
    const hasNone = username === '' && password === '';
    const target = { url, href: plain.href, headers: hasNone ? NO_HEADERS : { Authorization: `Basic ${credentials}` } };
    this.#target = target;
    return target;
  }
}

class FetchResponse implements HttpResponse {
  readonly status: number;
  readonly statusText: string;
  readonly #response: Response;
  readonly #controller: AbortController;
  readonly #leave: () => void;

  /** Throws an HttpError. */
  constructor(response: Response, controller: AbortController, leave: () => void) {
    if (response.type === 'opaqueredirect') {
      throw new HttpError(0, 'The server redirects, and a browser does not say where to: connect to the final URL');
    }
    this.status = response.status;
    this.statusText = response.statusText;
    this.#response = response;
    this.#controller = controller;
    this.#leave = leave;
  }

  header(name: string): string | undefined {
    return this.#response.headers.get(name) ?? undefined;
  }

  async read(chunk: (bytes: Uint8Array) => void): Promise<void> {
    try {
      const reader = this.#response.body?.getReader();
      while (reader !== undefined) {
        const { done, value } = await reader.read();
        if (done) return;
        chunk(value);
      }
    } catch (error) {
      throw brokenOff(causeOf(error));
    } finally {
      this.#leave();
    }
  }

  destroy(): void {
    this.#controller.abort();
    this.#leave();
  }
}

/** Limits how many requests are open at the same time; the others wait. */
class Slots {
  #free: number;
  readonly #waiting = new Set<() => void>();

  constructor(size: number) {
    this.#free = size;
  }

  /** Settles with the function that frees the slot again, which may be called twice. */
  async enter(signal: AbortSignal): Promise<() => void> {
    while (this.#free === 0 && !signal.aborted) await this.#freed(signal);
    this.#free -= 1;
    let isHeld = true;
    return () => {
      if (isHeld) this.#leave();
      isHeld = false;
    };
  }

  #leave(): void {
    this.#free += 1;
    const [next] = this.#waiting;
    next?.();
  }

  #freed(signal: AbortSignal): Promise<void> {
    return new Promise((resolve) => {
      const wake = () => {
        this.#waiting.delete(wake);
        signal.removeEventListener('abort', wake);
        resolve();
      };
      this.#waiting.add(wake);
      signal.addEventListener('abort', wake);
    });
  }
}

/** `fetch` puts the reason in the cause. */
function causeOf(error: unknown): Error {
  const { cause } = (error ?? {}) as { cause?: unknown };
  const known = cause instanceof Error ? cause : error;
  return known instanceof Error ? known : new Error(messageOf(error));
}

/** The codes of Node's `fetch` for a connection that broke after it was made. */
const LOST = ['ECONNRESET', 'EPIPE', 'UND_ERR_SOCKET'];

function networkError(url: URL, error: unknown): NetworkError {
  const cause = causeOf(error);
  const code = codeOf(cause);
  const why = cause.message || code || cause.name;
  const what = code !== undefined && LOST.includes(code) ? 'Lost the connection to' : 'Could not reach';
  return new NetworkError(`${what} ${addressOf(url)}: ${why}`, { code, cause });
}
