import { ErrorCode, RpcError } from '../jsonrpc/errors.ts';
import type { IncomingRequest } from '../jsonrpc/incoming-request.ts';
import type { Request } from '../jsonrpc/message.ts';
import { isThenable } from '../jsonrpc/thenable.ts';
import type { Origin } from '../protocol/origin.ts';
import { RefusedRequest } from '../protocol/refused-request.ts';
import type { Revision } from '../protocol/revision.ts';
import { saysStateless } from '../protocol/stateless.ts';
import { type ContextHost, type RequestChannel, RequestContext, type RequestHandler } from './context.ts';
import { quoted } from './invalid-params.ts';
import { type Intercept, ServerRequest } from './middleware.ts';
import type { ServerSession } from './session.ts';
import { type Envelope, readEnvelope } from './stateless/envelope.ts';
import { Rounds } from './stateless/rounds.ts';
import type { StateSigner } from './stateless/state-signer.ts';

/** What a request needs of the server. */
export interface DispatchHost extends ContextHost {
  handler(method: string, revision: Revision): RequestHandler | undefined;
  /** Adds the members that the stateless revisions require in every result. */
  complete(result: unknown, method: string): unknown;
  readonly signer: StateSigner;
  /** Undefined when the server has no middleware. */
  readonly intercept: Intercept | undefined;
}

/**
 * The one way from a request to its handler, for sessions and stateless requests, through the middleware if there is any.
 * Returns the result, as a promise only if something has to be awaited. Throws, or rejects with, the error to send;
 * RefusedRequest for a stateless request that no handler was called for.
 */
export function dispatch(
  request: Request,
  incoming: IncomingRequest,
  channel: RequestChannel,
  host: DispatchHost,
): unknown {
  const { session } = channel;
  const { intercept } = host;
  // Judged before the middleware, which may change the params.
  const isStateless = session === undefined || saysStateless(request.params);
  if (intercept === undefined) {
    return isStateless
      ? callStateless(request, incoming, channel, host)
      : callInSession(request, incoming, session, host);
  }
  return intercept(new ServerRequest(request, incoming, session, host.report), (passed) =>
    isStateless ? callStateless(passed, incoming, channel, host) : callInSession(passed, incoming, session, host),
  );
}

function callInSession(
  request: Request,
  incoming: IncomingRequest,
  session: ServerSession,
  host: DispatchHost,
): unknown {
  const { revision } = session;
  const handler = session.handlerOf(request);
  const context = { session, channel: session, revision, request, incoming, caller: session, asker: session, host };
  return handler(request.params, new RequestContext(context));
}

function callStateless(
  request: Request,
  incoming: IncomingRequest,
  channel: RequestChannel,
  host: DispatchHost,
): unknown {
  const origin = incoming.origin as Origin | undefined; // as every transport gives it
  let envelope: Envelope;
  let handler: RequestHandler | undefined;
  let rounds: Rounds | Promise<Rounds>;
  try {
    envelope = readEnvelope(request, origin);
    const { revision, clientCapabilities: capabilities } = envelope;
    handler = host.handler(request.method, revision);
    if (handler === undefined) throw methodNotFound(request.method);
    rounds = Rounds.begin({ request, principal: origin?.principal?.id, capabilities, signer: host.signer });
  } catch (thrown) {
    throw refused(thrown);
  }
  const call: StatelessCall = { request, incoming, channel, host, envelope, handler };
  if (rounds instanceof Rounds) return run(call, rounds);
  return rounds.then(
    (verified) => run(call, verified),
    (thrown) => {
      throw refused(thrown);
    },
  );
}

export function methodNotFound(method: string): RpcError {
  return new RpcError(ErrorCode.MethodNotFound, `Method not found: ${quoted(method)}`);
}

/** A stateless request that passed every check that comes before its handler. */
interface StatelessCall {
  readonly request: Request;
  readonly incoming: IncomingRequest;
  readonly channel: RequestChannel;
  readonly host: DispatchHost;
  readonly envelope: Envelope;
  readonly handler: RequestHandler;
}

function run(call: StatelessCall, rounds: Rounds): unknown {
  const { request, incoming, channel, host, envelope, handler } = call;
  const { session } = channel;
  session?.adoptClient(envelope);
  const { revision } = envelope;
  const context = { session, channel, revision, request, incoming, caller: envelope, asker: rounds, host };
  let outcome: unknown;
  try {
    outcome = handler(request.params, new RequestContext(context));
  } catch (thrown) {
    return failed(thrown, call, rounds);
  }
  if (!isThenable(outcome)) return completed(outcome, call, rounds);
  return outcome.then(
    (result) => completed(result, call, rounds),
    (thrown) => failed(thrown, call, rounds),
  );
}

function completed(result: unknown, { request, host }: StatelessCall, rounds: Rounds): unknown {
  return rounds.hasOpenQuestions ? inputRequired(request, host, rounds) : host.complete(result, request.method);
}

function failed(thrown: unknown, { request, host }: StatelessCall, rounds: Rounds): unknown {
  if (rounds.hasOpenQuestions) return inputRequired(request, host, rounds);
  throw thrown;
}

async function inputRequired({ method }: Request, host: DispatchHost, rounds: Rounds): Promise<unknown> {
  return host.complete(await rounds.inputRequired(), method);
}

function refused(thrown: unknown): unknown {
  return thrown instanceof RpcError ? new RefusedRequest(thrown) : thrown;
}
