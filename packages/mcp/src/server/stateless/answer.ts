import { ErrorCode, RpcError } from '../../jsonrpc/errors.ts';
import type { IncomingRequest } from '../../jsonrpc/incoming-request.ts';
import type { Request } from '../../jsonrpc/message.ts';
import { isThenable } from '../../jsonrpc/thenable.ts';
import type { Revision } from '../../protocol/revision.ts';
import { StatelessErrorCode } from '../../protocol/stateless.ts';
import type { RequestContext, RequestHandler } from '../context.ts';
import { type Envelope, readEnvelope } from './envelope.ts';
import { Rounds } from './rounds.ts';
import type { StateSigner } from './state-signer.ts';

/** What the stateless era needs of a server. */
export interface StatelessHost {
  handler(method: string, revision: Revision): RequestHandler | undefined;
  /** Adds what this era wants in every answer. */
  complete(result: unknown, method: string): unknown;
  readonly seal: StateSigner;
}

/** Answers a request that stands alone, by what it says of itself. */
export function answerStateless(
  request: Request,
  incoming: IncomingRequest,
  host: StatelessHost,
  contextFor: (envelope: Envelope, rounds: Rounds) => RequestContext,
): unknown {
  const { envelope, handler, begun } = open(request, incoming, host);
  const handle = (rounds: Rounds) => handler(request.params, contextFor(envelope, rounds));
  if (begun instanceof Rounds) return runRound(request, incoming, host, begun, handle);
  return begun.then((rounds) => runRound(request, incoming, host, rounds, handle));
}

/** All that can be refused before a handler is called, with the HTTP status that goes with it. */
function open(request: Request, { origin }: IncomingRequest, host: StatelessHost) {
  try {
    const envelope = readEnvelope(request, origin);
    const { revision, clientCapabilities: capabilities } = envelope;
    const handler = host.handler(request.method, revision);
    if (handler === undefined) throw new RpcError(ErrorCode.MethodNotFound, `Method not found: ${request.method}`);
    const principal = origin?.headers.authorization;
    return { envelope, handler, begun: Rounds.begin({ request, principal, capabilities, seal: host.seal }) };
  } catch (refusal) {
    const notFound = refusal instanceof RpcError && refusal.code === ErrorCode.MethodNotFound;
    origin?.answerWith(notFound ? 404 : 400);
    throw refusal;
  }
}

/** A promise only where something has to be waited for. */
function runRound(
  request: Request,
  incoming: IncomingRequest,
  host: StatelessHost,
  rounds: Rounds,
  handle: (rounds: Rounds) => unknown,
): unknown {
  let outcome: unknown;
  try {
    outcome = handle(rounds);
  } catch (thrown) {
    return fail(thrown, request, incoming, host, rounds);
  }
  if (!isThenable(outcome)) return complete(outcome, request, host, rounds);
  return outcome.then(
    (result) => complete(result, request, host, rounds),
    (thrown) => fail(thrown, request, incoming, host, rounds),
  );
}

function complete(result: unknown, request: Request, host: StatelessHost, rounds: Rounds): unknown {
  return rounds.hasUnanswered ? putQuestions(request, host, rounds) : host.complete(result, request.method);
}

function fail(thrown: unknown, request: Request, { origin }: IncomingRequest, host: StatelessHost, rounds: Rounds) {
  if (rounds.hasUnanswered) return putQuestions(request, host, rounds);
  const { MissingClientCapability } = StatelessErrorCode;
  if (thrown instanceof RpcError && thrown.code === MissingClientCapability) origin?.answerWith(400);
  throw thrown;
}

async function putQuestions({ method }: Request, host: StatelessHost, rounds: Rounds): Promise<unknown> {
  return host.complete(await rounds.unanswered(), method);
}
