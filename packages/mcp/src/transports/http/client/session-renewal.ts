import { ErrorCode, messageOf, RpcError } from '../../../jsonrpc/errors.ts';
import type { Request } from '../../../jsonrpc/message.ts';
import { HttpError } from '../../../protocol/http-error.ts';
import type { HttpClientConnection } from './connect.ts';
import { Exchange } from './exchange.ts';
import type { HttpSession } from './http-session.ts';
import type { Outbound } from './outbound.ts';
import { backoff, isTemporary, retrying } from './retry.ts';

/** A session that the server forgets sooner is replaced after this time, unless a request needs it before. */
const MIN_SESSION_MS = 1000;

/** Replaces sessions that the server has forgotten. */
export class SessionRenewal {
  readonly #connection: HttpClientConnection;
  #renewing: Promise<void> | undefined;

  constructor(connection: HttpClientConnection) {
    this.#connection = connection;
  }

  /** Requests that get 404 at about the same time share one attempt to begin a new session. */
  renew(lost: HttpSession): Promise<void> {
    if (this.#connection.session !== lost && this.#renewing === undefined) return Promise.resolve();
    this.#renewing ??= this.#initialize(lost).finally(() => {
      this.#renewing = undefined;
      this.#connection.release();
    });
    return this.#renewing;
  }

  /** The same however often it fails, unless a request has done so or the connection ends. Never rejects. */
  async persist(lost: HttpSession, failed: (error: unknown) => void): Promise<void> {
    const waiting = new Exchange(undefined);
    this.#connection.open.add(waiting);
    // A server that forgets every session at once must not keep this client busy.
    await waiting.sleep(MIN_SESSION_MS - lost.ageMs);
    for (let failures = 0; !waiting.over && this.#connection.session === lost; failures += 1) {
      try {
        await this.renew(lost);
      } catch (error) {
        failed(error);
        if (!(error instanceof Error && isTemporary(error.cause))) break;
        await waiting.sleep(backoff(failures));
      }
    }
    this.#connection.open.delete(waiting);
  }

  async #initialize(lost: HttpSession): Promise<void> {
    const { initialize, initialized, replayedRequests } = lost;
    const connection = this.#connection;
    connection.hold();
    try {
      await connection.repeat(initialize);
    } catch (error) {
      connection.session = lost; // so that the next request tries again
      const why = `The server has forgotten the session, and a new one failed: ${messageOf(error)}`;
      throw Object.assign(new HttpError(404, why), { cause: error });
    }
    if (initialized !== undefined) await connection.beginSession(initialized);
    const session = connection.session as HttpSession; // made by the initialize above
    session.replayedRequests = replayedRequests;
    // What has changed between the two sessions is not known.
    for (const list of session.lists) connection.notify(`notifications/${list}/list_changed`);
    const waiting = new Exchange(undefined);
    connection.open.add(waiting);
    for (const outbound of [...replayedRequests.values()]) {
      // What is replayed may arrive more than once.
      const replayed = retrying(
        unlessReceived(() => connection.repeat(outbound)),
        connection.retries,
        waiting,
      );
      await replayed.then(
        () => this.#replayed(outbound),
        (error) => connection.report(`The new session refused ${outbound.method}`, error),
      );
    }
    connection.open.delete(waiting);
  }

  #replayed({ method, message }: Outbound): void {
    if (method !== 'resources/subscribe') return;
    const { uri } = (message as Request).params as { uri: string }; // it has succeeded before
    this.#connection.notify('notifications/resources/updated', { uri });
  }
}

/** A repeated request whose id is refused has reached the server before. */
function unlessReceived(send: () => Promise<void>): () => Promise<void> {
  let attempts = 0;
  return async () => {
    attempts += 1;
    try {
      await send();
    } catch (error) {
      const isReceived = error instanceof RpcError && error.code === ErrorCode.InvalidRequest && attempts > 1;
      if (!isReceived) throw error;
    }
  };
}
