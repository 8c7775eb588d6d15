import { decode, decodeOversized } from '../../../jsonrpc/codec.ts';
import { InvalidResponse, LimitExceeded } from '../../../jsonrpc/errors.ts';
import type { ConnectionLimits } from '../../../jsonrpc/limits.ts';
import type { Exchange } from './exchange.ts';
import { followStream } from './follow-stream.ts';
import type { HttpRequester } from './http-requester.ts';
import type { HttpResponse } from './http-sender.ts';
import type { HttpSession } from './http-session.ts';
import { Inbox, type InboxHandlers } from './inbox.ts';
import { isOk, refusalOf } from './refusal.ts';
import { readBody, readStart } from './response-body.ts';
import { latin1, SseReader } from './sse-reader.ts';

export interface Reply {
  readonly response: HttpResponse;
  /** Undefined when it has not been read yet. */
  readonly body: string | undefined;
}

interface StreamOptions {
  /** The session that the stream belongs to. */
  readonly session: HttpSession | undefined;
  /** Whether the connection still uses that session. */
  isCurrent(): boolean;
  /** Called once when resuming has failed `attempts` times; then it goes on trying. Without it, `follow` rejects. */
  readonly onFailure?: (error: Error) => void;
}

/** Reads the messages in responses, and passes them to the handlers. */
export class ResponseReader {
  readonly #requester: HttpRequester;
  readonly #limits: Required<ConnectionLimits>;
  readonly #attempts: number;
  readonly #handlers: InboxHandlers;

  /** `attempts`: how often in a row resuming a stream may fail. */
  constructor(requester: HttpRequester, limits: Required<ConnectionLimits>, attempts: number, handlers: InboxHandlers) {
    this.#requester = requester;
    this.#limits = limits;
    this.#attempts = attempts;
    this.#handlers = handlers;
  }

  /** Reads an HTTP response that is not a stream. Rejects if it holds no JSON-RPC response to the request. */
  async read(exchange: Exchange, { response, body: known }: Reply): Promise<void> {
    const { maxMessageBytes } = this.#limits;
    const body = known ?? (isOk(response) ? await readBody(response, maxMessageBytes) : await readStart(response));
    if (body === undefined) throw new LimitExceeded(`Message is larger than the limit of ${maxMessageBytes} bytes`);
    const inbox = new Inbox(exchange, this.#handlers, response.status >= 500);
    decode(body, inbox, undefined, this.#limits);
    if (exchange.over) return;
    if (isOk(response) && inbox.problem !== undefined) {
      throw new InvalidResponse(`The server's response is not a message: ${inbox.problem}`);
    }
    throw refusalOf(response, body);
  }

  /** Opens a stream of the session, after the event if there is one. */
  open(exchange: Exchange, session: HttpSession | undefined, lastEventId?: string): Promise<HttpResponse> {
    const headers: Record<string, string> = { Accept: 'text/event-stream', ...session?.headers() };
    // A header is written as Latin-1; an event id is UTF-8.
    if (lastEventId !== undefined) headers['Last-Event-ID'] = latin1(new TextEncoder().encode(lastEventId));
    return exchange.call(this.#requester, 'GET', headers);
  }

  /** Reads a stream to its end, and resumes it if it breaks. Without a response, opens the stream first. */
  follow(exchange: Exchange, response: HttpResponse | undefined, options: StreamOptions): Promise<void> {
    const { session, isCurrent, onFailure } = options;
    const inbox = new Inbox(exchange, this.#handlers, false);
    const { maxMessageBytes } = this.#limits;
    const oversized = (head: string, tail: string) => decodeOversized(head, tail, maxMessageBytes, inbox);
    const data = (text: string) => decode(text, inbox, undefined, this.#limits);
    const reader = new SseReader({ data, oversized }, maxMessageBytes);
    const isStateless = exchange.outbound?.version !== undefined;
    return followStream(exchange, response, reader, {
      isResumable: () => !isStateless && isCurrent(),
      resume: (lastEventId) => this.open(exchange, session, lastEventId),
      attempts: this.#attempts,
      ...(onFailure && { onFailure }),
    });
  }
}
