import { delayOf, startTimeout } from '../jsonrpc/deadlines.ts';
import { RequestTimeout } from '../jsonrpc/errors.ts';
import type { CallOptions } from '../protocol/conversation.ts';

/** Bounds a call of several requests: by the caller's signal, its `maxTimeout`, and the end of the session. */
export class CallLimit {
  readonly #controller = new AbortController();
  readonly #signal: AbortSignal | undefined;
  readonly #onAbort = () => this.abort(this.#signal?.reason);
  readonly #deadline: number;
  readonly #expire: () => void;
  readonly #stopTimeout: () => void;

  /** `since` is when the call began, in milliseconds of `performance.now()`. Throws a RangeError. */
  constructor(what: string, { signal, maxTimeout }: CallOptions, since: number) {
    this.#signal = signal;
    this.#deadline = since + delayOf(maxTimeout, 'maxTimeout');
    this.#expire = () => this.abort(new RequestTimeout(`${what} got no response within ${maxTimeout} ms`));
    if (signal?.aborted) this.#onAbort();
    signal?.addEventListener('abort', this.#onAbort, { once: true });
    const remaining = Math.max(this.#deadline - performance.now(), 1);
    this.#stopTimeout =
      remaining === Number.POSITIVE_INFINITY ? () => {} : startTimeout(remaining, 'maxTimeout', this.#expire);
  }

  get signal(): AbortSignal {
    return this.#controller.signal;
  }

  /** The options of one of the requests. */
  options({ maxTimeout: _inAll, ...options }: CallOptions): CallOptions {
    return { ...options, signal: this.signal };
  }

  /** Needed where responses arrive so fast that timers do not run. */
  throwIfExpired(): void {
    if (performance.now() > this.#deadline) this.#expire();
    this.signal.throwIfAborted();
  }

  abort(reason: unknown): void {
    this.#controller.abort(reason);
  }

  release(): void {
    this.#stopTimeout();
    this.#signal?.removeEventListener('abort', this.#onAbort);
  }
}
