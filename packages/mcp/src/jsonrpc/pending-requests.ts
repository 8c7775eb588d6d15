import type { SendHints } from './connection.ts';
import { Deadlines, delayOf } from './deadlines.ts';
import { asError, RequestTimeout } from './errors.ts';
import type { RequestId } from './message.ts';

export interface RequestOptions extends SendHints {
  readonly signal?: AbortSignal | undefined;
  /** Milliseconds without a response or progress; 0 is no limit. Default: no limit. */
  readonly timeout?: number | undefined;
  /** Milliseconds in all, with or without progress; 0 is no limit. Default: no limit. */
  readonly maxTimeout?: number | undefined;
  /** Called with what `peer.progress` is given for this request; each call restarts `timeout`. */
  readonly onProgress?: ((value: unknown) => void) | undefined;
  /** From `nextId()`, for callers that must know the id beforehand. */
  readonly id?: number | undefined;
}

interface Pending {
  readonly method: string;
  readonly resolve: (result: unknown) => void;
  readonly reject: (error: Error) => void;
  readonly options: RequestOptions;
  readonly onAbort: (() => void) | undefined;
  /** Milliseconds that progress adds. */
  readonly delay: number;
  deadline: number;
  readonly lastDeadline: number;
}

const NEVER = Number.POSITIVE_INFINITY;

/** Our requests that have no response yet, with their signals and deadlines. */
export class PendingRequests {
  readonly #pending = new Map<RequestId, Pending>();
  #deadlines: Deadlines | undefined;
  readonly #abandoned: (id: RequestId, reason: Error, options: RequestOptions) => void;

  /** `abandoned` is called when a request is aborted or times out, before it is rejected. */
  constructor(abandoned: (id: RequestId, reason: Error, options: RequestOptions) => void) {
    this.#abandoned = abandoned;
  }

  /** Settles with the response. Rejects at once, without calling `send`, when an option is invalid. */
  add(id: RequestId, method: string, options: RequestOptions, send: () => void): Promise<unknown> {
    return new Promise((resolve, reject) => {
      const { signal } = options;
      const delay = delayOf(options.timeout, 'timeout');
      const maxDelay = delayOf(options.maxTimeout, 'maxTimeout');
      const onAbort = signal && (() => this.#abandon(id, asError(signal.reason)));
      let deadline = NEVER;
      let lastDeadline = NEVER;
      if (delay !== NEVER || maxDelay !== NEVER) {
        const now = performance.now();
        lastDeadline = now + maxDelay;
        deadline = Math.min(now + delay, lastDeadline);
      }
      this.#pending.set(id, { method, resolve, reject, options, onAbort, delay, deadline, lastDeadline });
      if (onAbort) signal.addEventListener('abort', onAbort, { once: true });
      if (deadline !== NEVER) {
        this.#deadlines ??= new Deadlines((now) => this.#expire(now));
        this.#deadlines.watch(deadline);
      }
      try {
        send();
      } catch (unserializable) {
        this.take(id);
        throw unserializable;
      }
    });
  }

  /** Removes a request, to be settled by the caller. */
  take(id: RequestId): Pick<Pending, 'resolve' | 'reject'> | undefined {
    const pending = this.#pending.get(id);
    if (pending === undefined) return undefined;
    this.#pending.delete(id);
    if (pending.onAbort) pending.options.signal?.removeEventListener('abort', pending.onAbort);
    return pending;
  }

  /** Restarts the timeout of a request. Returns its `onProgress`. */
  extend(id: RequestId): RequestOptions['onProgress'] {
    const pending = this.#pending.get(id);
    if (pending === undefined) return undefined;
    const { delay, lastDeadline, options } = pending;
    if (delay !== NEVER) pending.deadline = Math.min(performance.now() + delay, lastDeadline);
    return options.onProgress;
  }

  rejectAll(reason: Error): void {
    this.#deadlines?.stop();
    for (const id of [...this.#pending.keys()]) this.take(id)?.reject(reason);
  }

  #abandon(id: RequestId, reason: Error): void {
    const options = this.#pending.get(id)?.options;
    if (options === undefined) return;
    const pending = this.take(id);
    this.#abandoned(id, reason, options);
    pending?.reject(reason);
  }

  #expire(now: number): number {
    let earliest = NEVER;
    for (const [id, { method, deadline, lastDeadline, options }] of this.#pending) {
      if (deadline > now) {
        earliest = Math.min(earliest, deadline);
        continue;
      }
      const waited = deadline === lastDeadline ? options.maxTimeout : options.timeout;
      this.#abandon(id, new RequestTimeout(`${method} got no response within ${waited} ms`));
    }
    return earliest;
  }
}
