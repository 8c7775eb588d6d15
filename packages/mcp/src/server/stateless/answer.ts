import { ErrorCode, RpcError } from '../../jsonrpc/errors.ts';
import type { Request } from '../../jsonrpc/message.ts';
import { isThenable } from '../../jsonrpc/thenable.ts';
import type { Origin } from '../../protocol/origin.ts';
import type { Revision } from '../../protocol/revision.ts';
import type { ContextHost, RequestContext, RequestHandler } from '../context.ts';
import { quoted } from '../invalid-params.ts';
import type { Intercept } from '../middleware.ts';
import { type Envelope, readEnvelope } from './envelope.ts';
import { Rounds } from './rounds.ts';
import type { StateSigner } from './state-signer.ts';

/** What a stateless request needs of the server. */
export interface StatelessHost extends ContextHost {
  handler(method: string, revision: Revision): RequestHandler | undefined;
  /** Adds the members that the stateless revisions require in every result. */
  complete(result: unknown, method: string): unknown;
  readonly signer: StateSigner;
  /** Undefined when the server has no middleware. */
  readonly intercept: Intercept | undefined;
}

/** A request that passed every check that comes before its handler. */
export interface Opened {
  readonly envelope: Envelope;
  readonly handler: RequestHandler;
  /** A promise when the client sent a state that has to be verified; it may reject with an RpcError. */
  readonly rounds: Rounds | Promise<Rounds>;
}

type ContextFor = (envelope: Envelope, rounds: Rounds) => RequestContext;

/** Answers a stateless request by its own envelope. Throws, or rejects with, the error to answer. */
export function answerStateless(
  request: Request,
  origin: Origin | undefined,
  host: StatelessHost,
  contextFor: ContextFor,
): unknown {
  const opened = openStateless(request, origin, host);
  const { rounds } = opened;
  if (rounds instanceof Rounds) return runStateless(request, opened, rounds, host, contextFor);
  return rounds.then((verified) => runStateless(request, opened, verified, host, contextFor));
}

/** Makes every check that comes before the handler. Throws RpcError. */
export function openStateless(request: Request, origin: Origin | undefined, host: StatelessHost): Opened {
  const envelope = readEnvelope(request, origin);
  const { revision, clientCapabilities: capabilities } = envelope;
  const handler = host.handler(request.method, revision);
  if (handler === undefined)
    throw new RpcError(ErrorCode.MethodNotFound, `Method not found: ${quoted(request.method)}`);
  const principal = origin?.principal?.id;
  return { envelope, handler, rounds: Rounds.begin({ request, principal, capabilities, signer: host.signer }) };
}

/** Calls the handler. The result is a promise only if something has to be awaited. */
export function runStateless(
  request: Request,
  { envelope, handler }: Opened,
  rounds: Rounds,
  host: StatelessHost,
  contextFor: ContextFor,
): unknown {
  let outcome: unknown;
  try {
    outcome = handler(request.params, contextFor(envelope, rounds));
  } catch (thrown) {
    return fail(thrown, request, host, rounds);
  }
  if (!isThenable(outcome)) return complete(outcome, request, host, rounds);
  return outcome.then(
    (result) => complete(result, request, host, rounds),
    (thrown) => fail(thrown, request, host, rounds),
  );
}

function complete(result: unknown, request: Request, host: StatelessHost, rounds: Rounds): unknown {
  return rounds.hasUnanswered ? inputRequired(request, host, rounds) : host.complete(result, request.method);
}

function fail(thrown: unknown, request: Request, host: StatelessHost, rounds: Rounds): unknown {
  if (rounds.hasUnanswered) return inputRequired(request, host, rounds);
  throw thrown;
}

async function inputRequired({ method }: Request, host: StatelessHost, rounds: Rounds): Promise<unknown> {
  return host.complete(await rounds.unanswered(), method);
}
