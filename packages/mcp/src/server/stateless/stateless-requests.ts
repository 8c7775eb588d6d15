import { ErrorCode } from '../../jsonrpc/errors.ts';
import type { InFlight } from '../../jsonrpc/in-flight.ts';
import type { Request } from '../../jsonrpc/message.ts';
import { largeBytes } from '../../jsonrpc/message-bytes.ts';
import { Shares } from '../../jsonrpc/shares.ts';
import type { Abortable, StatelessResponse } from '../../protocol/stateless-response.ts';
import type { DispatchHost } from '../dispatch.ts';
import { StatelessRequest } from './stateless-request.ts';

export interface StatelessRequestsOptions {
  readonly host: DispatchHost;
  /** Counts the requests of all clients. */
  readonly inFlight: InFlight;
  /** Open requests of one client. */
  readonly maxInFlight: number;
}

/** The stateless requests of a server that arrived without a connection and are still open, within limits. */
export class StatelessRequests {
  readonly #options: StatelessRequestsOptions;
  /** With their large sizes and their clients. */
  readonly #open = new Map<StatelessRequest, { readonly bytes: number; readonly client: string | undefined }>();
  readonly #shares = new Shares();

  constructor(options: StatelessRequestsOptions) {
    this.#options = options;
  }

  get size(): number {
    return this.#open.size;
  }

  start(request: Request, exchange: StatelessResponse): Abortable {
    const { host, inFlight } = this.#options;
    const bytes = largeBytes(request);
    const client = exchange.origin?.client;
    const message = inFlight.refusal(bytes) ?? this.#refusal(client);
    if (message !== undefined) {
      exchange.refuse({ jsonrpc: '2.0', id: request.id, error: { code: ErrorCode.LimitReached, message } });
      return { abort: () => {} };
    }
    const stateless = new StatelessRequest(request, exchange, host, this.#settled);
    stateless.start();
    if (!stateless.isSettled) {
      this.#open.set(stateless, { bytes, client });
      inFlight.add(bytes);
      this.#shares.add(client);
    }
    return stateless;
  }

  /** Responds to all of them with an error. */
  close(reason: string): void {
    for (const request of [...this.#open.keys()]) request.close(reason);
  }

  readonly #settled = (request: StatelessRequest) => {
    const counted = this.#open.get(request);
    if (counted === undefined) return;
    this.#open.delete(request);
    this.#options.inFlight.remove(counted.bytes);
    this.#shares.remove(counted.client);
  };

  #refusal(client: string | undefined): string | undefined {
    const { maxInFlight } = this.#options;
    if (this.#shares.of(client) < maxInFlight) return undefined;
    return `This client has ${maxInFlight} open requests (maxInFlight). Try again later`;
  }
}
