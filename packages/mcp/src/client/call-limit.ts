import { RequestTimeout } from '../jsonrpc/errors.ts';
import type { CallOptions } from '../protocol/conversation.ts';

/** What bounds a call that takes several requests: the caller's signal, its time in all, and the session's end. */
export class CallLimit {
  readonly #controller = new AbortController();
  readonly #signal: AbortSignal | undefined;
  readonly #onAbort = () => this.abort(this.#signal?.reason);
  readonly #deadline: number;
  readonly #timer: ReturnType<typeof setTimeout> | undefined;

  /** `since` is when the call began, in milliseconds of `performance.now()`. */
  constructor(method: string, { signal, maxTimeout }: CallOptions, since: number) {
    this.#signal = signal;
    this.#deadline = since + (maxTimeout ?? Number.POSITIVE_INFINITY);
    if (signal?.aborted) this.#onAbort();
    signal?.addEventListener('abort', this.#onAbort, { once: true });
    if (maxTimeout === undefined) return;
    const late = () => this.abort(new RequestTimeout(`${method} was not answered within ${maxTimeout} ms`));
    this.#timer = setTimeout(late, this.remaining);
  }

  get signal(): AbortSignal {
    return this.#controller.signal;
  }

  /** Milliseconds; Infinity when there is no limit. */
  get remaining(): number {
    return Math.max(this.#deadline - performance.now(), 0);
  }

  /** For one of the requests. */
  options(options: CallOptions): CallOptions {
    const { remaining } = this;
    const bounded = { ...options, signal: this.signal };
    return remaining === Number.POSITIVE_INFINITY ? bounded : { ...bounded, maxTimeout: remaining };
  }

  abort(reason: unknown): void {
    this.#controller.abort(reason);
  }

  release(): void {
    clearTimeout(this.#timer);
    this.#signal?.removeEventListener('abort', this.#onAbort);
  }
}
