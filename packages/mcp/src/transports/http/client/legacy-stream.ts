import { decode, decodeOversized } from '../../../jsonrpc/codec.ts';
import { startTimeout } from '../../../jsonrpc/deadlines.ts';
import type { ConnectionLimits } from '../../../jsonrpc/limits.ts';
import { HttpError } from '../../../protocol/http-error.ts';
import type { Exchange } from './exchange.ts';
import { isEventStream } from './follow-stream.ts';
import type { HttpRequester } from './http-requester.ts';
import { Inbox, type InboxHandlers } from './inbox.ts';
import { discardBody } from './response-body.ts';
import { SseReader } from './sse-reader.ts';

/** How a server of later revisions never refuses `initialize`. */
const REFUSED: readonly number[] = [400, 404, 405];

/** Whether a server that refused `initialize` like this may speak HTTP+SSE. */
export function mayBeLegacy(error: unknown): boolean {
  return error instanceof HttpError && REFUSED.includes(error.status);
}

export interface LegacyStreamOptions {
  readonly limits: Required<ConnectionLimits>;
  readonly handlers: InboxHandlers;
  /** Milliseconds for the server to name the endpoint. */
  readonly timeout: number;
  /** Called once when the stream ends, unless no endpoint was named. */
  ended(): void;
}

/**
 * Opens the stream of the transport of 2024-11-05 (HTTP+SSE), which has all messages of the server, and reads it until it or
 * the exchange ends. Settles with the URL that takes our messages, or undefined when the server does not speak it. Rejects
 * when it names a URL that must not be used.
 */
export async function openLegacyStream(
  exchange: Exchange,
  requester: HttpRequester,
  { limits, handlers, timeout, ended }: LegacyStreamOptions,
): Promise<URL | undefined> {
  const response = await exchange.call(requester, 'GET', { Accept: 'text/event-stream' }).catch(() => undefined);
  if (response === undefined) return undefined;
  if (!isEventStream(response)) {
    discardBody(response);
    return undefined;
  }
  const inbox = new Inbox(exchange, handlers, false);
  const { maxMessageBytes } = limits;
  return new Promise((resolve, reject) => {
    let endpoint: URL | undefined;
    const stopTimeout = startTimeout(timeout, 'acceptTimeout', () => exchange.end());
    const named = (text: string) => {
      if (endpoint !== undefined) return;
      try {
        endpoint = endpointIn(text, requester.url);
        resolve(endpoint);
      } catch (error) {
        reject(error);
        exchange.end();
      }
      stopTimeout();
    };
    const reader = new SseReader(
      {
        data: (text) => decode(text, inbox, undefined, limits),
        oversized: (head, tail) => decodeOversized(head, tail, maxMessageBytes, inbox),
        other: (type, text) => type === 'endpoint' && named(text),
      },
      maxMessageBytes,
    );
    const read = response.read((chunk) => reader.push(chunk));
    read
      .catch(() => {}) // it ends either way
      .then(() => {
        stopTimeout();
        resolve(undefined);
        if (endpoint !== undefined) ended();
      });
  });
}

/** Another origin would get what is meant for this one. Throws an HttpError. */
function endpointIn(text: string, { href, origin }: URL): URL {
  if (!URL.canParse(text, href)) throw new HttpError(200, 'The event stream of the server names no valid endpoint');
  const url = new URL(text, href);
  if (url.origin === origin) return url;
  throw new HttpError(
    200,
    `The event stream of the server names an endpoint of another origin: ${url.origin.slice(0, 200)}`,
  );
}
