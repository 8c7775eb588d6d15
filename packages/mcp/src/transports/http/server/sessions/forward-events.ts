import type { HttpStore, StopFollower, StreamStart } from '../../store.ts';
import type { ResponseStream } from '../responses/response-stream.ts';
import { inBackground } from './in-background.ts';
import type { LocalSession } from './local-session.ts';

/**
 * Sends the events of a stream of the session on a response, until the returned function is called. Each message goes to one
 * response only: the newest that follows the stream, in any process. Rejects if the store cannot follow the stream.
 */
export async function forwardEvents(
  session: LocalSession,
  store: HttpStore,
  name: string,
  start: StreamStart,
  response: ResponseStream,
): Promise<StopFollower> {
  const turn = `turn ${crypto.randomUUID()}`;
  let hasTurn = false;
  const stop = await store.follow(session.id, name, start, {
    event: (event) => {
      response.openEvents();
      if (isMessage(event.text)) hasTurn ? response.forward(event) : response.replay(event);
      else if (event.last || (hasTurn && event.text !== turn)) response.close();
      else if (event.text === turn) {
        hasTurn = true;
        if (session.primes) response.prime(event.id);
      }
    },
    lost: () => response.close(),
  });
  if (response.isGone) return stop;
  // The response that followed the stream until now sees this event and ends.
  inBackground(
    () => store.append(session.id, name, { text: turn, last: false }),
    (error) => {
      session.failed(error);
      response.close();
    },
  );
  return stop;
}

/** Other events are signals between processes. */
function isMessage(text: string): boolean {
  return text.startsWith('{') || text.startsWith('[');
}
