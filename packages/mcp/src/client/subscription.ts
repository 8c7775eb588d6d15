import { ErrorCode, RpcError } from '../jsonrpc/errors.ts';
import type { Notification, Params } from '../jsonrpc/message.ts';
import type { CallOptions } from '../protocol/conversation.ts';
import { MetaKey, type SubscriptionFilter } from '../protocol/stateless.ts';
import type { ServerCapabilities } from '../protocol/types.ts';
import { CallLimit } from './call-limit.ts';
import { sleep } from './sleep.ts';

/** What a subscription needs of its session. */
export interface SubscriptionHost {
  /** Whether anyone wants to hear the notification. */
  hears(method: string): boolean;
  capabilities(): ServerCapabilities;
  /** Asks `subscriptions/listen`; settles when the server ends the stream. */
  listen(params: Params, signal: AbortSignal): Promise<unknown>;
  /** Tells those who hear it. */
  tell(notification: Notification): void;
  failed(error: Error): void;
}

const ACKNOWLEDGED = 'notifications/subscriptions/acknowledged';
const FIRST_DELAY_MS = 500;
const MAX_DELAY_MS = 30_000;

/** One `subscriptions/listen`. */
interface Stream {
  readonly asked: SubscriptionFilter;
  readonly stop: AbortController;
  /** Once it is acknowledged, like the id. */
  honoured: SubscriptionFilter | undefined;
  id: unknown;
}

/** Somebody who wants to know that the server tells of a resource, or does no more. */
interface Waiter {
  readonly uri: string;
  readonly resolve: () => void;
  readonly reject: (error: Error) => void;
}

/**
 * Keeps one `subscriptions/listen` open for all that is wanted, as long as anything is. A change opens the new stream
 * before the old one ends, so that nothing is missed in between.
 */
export class Subscription {
  readonly #host: SubscriptionHost;
  readonly #uris = new Set<string>();
  #waiters: Waiter[] = [];
  /** Acknowledged, or on the way to it. */
  #current: Stream | undefined;
  /** Until the current one is acknowledged. */
  #previous: Stream | undefined;
  #scheduled = false;
  #broken = false;
  #failures = 0;
  readonly #closed = new AbortController();

  constructor(host: SubscriptionHost) {
    this.#host = host;
  }

  /** What is wanted may have changed. Several changes of one moment open one stream. */
  refresh(): void {
    if (this.#scheduled) return;
    this.#scheduled = true;
    queueMicrotask(() => {
      this.#scheduled = false;
      this.#open();
    });
  }

  /** Settles when the server has agreed to tell of the resource. */
  async subscribe(uri: string, options: CallOptions): Promise<void> {
    if (!this.#host.capabilities().resources?.subscribe) {
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

  /** Settles when the server will no longer tell of it. */
  async unsubscribe(uri: string, options: CallOptions): Promise<void> {
    if (this.#uris.delete(uri) && this.#current !== undefined) await this.#settled(uri, options);
  }

  /** Whether the notification is for nobody else: it says what the server will tell, or it tells a second time. */
  hear({ method, params }: Notification): boolean {
    const { _meta, notifications } = (params ?? {}) as { _meta?: { [key: string]: unknown }; notifications?: object };
    const id = _meta?.[MetaKey.subscriptionId];
    if (method === ACKNOWLEDGED) {
      this.#acknowledged(notifications ?? {}, id);
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
    try {
      await new Promise<void>((resolve, reject) => {
        this.#waiters.push({ uri, resolve, reject });
        limit.signal.addEventListener('abort', () => reject(limit.signal.reason), { once: true });
      });
    } finally {
      limit.release();
    }
  }

  #open(): void {
    if (this.#closed.signal.aborted) return;
    const asked = this.#wanted();
    const nothing = Object.keys(asked).length === 0;
    const current = this.#current;
    if (current === undefined ? nothing : same(current.asked, asked)) return;
    // One at a time: an acknowledgement then can only mean the last one asked for.
    if (!nothing && current !== undefined && current.honoured === undefined) return;
    if (nothing) {
      this.#current = undefined;
      current?.stop.abort();
      this.#settleWaiters({}, {});
      return;
    }
    const stream: Stream = { asked, stop: new AbortController(), honoured: undefined, id: undefined };
    this.#previous = current;
    this.#current = stream;
    this.#host.listen({ notifications: asked }, stream.stop.signal).then(
      () => this.#ended(stream, undefined),
      (error: Error) => this.#ended(stream, error),
    );
  }

  #wanted(): SubscriptionFilter {
    const { tools, prompts, resources } = this.#host.capabilities();
    const hears = (kind: string) => this.#host.hears(`notifications/${kind}/list_changed`);
    return {
      ...(tools?.listChanged && hears('tools') && { toolsListChanged: true }),
      ...(prompts?.listChanged && hears('prompts') && { promptsListChanged: true }),
      ...(resources?.listChanged && hears('resources') && { resourcesListChanged: true }),
      ...(this.#uris.size > 0 && { resourceSubscriptions: [...this.#uris] }),
    };
  }

  #acknowledged(honoured: SubscriptionFilter, id: unknown): void {
    const stream = this.#current;
    if (stream === undefined || stream.honoured !== undefined) return;
    stream.honoured = honoured;
    stream.id = id;
    this.#failures = 0;
    this.#previous?.stop.abort();
    this.#previous = undefined;
    this.#settleWaiters(stream.asked, honoured);
    if (this.#broken) this.#tellOfWhatWasMissed(honoured);
    this.#broken = false;
    this.refresh();
  }

  #ended(stream: Stream, error: Error | undefined): void {
    if (this.#previous === stream) this.#previous = undefined;
    if (this.#current !== stream || this.#closed.signal.aborted) return;
    this.#current = undefined;
    // A server that will tell nothing ends the stream at once.
    if (error === undefined && stream.honoured !== undefined && Object.keys(stream.honoured).length === 0) return;
    if (error instanceof RpcError && error.code === ErrorCode.MethodNotFound) {
      for (const { reject } of this.#waiters.splice(0)) reject(error);
      this.#host.failed(new Error(`The server tells of no changes: ${error.message}`));
      return;
    }
    this.#broken = true;
    const delay = Math.min(FIRST_DELAY_MS * 2 ** this.#failures, MAX_DELAY_MS);
    this.#failures += 1;
    sleep(delay, this.#closed.signal).then(
      () => this.refresh(),
      () => {}, // closed meanwhile
    );
  }

  #settleWaiters(asked: SubscriptionFilter, honoured: SubscriptionFilter): void {
    const includes = (filter: SubscriptionFilter, uri: string) => filter.resourceSubscriptions?.includes(uri) ?? false;
    const waiting: Waiter[] = [];
    for (const waiter of this.#waiters) {
      const { uri } = waiter;
      // What has changed since the stream was asked for waits for the next.
      if (includes(asked, uri) !== this.#uris.has(uri)) waiting.push(waiter);
      else if (includes(asked, uri) === includes(honoured, uri)) waiter.resolve();
      else waiter.reject(new Error(`The server does not tell of changes of ${uri}`));
    }
    this.#waiters = waiting;
  }

  /** Nobody can tell what changed while the stream was broken, so it may have been anything. */
  #tellOfWhatWasMissed(honoured: SubscriptionFilter): void {
    const { toolsListChanged, promptsListChanged, resourcesListChanged, resourceSubscriptions = [] } = honoured;
    const tell = (method: string) => this.#host.tell({ jsonrpc: '2.0', method });
    if (toolsListChanged) tell('notifications/tools/list_changed');
    if (promptsListChanged) tell('notifications/prompts/list_changed');
    if (resourcesListChanged) tell('notifications/resources/list_changed');
    for (const uri of resourceSubscriptions) {
      this.#host.tell({ jsonrpc: '2.0', method: 'notifications/resources/updated', params: { uri } });
    }
  }
}

function same(one: SubscriptionFilter, other: SubscriptionFilter): boolean {
  return JSON.stringify(one) === JSON.stringify(other);
}
