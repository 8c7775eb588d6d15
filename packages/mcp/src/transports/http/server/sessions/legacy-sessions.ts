import { type Arrival, encode } from '../../../../jsonrpc/codec.ts';
import type { Connection, Outgoing, Receiver } from '../../../../jsonrpc/connection.ts';
import { ConnectionClosed } from '../../../../jsonrpc/errors.ts';
import type { Message } from '../../../../jsonrpc/message.ts';
import type { Origin } from '../../../../protocol/origin.ts';
import type { ServedRequests } from '../../../../protocol/stateless-response.ts';
import type { HttpCall } from '../http-call.ts';
import { ResponseStream, type ResponseStreamOptions } from '../responses/response-stream.ts';

/** The parameter of the URL that names the session of a POST. */
export const LEGACY_SESSION = 'sessionId';

/**
 * The sessions of HTTP+SSE, the transport of 2024-11-05: all messages to the client leave on one event stream, and each POST brings
 * one of its own. A session lives as long as its stream, in this process.
 */
export class LegacySessions {
  readonly #server: ServedRequests;
  readonly #streamOptions: ResponseStreamOptions;
  readonly #sessions = new Map<
    string,
    { readonly connection: LegacyConnection; readonly principal: string | undefined }
  >();

  constructor(server: ServedRequests, streamOptions: ResponseStreamOptions) {
    this.#server = server;
    this.#streamOptions = streamOptions;
  }

  get size(): number {
    return this.#sessions.size;
  }

  /** Opens a stream, which begins with the URL that takes the client's messages. */
  open(call: HttpCall, origin: Origin): void {
    const id = crypto.randomUUID();
    const connection = new LegacyConnection(call, this.#streamOptions, () => this.#sessions.delete(id));
    this.#sessions.set(id, { connection, principal: origin.principal?.id });
    this.#server.connect(connection);
    // Relative to the URL of the stream, whatever a proxy has made of it.
    connection.begin(`?${LEGACY_SESSION}=${id}`);
  }

  /** Delivers the body of a POST. False when the principal has no such session. */
  deliver(id: string, arrival: Arrival, origin: Origin): boolean {
    const session = this.#sessions.get(id);
    if (session === undefined || session.principal !== origin.principal?.id) return false;
    session.connection.deliver(arrival, origin);
    return true;
  }

  async close(): Promise<void> {
    const closings = [...this.#sessions.values()].map(({ connection }) => connection.close('The server is closing'));
    await Promise.all(closings);
  }
}

class LegacyConnection implements Connection {
  readonly #stream: ResponseStream;
  readonly #done: Promise<void>;
  #receiver: Receiver | undefined;
  #reason = 'The client closed its event stream';

  constructor(call: HttpCall, options: ResponseStreamOptions, onClose: () => void) {
    let settle = () => {};
    this.#done = new Promise((resolve) => {
      settle = resolve;
    });
    this.#stream = new ResponseStream(call, options, {
      onDone: () => {
        onClose();
        const receiver = this.#receiver;
        this.#receiver = undefined;
        receiver?.closed(new ConnectionClosed(this.#reason));
        settle();
      },
    });
  }

  begin(endpoint: string): void {
    this.#stream.openEvents();
    this.#stream.namedEvent('endpoint', endpoint);
  }

  start(receiver: Receiver): void {
    this.#receiver = receiver;
  }

  deliver(arrival: Arrival, origin: Origin): void {
    if (arrival.kind === 'message') this.#receiver?.message(arrival.message, origin);
    else if (arrival.kind === 'malformed') this.#receiver?.malformed(arrival.malformed);
    else this.#receiver?.batch(arrival.items, origin);
  }

  send(message: Outgoing): void {
    const text = encode(message);
    if (!isNotification(message) || !this.#stream.dropsNotification()) this.#stream.event(text);
  }

  drained(): Promise<void> {
    return this.#stream.drained();
  }

  close(reason = 'Closed by this side'): Promise<void> {
    if (this.#receiver !== undefined) this.#reason = reason;
    this.#stream.close();
    return this.#done;
  }
}

function isNotification(message: Outgoing): boolean {
  if (Array.isArray(message)) return false;
  const { method, id } = message as Message;
  return method !== undefined && id === undefined;
}
