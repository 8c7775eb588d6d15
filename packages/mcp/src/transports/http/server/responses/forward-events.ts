import type { HttpStore, StreamStart } from '../../store.ts';
import { inBackground } from '../sessions/in-background.ts';
import type { ResponseStream } from './response-stream.ts';

export interface ForwardedStream {
  readonly session: string;
  readonly name: string;
  readonly start: StreamStart;
}

export interface ForwardOptions {
  /** Whether the client understands an event without data. */
  primes(): boolean;
  failed(error: Error): void;
}

/**
 * Sends the events of a stream on a response, until the returned function is called. Each message goes to one response
 * only: the newest that follows the stream, in any process. Rejects if the store cannot follow the stream.
 */
export async function forwardEvents(
  { session, name, start }: ForwardedStream,
  store: HttpStore,
  response: ResponseStream,
  { primes, failed }: ForwardOptions,
): Promise<() => void> {
  const turn = `turn ${crypto.randomUUID()}`;
  let hasTurn = false;
  const stop = await store.follow(session, name, start, {
    event: (event) => {
      response.openEvents();
      if (isMessage(event.text)) hasTurn ? response.forward(event) : response.replay(event);
      else if (event.last || (hasTurn && event.text !== turn)) response.close();
      else if (event.text === turn) {
        hasTurn = true;
        if (primes()) response.prime(event.id);
      }
    },
    lost: () => response.close(),
  });
  if (response.isGone) return stop;
  // The response that followed the stream until now sees this event and ends.
  inBackground(
    () => store.append(session, name, { text: turn, last: false }),
    (error) => {
      failed(error);
      response.close();
    },
  );
  return stop;
}

/** Other events are signals between processes. */
function isMessage(text: string): boolean {
  return text.startsWith('{') || text.startsWith('[');
}
