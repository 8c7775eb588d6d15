import type { IncomingMessage } from 'node:http';
import type { Exchange } from './exchange.ts';
import { HttpFailure } from './http-caller.ts';
import { contentType, readEvents } from './response-reader.ts';
import type { SseReader } from './sse-reader.ts';

export interface FollowOptions {
  /** Whether the server may still know of the stream. */
  isResumable(): boolean;
  /** Opens the stream again, after the event. */
  resume(lastEventId: string | undefined): Promise<IncomingMessage>;
  /** Failed attempts in a row after which it gives up. */
  readonly attempts: number;
  /** What a response that is no event stream means. */
  refusal(response: IncomingMessage): Promise<HttpFailure>;
}

const FIRST_DELAY_MS = 500;
const MAX_DELAY_MS = 30_000;
/** A stream that lasted this long was no failure, even if nothing came. */
const LONG_ENOUGH_MS = 5000;
/** How long a server may leave a stream open after the answer. */
const LINGER_MS = 5000;

/** Reads a stream to its end, and goes on where it was cut, until the exchange is over. Rejects when it gives up. */
export async function followStream(
  exchange: Exchange,
  first: IncomingMessage,
  reader: SseReader,
  { isResumable, resume, attempts, refusal }: FollowOptions,
): Promise<void> {
  let response: IncomingMessage | undefined = first;
  for (let failures = 0; ; ) {
    if (response !== undefined) {
      const { eventsRead } = reader;
      const since = performance.now();
      await readToEnd(exchange, response, reader);
      if (reader.eventsRead > eventsRead || performance.now() - since > LONG_ENOUGH_MS) failures = 0;
      else failures += 1;
    }
    if (exchange.over) return;
    const lost = exchange.id !== undefined && reader.lastEventId === undefined;
    if (lost || !isResumable()) throw broken('The stream ended before the answer');
    if (failures > attempts) throw broken('The stream broke and could not be picked up again');
    const delay = Math.min(FIRST_DELAY_MS * 2 ** failures, MAX_DELAY_MS);
    await exchange.sleep(failures === 0 ? (reader.retry ?? delay) : Math.max(reader.retry ?? 0, delay));
    if (exchange.over) return;
    reader.restart();
    response = await settle(resume(reader.lastEventId), refusal);
    if (response === undefined) failures += 1;
  }
}

/** Undefined when it is worth another attempt. */
async function settle(
  reopening: Promise<IncomingMessage>,
  refusal: FollowOptions['refusal'],
): Promise<IncomingMessage | undefined> {
  let response: IncomingMessage;
  try {
    response = await reopening;
  } catch {
    return undefined;
  }
  if (isEventStream(response)) return response;
  const { statusCode = 0 } = response;
  const failure = await refusal(response);
  // A server may take a while to notice that the stream before is gone.
  if (statusCode === 409 || statusCode === 429 || statusCode >= 500) return undefined;
  throw failure;
}

async function readToEnd(exchange: Exchange, response: IncomingMessage, reader: SseReader): Promise<void> {
  const ended = readEvents(response, reader);
  let linger: NodeJS.Timeout | undefined;
  // Hears each part after the reader has.
  response.on('data', () => {
    if (exchange.over && exchange.id !== undefined) linger ??= setTimeout(() => response.destroy(), LINGER_MS).unref();
  });
  await ended;
  clearTimeout(linger);
}

export function isEventStream(response: IncomingMessage): boolean {
  return response.statusCode === 200 && contentType(response) === 'text/event-stream';
}

function broken(message: string): HttpFailure {
  return new HttpFailure(message, { network: 'ended' });
}
