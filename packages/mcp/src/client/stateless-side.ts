import { RpcError } from '../jsonrpc/errors.ts';
import type { Notification, Params } from '../jsonrpc/message.ts';
import type { CallOptions, Conversation } from '../protocol/conversation.ts';
import type { Revision } from '../protocol/revision.ts';
import { type InputRequest, MetaKey, StatelessErrorCode } from '../protocol/stateless.ts';
import type { LogLevel, ServerCapabilities, Tool } from '../protocol/types.ts';
import { type ClientFacts, statelessMeta } from './handshake.ts';
import { StatelessCalls } from './stateless-calls.ts';
import { Subscription } from './subscription.ts';
import { ToolHeaders } from './tool-headers.ts';

/** What it needs of its session. */
export interface StatelessSideHost {
  readonly facts: ClientFacts;
  readonly revision: Revision;
  readonly serverCapabilities: ServerCapabilities;
  hears(method: string): boolean;
  answerInput(request: InputRequest, key: string, signal: AbortSignal): unknown;
  listTools(options: CallOptions | undefined): Promise<unknown>;
  tell(notification: Notification): void;
  failed(error: Error): void;
}

/** The part of a session that exists in the stateless era alone. */
export class StatelessSide {
  readonly #conversation: Conversation;
  readonly #host: StatelessSideHost;
  readonly #calls: StatelessCalls;
  readonly #subscription: Subscription;
  readonly #toolHeaders = new ToolHeaders();
  /** What every request says of the client. */
  #meta: { readonly [key: string]: unknown };

  constructor(conversation: Conversation, host: StatelessSideHost) {
    this.#conversation = conversation;
    this.#host = host;
    this.#meta = statelessMeta(host.facts, host.revision);
    this.#calls = new StatelessCalls({
      send: (method, params, options) => conversation.request(method, params, options),
      meta: () => this.#meta,
      answer: (request, key, signal) => host.answerInput(request, key, signal),
    });
    this.#subscription = new Subscription({
      hears: (method) => host.hears(method),
      capabilities: () => host.serverCapabilities,
      listen: (params, signal) =>
        conversation.request('subscriptions/listen', this.#calls.withMeta(params), { signal }),
      tell: (notification) => host.tell(notification),
      failed: (error) => host.failed(error),
    });
    this.refresh();
  }

  request(method: string, params: Params | undefined, options: CallOptions): Promise<unknown> {
    return this.#calls.request(method, params, options);
  }

  notify(method: string, params: Params | undefined): void {
    this.#conversation.notify(method, this.#calls.withMeta(params));
  }

  /** With the headers that the tool wants, as far as it was listed. */
  async callTool(
    params: { readonly name: string; readonly arguments: object },
    options: CallOptions,
  ): Promise<unknown> {
    try {
      return await this.#callTool(params, options);
    } catch (error) {
      if (!(error instanceof RpcError) || error.code !== StatelessErrorCode.HeaderMismatch) throw error;
      await this.#host.listTools(options);
      return this.#callTool(params, options);
    }
  }

  /** Returns those that may be called. */
  learnTools(tools: readonly Tool[]): Tool[] {
    return this.#toolHeaders.learn(tools, (problem) => this.#host.failed(new Error(problem)));
  }

  /** The least severe message to be told during a call. */
  setLogLevel(level: LogLevel): void {
    this.#meta = { ...this.#meta, [MetaKey.logLevel]: level };
  }

  subscribe(uri: string, options: CallOptions): Promise<void> {
    return this.#subscription.subscribe(uri, options);
  }

  unsubscribe(uri: string, options: CallOptions): Promise<void> {
    return this.#subscription.unsubscribe(uri, options);
  }

  /** Who hears what may have changed. */
  refresh(): void {
    this.#subscription.refresh();
  }

  /** Whether the notification was for the session itself. */
  hear(notification: Notification): boolean {
    return this.#subscription.hear(notification);
  }

  close(reason: Error): void {
    this.#calls.close(reason);
    this.#subscription.close(reason);
  }

  #callTool(params: { readonly name: string; readonly arguments: object }, options: CallOptions): Promise<unknown> {
    const headers = this.#toolHeaders.headersFor(params.name, params.arguments);
    const sent = headers === undefined ? options : { ...options, headers: { ...headers, ...options.headers } };
    return this.#calls.request('tools/call', { ...params }, sent);
  }
}
