import { ErrorCode, messageOf, RpcError } from '../../../jsonrpc/errors.ts';
import type { Params, Request } from '../../../jsonrpc/message.ts';
import { HttpError } from '../../../protocol/http-error.ts';
import { Exchange } from './exchange.ts';
import type { HttpSession } from './http-session.ts';
import type { Outbound } from './outbound.ts';
import { backoff, isTemporary, retrying } from './retry.ts';

/** What a renewal needs of its connection. */
export interface RenewalHost {
  /** The current session. */
  session(): HttpSession | undefined;
  /** Makes the lost session the current one again. */
  restore(lost: HttpSession): void;
  readonly retries: number;
  /** The exchanges that end with the connection. */
  readonly open: Set<Exchange>;
  /** Keeps messages back, and ends the stream of the lost session. */
  hold(): void;
  release(): void;
  /** Sends a request of the lost session again. Rejects unless it succeeds. */
  send(outbound: Outbound): Promise<void>;
  /** Sends `notifications/initialized` and opens the stream. */
  begin(initialized: Outbound): Promise<void>;
  /** Passes a notification on to the client. */
  notify(method: string, params?: Params): void;
  report(what: string, error: unknown): void;
}

/** A session that the server forgets sooner is replaced after this time, unless a request needs it before. */
const MIN_SESSION_MS = 1000;

/** Replaces sessions that the server has forgotten. */
export class SessionRenewal {
  readonly #host: RenewalHost;
  #renewing: Promise<void> | undefined;

  constructor(host: RenewalHost) {
    this.#host = host;
  }

  /** Requests that get 404 at about the same time share one attempt to begin a new session. */
  renew(lost: HttpSession): Promise<void> {
    if (this.#host.session() !== lost && this.#renewing === undefined) return Promise.resolve();
    this.#renewing ??= this.#initialize(lost).finally(() => {
      this.#renewing = undefined;
      this.#host.release();
    });
    return this.#renewing;
  }

  /** The same however often it fails, unless a request has done so or the connection ends. Never rejects. */
  async persist(lost: HttpSession, failed: (error: unknown) => void): Promise<void> {
    const waiting = new Exchange(undefined);
    this.#host.open.add(waiting);
    // A server that forgets every session at once must not keep this client busy.
    await waiting.sleep(MIN_SESSION_MS - lost.ageMs);
    for (let failures = 0; !waiting.over && this.#host.session() === lost; failures += 1) {
      try {
        await this.renew(lost);
      } catch (error) {
        failed(error);
        if (!(error instanceof Error && isTemporary(error.cause))) break;
        await waiting.sleep(backoff(failures));
      }
    }
    this.#host.open.delete(waiting);
  }

  async #initialize(lost: HttpSession): Promise<void> {
    const { initialize, initialized, replayedRequests } = lost;
    const host = this.#host;
    host.hold();
    try {
      await host.send(initialize);
    } catch (error) {
      host.restore(lost); // so that the next request tries again
      const why = `The server has forgotten the session, and a new one failed: ${messageOf(error)}`;
      throw Object.assign(new HttpError(404, why), { cause: error });
    }
    if (initialized !== undefined) await host.begin(initialized);
    const session = host.session() as HttpSession; // made by the initialize above
    session.replayedRequests = replayedRequests;
    // What has changed between the two sessions is not known.
    for (const list of session.lists) host.notify(`notifications/${list}/list_changed`);
    const waiting = new Exchange(undefined);
    host.open.add(waiting);
    for (const outbound of [...replayedRequests.values()]) {
      // What is replayed may arrive more than once.
      const replayed = retrying(
        unlessReceived(() => host.send(outbound)),
        host.retries,
        waiting,
      );
      await replayed.then(
        () => this.#replayed(outbound),
        (error) => host.report(`The new session refused ${outbound.method}`, error),
      );
    }
    host.open.delete(waiting);
  }

  #replayed({ method, message }: Outbound): void {
    if (method !== 'resources/subscribe') return;
    const { uri } = (message as Request).params as { uri: string }; // it has succeeded before
    this.#host.notify('notifications/resources/updated', { uri });
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
