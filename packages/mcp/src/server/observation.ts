import type { Connection } from '../jsonrpc/connection.ts';
import type { Request } from '../jsonrpc/message.ts';
import { type MessageObserver, ObservedConnection } from '../jsonrpc/observed-connection.ts';
import { guard } from '../jsonrpc/report-error.ts';
import type { StatelessResponse } from '../protocol/stateless-response.ts';
import type { Report } from './error-report.ts';
import type { ServerSession } from './session.ts';

/** Gets undefined for a stateless request over HTTP, which has no session. */
export type Observe = (session: ServerSession | undefined) => MessageObserver;

/** Shows messages to the observers of the `observe` option. */
export class Observation {
  readonly #observe: Observe;
  readonly #report: Report;

  constructor(observe: Observe, report: Report) {
    this.#observe = observe;
    this.#report = report;
  }

  /** `make` gets the connection to use; its session must not have started yet. */
  session(connection: Connection, make: (connection: Connection) => ServerSession): ServerSession {
    const observed = new ObservedConnection(connection, (error) => this.#report(error, 'observe', session));
    const session = make(observed);
    this.#try(() => observed.observe(this.#observe(session)), session);
    return session;
  }

  response(request: Request, response: StatelessResponse): StatelessResponse {
    let observer: MessageObserver | undefined;
    this.#try(() => {
      observer = this.#observe(undefined);
      return observer.received(request);
    });
    const sent = (message: Parameters<MessageObserver['sent']>[0]) => this.#try(() => observer?.sent(message));
    return {
      origin: response.origin,
      notify: (notification) => {
        response.notify(notification);
        sent(notification);
      },
      respond: (message, kind) => {
        response.respond(message, kind);
        sent(message);
      },
      refuse: (failure) => {
        response.refuse(failure);
        sent(failure);
      },
      drained: () => response.drained(),
    };
  }

  #try(call: () => unknown, session?: ServerSession): void {
    guard(call, (thrown) => this.#report(thrown, 'observe', session));
  }
}
