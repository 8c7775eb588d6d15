import { RpcError } from '../../jsonrpc/errors.ts';
import type { Notification, Params } from '../../jsonrpc/message.ts';
import type { CallOptions, Conversation } from '../../protocol/conversation.ts';
import type { Revision } from '../../protocol/revision.ts';
import { type InputRequest, MetaKey, StatelessErrorCode } from '../../protocol/stateless.ts';
import type { LogLevel, ServerCapabilities, Tool } from '../../protocol/types.ts';
import { type ClientSettings, statelessMeta } from '../handshake.ts';
import { StatelessCalls } from './calls.ts';
import { Subscription } from './subscription.ts';
import { ToolHeaders } from './tool-headers.ts';

/** What stateless calls and subscriptions use of their session. */
export interface CallingSession {
  readonly settings: ClientSettings;
  readonly serverCapabilities: ServerCapabilities;
  readonly conversation: Conversation;
  /** Responds to a question of the server with a handler of the client. Throws when there is none. */
  respondToInput(request: InputRequest, key: string, signal: AbortSignal): unknown;
  hasHandler(notification: string): boolean;
  /** Calls the handlers of the notification. */
  dispatch(notification: Notification): void;
  listTools(options: CallOptions): Promise<unknown>;
  /** Gets failures that no call can report. Does not throw. */
  report(error: Error): void;
}

/** The part of a client session that only stateless servers need. */
export class StatelessSession {
  readonly calls: StatelessCalls;
  readonly subscription: Subscription;
  readonly #session: CallingSession;
  readonly #toolHeaders = new ToolHeaders();
  /** Sent with every request. */
  #meta: { readonly [key: string]: unknown };

  constructor(revision: Revision, session: CallingSession) {
    this.#session = session;
    this.#meta = statelessMeta(session.settings, revision);
    this.calls = new StatelessCalls(session, () => this.#meta);
    this.subscription = new Subscription(session, (params, signal) =>
      session.conversation.request('subscriptions/listen', this.calls.withMeta(params), { signal }),
    );
    this.subscription.refresh();
  }

  notify(method: string, params: Params | undefined): void {
    this.#session.conversation.notify(method, this.calls.withMeta(params));
  }

  /** Sends the headers that the tool declares, if it was listed. */
  async callTool(
    params: { readonly name: string; readonly arguments: object },
    options: CallOptions,
  ): Promise<unknown> {
    try {
      return await this.#callTool(params, options);
    } catch (error) {
      if (!(error instanceof RpcError) || error.code !== StatelessErrorCode.HeaderMismatch) throw error;
      await this.#session.listTools(options);
      return this.#callTool(params, options);
    }
  }

  /** Returns the tools that may be called. */
  learnTools(tools: readonly Tool[]): Tool[] {
    return this.#toolHeaders.learn(tools, (problem) => this.#session.report(new Error(problem)));
  }

  /** The least severe log message to receive during a call. */
  setLogLevel(level: LogLevel): void {
    this.#meta = { ...this.#meta, [MetaKey.logLevel]: level };
  }

  close(reason: Error): void {
    this.calls.close(reason);
    this.subscription.close(reason);
  }

  #callTool(params: { readonly name: string; readonly arguments: object }, options: CallOptions): Promise<unknown> {
    const headers = this.#toolHeaders.headersFor(params.name, params.arguments);
    const sent = headers === undefined ? options : { ...options, headers: { ...headers, ...options.headers } };
    return this.calls.request('tools/call', { ...params }, sent);
  }
}
