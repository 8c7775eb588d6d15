import { ConnectionClosed, ErrorCode, toErrorObject } from '../../jsonrpc/errors.ts';
import { IncomingRequest } from '../../jsonrpc/incoming-request.ts';
import type { Params, Request, RequestId, Response } from '../../jsonrpc/message.ts';
import { isThenable } from '../../jsonrpc/thenable.ts';
import { unserializable } from '../../jsonrpc/unserializable.ts';
import type { Abortable, AnswerKind, Exchange } from '../../protocol/exchange.ts';
import { NotFound } from '../../protocol/not-found.ts';
import { type RequestChannel, RequestContext } from '../context.ts';
import { type Intercept, ServerRequest } from '../middleware.ts';
import { type Opened, openStateless, runStateless, type StatelessHost } from './answer.ts';
import type { Envelope } from './envelope.ts';
import { Rounds } from './rounds.ts';

/** A stateless request that arrived without a connection, from its arrival to its one answer. */
export class StatelessRequest implements Abortable, RequestChannel {
  readonly #request: Request;
  readonly #exchange: Exchange;
  readonly #host: StatelessHost;
  readonly #incoming: IncomingRequest;
  readonly #onSettled: (request: StatelessRequest) => void;

  constructor(
    request: Request,
    exchange: Exchange,
    host: StatelessHost,
    onSettled: (request: StatelessRequest) => void,
  ) {
    this.#request = request;
    this.#exchange = exchange;
    this.#host = host;
    this.#incoming = new IncomingRequest(request.id, undefined, exchange.origin);
    this.#onSettled = onSettled;
  }

  get isSettled(): boolean {
    return this.#incoming.settled;
  }

  start(): void {
    const { intercept } = this.#host;
    if (intercept === undefined) this.#begin();
    else this.#beginIntercepted(intercept);
  }

  #begin(): void {
    let opened: Opened;
    try {
      opened = openStateless(this.#request, this.#exchange.origin, this.#host);
    } catch (refusal) {
      this.#refuse(refusal);
      return;
    }
    const { rounds } = opened;
    if (rounds instanceof Rounds) this.#run(opened, rounds);
    else {
      rounds.then(
        (verified) => this.#run(opened, verified),
        (refusal) => this.#refuse(refusal),
      );
    }
  }

  abort(reason: Error): void {
    if (this.#incoming.settled) return;
    this.#incoming.abort(reason);
    this.#onSettled(this);
  }

  /** Answers with an error, because the server closes. */
  close(reason: string): void {
    this.#incoming.abortSignal(new ConnectionClosed(reason));
    const message = `Internal error: closed before the answer: ${reason}`;
    this.#settle({ jsonrpc: '2.0', id: this.#request.id, error: { code: ErrorCode.InternalError, message } });
  }

  notifyAbout(_relatedRequestId: RequestId, method: string, params: Params | undefined): void {
    this.#exchange.notify(params === undefined ? { jsonrpc: '2.0', method } : { jsonrpc: '2.0', method, params });
  }

  /** A stateless response cannot be resumed, so it stays open. */
  releaseStream(): void {}

  drained(): Promise<void> {
    return this.#exchange.drained();
  }

  /** Middleware may answer in place of the handler, and sees the requests that are refused too. */
  #beginIntercepted(intercept: Intercept): void {
    let refusal: unknown;
    const dispatch = async (request: Request) => {
      let opened: Opened;
      let rounds: Rounds;
      try {
        opened = openStateless(request, this.#exchange.origin, this.#host);
        rounds = await opened.rounds;
      } catch (thrown) {
        refusal = thrown;
        throw thrown;
      }
      return runStateless(request, opened, rounds, this.#host, (envelope, used) => this.#context(envelope, used));
    };
    const asked = new ServerRequest(this.#request, this.#incoming, undefined, this.#host.report);
    intercept(asked, dispatch).then(
      (result) => this.#succeed(result),
      (thrown) => (thrown === refusal ? this.#refuse(thrown) : this.#fail(thrown)),
    );
  }

  #succeed(result: unknown): void {
    this.#settle({ jsonrpc: '2.0', id: this.#request.id, result: result === undefined ? {} : result });
  }

  #fail(thrown: unknown): void {
    const kind = thrown instanceof NotFound ? 'not found' : undefined;
    this.#settle({ jsonrpc: '2.0', id: this.#request.id, error: toErrorObject(thrown) }, kind);
  }

  #run(opened: Opened, rounds: Rounds): void {
    let outcome: unknown;
    try {
      outcome = runStateless(this.#request, opened, rounds, this.#host, (envelope, used) =>
        this.#context(envelope, used),
      );
    } catch (thrown) {
      this.#fail(thrown);
      return;
    }
    if (!isThenable(outcome)) {
      this.#succeed(outcome);
      return;
    }
    outcome.then(
      (result) => this.#succeed(result),
      (thrown) => this.#fail(thrown),
    );
  }

  #context(envelope: Envelope, rounds: Rounds): RequestContext {
    return new RequestContext({
      session: undefined,
      channel: this,
      revision: envelope.revision,
      request: this.#request,
      incoming: this.#incoming,
      caller: envelope,
      asker: rounds,
      host: this.#host,
    });
  }

  #refuse(refusal: unknown): void {
    if (this.#incoming.settled) return;
    this.#incoming.settled = true;
    this.#exchange.refuse({ jsonrpc: '2.0', id: this.#request.id, error: toErrorObject(refusal) });
    this.#onSettled(this);
  }

  /** Only the first answer is sent. */
  #settle(answer: Response, kind?: AnswerKind): void {
    if (this.#incoming.settled) return;
    this.#incoming.settled = true;
    try {
      this.#exchange.answer(answer, kind);
    } catch (thrown) {
      this.#exchange.answer(unserializable(answer, thrown));
      this.#host.report(thrown, `the answer to ${this.#request.method}`);
    }
    this.#onSettled(this);
  }
}
