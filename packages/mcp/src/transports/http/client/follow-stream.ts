import { unref } from '../../../jsonrpc/deadlines.ts';
import { NetworkError } from '../../../jsonrpc/errors.ts';
import type { Exchange } from './exchange.ts';
import type { HttpResponse } from './http-sender.ts';
import { refusalOf } from './refusal.ts';
import { contentType, discardBody, readStart } from './response-body.ts';
import { backoff } from './retry.ts';
import type { SseReader } from './sse-reader.ts';

export interface FollowOptions {
  /** Whether the server may still have the stream. */
  isResumable(): boolean;
  /** Opens the stream again, after the event. */
  resume(lastEventId: string | undefined): Promise<HttpResponse>;
  /** Failed attempts in a row after which it gives up. */
  readonly attempts: number;
  /** Called once in that case instead of giving up. */
  readonly onFailure?: (error: Error) => void;
}

/** The delay that a server cannot go below. It doubles with each short stream, up to the second. */
const MIN_RETRY_MS = 10;
const MAX_MIN_RETRY_MS = 1000;
/** A shorter stream makes the next delay longer. */
const SHORT_STREAM_MS = 5000;
/** How long a server may leave a stream open after the response. */
const LINGER_MS = 5000;

/**
 * Reads a stream, and resumes it when it breaks, until the exchange is over. Rejects when it gives up. `first` is the
 * response that began the stream; undefined, or not a stream, if that failed.
 */
export async function followStream(
  exchange: Exchange,
  first: HttpResponse | undefined,
  reader: SseReader,
  { isResumable, resume, attempts, onFailure }: FollowOptions,
): Promise<void> {
  let response: HttpResponse | undefined = first;
  let shortStreams = 0;
  if (first === undefined || !isEventStream(first)) {
    if (first !== undefined) discardBody(first);
    response = undefined;
  }
  for (let failures = response === undefined ? 1 : 0; ; ) {
    if (response !== undefined) {
      const { eventsRead } = reader;
      const since = performance.now();
      await readToEnd(exchange, response, reader);
      const isLong = performance.now() - since > SHORT_STREAM_MS;
      shortStreams = isLong ? 0 : shortStreams + 1;
      failures = isLong || reader.eventsRead > eventsRead ? 0 : failures + 1;
    }
    if (exchange.over) return;
    const lost = exchange.id !== undefined && reader.lastEventId === undefined;
    if (lost || !isResumable()) throw new NetworkError('The stream ended before the response');
    if (failures > attempts) {
      const error = new NetworkError('The stream broke and could not be resumed');
      if (onFailure === undefined) throw error;
      if (failures === attempts + 1) onFailure(error);
    }
    await exchange.sleep(delayBefore(failures, shortStreams, reader.retry));
    if (exchange.over) return;
    reader.restart();
    response = await reopened(resume(reader.lastEventId));
    if (response === undefined) failures += 1;
  }
}

function delayBefore(failures: number, shortStreams: number, retry: number | undefined): number {
  if (failures > 0) return Math.max(retry ?? 0, backoff(failures));
  return Math.max(retry ?? backoff(failures), Math.min(MIN_RETRY_MS * 2 ** (shortStreams - 1), MAX_MIN_RETRY_MS));
}

/** Undefined when another attempt may succeed. */
async function reopened(opening: Promise<HttpResponse>): Promise<HttpResponse | undefined> {
  let response: HttpResponse;
  try {
    response = await opening;
  } catch {
    return undefined;
  }
  if (isEventStream(response)) return response;
  const { status } = response;
  const refusal = refusalOf(response, await readStart(response));
  // A server may take a while to notice that the previous stream has gone.
  if (status === 409 || status === 429 || status >= 500) return undefined;
  throw refusal;
}

async function readToEnd(exchange: Exchange, response: HttpResponse, reader: SseReader): Promise<void> {
  let linger: ReturnType<typeof setTimeout> | undefined;
  const read = response.read((chunk) => {
    reader.push(chunk);
    if (!exchange.over || exchange.id === undefined || linger !== undefined) return;
    linger = unref(setTimeout(() => response.destroy(), LINGER_MS));
  });
  await read.catch(() => {}); // a stream that broke is resumed
  clearTimeout(linger);
}

export function isEventStream(response: HttpResponse): boolean {
  return response.status === 200 && contentType(response) === 'text/event-stream';
}
