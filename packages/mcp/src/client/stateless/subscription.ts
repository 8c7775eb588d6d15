import { ErrorCode, RpcError } from '../../jsonrpc/errors.ts';
import type { Notification, Params } from '../../jsonrpc/message.ts';
import { sleep, untilAborted } from '../../jsonrpc/waiting.ts';
import type { CallOptions } from '../../protocol/conversation.ts';
import { clip } from '../../protocol/schema/problem.ts';
import { MetaKey, type SubscriptionFilter } from '../../protocol/stateless.ts';
import { CallLimit } from '../call-limit.ts';
import type { CallingSession } from './stateless-session.ts';

/** Sends `subscriptions/listen`; settles when the server ends the stream. */
type Listen = (params: Params, signal: AbortSignal) => Promise<unknown>;

const ACKNOWLEDGED = 'notifications/subscriptions/acknowledged';
const FIRST_DELAY_MS = 500;
const MAX_DELAY_MS = 30_000;
/** A stream that ends sooner counts as a failure, so that the next one is opened later. */
const SHORT_STREAM_MS = 5000;

/** One `subscriptions/listen`. */
interface Stream {
  readonly asked: SubscriptionFilter;
  readonly stop: AbortController;
  readonly since: number;
  /** Undefined until the server acknowledges the stream, like the id. */
  honoured: SubscriptionFilter | undefined;
  id: unknown;
}

/** A call that waits until the server reports changes of a resource, or no longer does. */
interface Waiter {
  readonly uri: string;
  readonly resolve: () => void;
  readonly reject: (error: Error) => void;
}

/**
 * Keeps one `subscriptions/listen` open for all handlers and resources, as long as there are any. After a change the new
 * stream is opened before the old one ends, so that nothing is missed in between.
 */
export class Subscription {
  readonly #session: CallingSession;
  readonly #listen: Listen;
  readonly #uris = new Set<string>();
  #waiters: Waiter[] = [];
  /** The newest stream, acknowledged or not. */
  #current: Stream | undefined;
  /** Until the current one is acknowledged. */
  #previous: Stream | undefined;
  #scheduled = false;
  #broken = false;
  #failures = 0;
  readonly #closed = new AbortController();

  constructor(session: CallingSession, listen: Listen) {
    this.#session = session;
    this.#listen = listen;
  }

  /** Opens a new stream if the handlers or resources have changed. Changes of the same tick share one stream. */
  refresh(): void {
    if (this.#scheduled) return;
    this.#scheduled = true;
    queueMicrotask(() => {
      this.#scheduled = false;
      this.#open();
    });
  }

  /** Settles when the server has agreed to report changes of the resource. */
  async subscribe(uri: string, options: CallOptions): Promise<void> {
    if (!this.#session.serverCapabilities.resources?.subscribe) {
      throw new RpcError(ErrorCode.MethodNotFound, 'The server offers no subscriptions to resources');
    }
    if (this.#uris.has(uri) && this.#current?.honoured?.resourceSubscriptions?.includes(uri)) return;
    this.#uris.add(uri);
    try {
      await this.#settled(uri, options);
    } catch (error) {
      this.#uris.delete(uri);
      this.refresh();
      throw error;
    }
  }

  /** Settles when the server no longer reports changes of the resource. */
  async unsubscribe(uri: string, options: CallOptions): Promise<void> {
    if (this.#uris.delete(uri) && this.#current !== undefined) await this.#settled(uri, options);
  }

  /** Whether no handler gets the notification: it acknowledges a stream, or it is a duplicate from an old stream. */
  takes({ method, params }: Notification): boolean {
    const { _meta, notifications } = (params ?? {}) as { _meta?: { [key: string]: unknown }; notifications?: unknown };
    const id = _meta?.[MetaKey.subscriptionId];
    if (method === ACKNOWLEDGED) {
      this.#acknowledged(readFilter(notifications), id);
      return true;
    }
    if (id === undefined) return false;
    const current = this.#current;
    return current === undefined || (current.honoured !== undefined && current.id !== id);
  }

  close(reason: Error): void {
    this.#closed.abort(reason);
    this.#current?.stop.abort(reason);
    this.#previous?.stop.abort(reason);
    for (const { reject } of this.#waiters.splice(0)) reject(reason);
  }

  async #settled(uri: string, { signal, timeout, maxTimeout = timeout }: CallOptions): Promise<void> {
    this.refresh();
    const limit = new CallLimit('subscriptions/listen', { signal, maxTimeout }, performance.now());
    let waiter: Waiter | undefined;
    try {
      const settled = new Promise<void>((resolve, reject) => {
        waiter = { uri, resolve, reject };
        this.#waiters.push(waiter);
      });
      await untilAborted(settled, limit.signal);
    } finally {
      limit.release();
      this.#waiters = this.#waiters.filter((waiting) => waiting !== waiter);
    }
  }

  #open(): void {
    if (this.#closed.signal.aborted) return;
    const asked = this.#wanted();
    const nothing = Object.keys(asked).length === 0;
    const current = this.#current;
    if (current === undefined ? nothing : same(current.asked, asked)) return;
    // One at a time, so that an acknowledgement belongs to the newest stream.
    if (!nothing && current !== undefined && current.honoured === undefined) return;
    if (nothing) {
      this.#current = undefined;
      current?.stop.abort();
      this.#settleWaiters({}, {});
      return;
    }
    const stream: Stream = {
      asked,
      stop: new AbortController(),
      since: performance.now(),
      honoured: undefined,
      id: undefined,
    };
    this.#previous = current;
    this.#current = stream;
    this.#listen({ notifications: asked }, stream.stop.signal).then(
      () => this.#ended(stream, undefined),
      (error: Error) => this.#ended(stream, error),
    );
  }

  #wanted(): SubscriptionFilter {
    const { tools, prompts, resources } = this.#session.serverCapabilities;
    const hasHandler = (kind: string) => this.#session.hasHandler(`notifications/${kind}/list_changed`);
    return {
      ...(tools?.listChanged && hasHandler('tools') && { toolsListChanged: true }),
      ...(prompts?.listChanged && hasHandler('prompts') && { promptsListChanged: true }),
      ...(resources?.listChanged && hasHandler('resources') && { resourcesListChanged: true }),
      ...(this.#uris.size > 0 && { resourceSubscriptions: [...this.#uris] }),
    };
  }

  #acknowledged(honoured: SubscriptionFilter, id: unknown): void {
    const stream = this.#current;
    if (stream === undefined || stream.honoured !== undefined) return;
    stream.honoured = honoured;
    stream.id = id;
    this.#previous?.stop.abort();
    this.#previous = undefined;
    this.#settleWaiters(stream.asked, honoured);
    if (this.#broken) this.#reportMissedChanges(honoured);
    this.#broken = false;
    this.refresh();
  }

  #ended(stream: Stream, error: Error | undefined): void {
    if (this.#previous === stream) this.#previous = undefined;
    if (this.#current !== stream || this.#closed.signal.aborted) return;
    this.#current = undefined;
    // A server that reports none of the changes ends the stream at once.
    if (error === undefined && stream.honoured !== undefined && Object.keys(stream.honoured).length === 0) return;
    if (error instanceof RpcError && error.code === ErrorCode.MethodNotFound) {
      for (const { reject } of this.#waiters.splice(0)) reject(error);
      this.#session.report(new Error(`The server does not report changes: ${error.message}`));
      return;
    }
    this.#broken = true;
    if (performance.now() - stream.since > SHORT_STREAM_MS) this.#failures = 0;
    const delay = Math.min(FIRST_DELAY_MS * 2 ** this.#failures, MAX_DELAY_MS);
    this.#failures += 1;
    sleep(delay, this.#closed.signal).then(
      () => this.refresh(),
      () => {}, // the session has closed
    );
  }

  #settleWaiters(asked: SubscriptionFilter, honoured: SubscriptionFilter): void {
    const includes = (filter: SubscriptionFilter, uri: string) => filter.resourceSubscriptions?.includes(uri) ?? false;
    const waiting: Waiter[] = [];
    for (const waiter of this.#waiters) {
      const { uri } = waiter;
      // A resource that was added or removed since then waits for the next stream.
      if (includes(asked, uri) !== this.#uris.has(uri)) waiting.push(waiter);
      else if (includes(asked, uri) === includes(honoured, uri)) waiter.resolve();
      else waiter.reject(new Error(`The server does not report changes of ${clip(uri, 200)}`));
    }
    this.#waiters = waiting;
  }

  /** Anything may have changed while the stream was broken. */
  #reportMissedChanges(honoured: SubscriptionFilter): void {
    const { toolsListChanged, promptsListChanged, resourcesListChanged, resourceSubscriptions = [] } = honoured;
    const report = (method: string) => this.#session.dispatch({ jsonrpc: '2.0', method });
    if (toolsListChanged) report('notifications/tools/list_changed');
    if (promptsListChanged) report('notifications/prompts/list_changed');
    if (resourcesListChanged) report('notifications/resources/list_changed');
    for (const uri of resourceSubscriptions) {
      this.#session.dispatch({ jsonrpc: '2.0', method: 'notifications/resources/updated', params: { uri } });
    }
  }
}

function same(one: SubscriptionFilter, other: SubscriptionFilter): boolean {
  return JSON.stringify(one) === JSON.stringify(other);
}

/** Undefined for a value of a wrong type. */
function readFilter(value: unknown): SubscriptionFilter {
  const filter = (value ?? {}) as { readonly [name in keyof SubscriptionFilter]?: unknown };
  const { toolsListChanged, promptsListChanged, resourcesListChanged, resourceSubscriptions } = filter;
  const uris = Array.isArray(resourceSubscriptions)
    ? resourceSubscriptions.filter((uri) => typeof uri === 'string')
    : [];
  return {
    ...(toolsListChanged === true && { toolsListChanged }),
    ...(promptsListChanged === true && { promptsListChanged }),
    ...(resourcesListChanged === true && { resourcesListChanged }),
    ...(uris.length > 0 && { resourceSubscriptions: uris }),
  };
}
