import { isObject } from '../jsonrpc/codec.ts';
import { ErrorCode, RpcError } from '../jsonrpc/errors.ts';
import { type IncomingRequest, largeBytes } from '../jsonrpc/in-flight.ts';
import type { Request } from '../jsonrpc/message.ts';
import { isThenable } from '../jsonrpc/thenable.ts';
import type { Origin, RequestHeaders } from '../protocol/origin.ts';
import { RefusedRequest } from '../protocol/request-errors.ts';
import { ALL_VERSIONS, findStatelessRevision } from '../protocol/revisions/all.ts';
import {
  decodeHeaderValue,
  header,
  headerMismatch,
  type InputRequests,
  type InputResponses,
  MetaKey,
  NAMED_BY,
  StatelessErrorCode,
  saysStateless,
} from '../protocol/stateless.ts';
import { type ClientCapabilities, type Implementation, isLogLevel } from '../protocol/types.ts';
import type { Asker } from './asking.ts';
import { type Caller, type RequestChannel, RequestContext, type RequestHandler } from './context.ts';
import { checkSize } from './handshake.ts';
import { quoted } from './invalid-params.ts';
import { ServerRequest } from './middleware.ts';
import type { ServerHost } from './server-host.ts';
import type { ServerSession } from './session.ts';
import { Rounds, type RoundsSetting } from './stateless/rounds.ts';

/**
 * The one way from a request to its handler, for sessions and stateless requests, through the middleware if there is any.
 * Returns the result, as a promise only if something has to be awaited. Throws, or rejects with, the error to send;
 * RefusedRequest for a stateless request that no handler was called for.
 */
export function dispatch(
  request: Request,
  incoming: IncomingRequest,
  channel: RequestChannel,
  host: ServerHost,
): unknown {
  const { session } = channel;
  const { intercept } = host.middleware;
  // Judged before the middleware, which may change the params.
  const isStateless = session === undefined || saysStateless(request.params);
  if (intercept === undefined) {
    return isStateless
      ? callStateless(request, incoming, channel, host)
      : callInSession(request, incoming, session, host);
  }
  return intercept(new ServerRequest(request, incoming, session, host.errors.report), (passed) =>
    isStateless ? callStateless(passed, incoming, channel, host) : callInSession(passed, incoming, session, host),
  );
}

function callInSession(request: Request, incoming: IncomingRequest, session: ServerSession, host: ServerHost): unknown {
  const handler = session.handlerOf(request);
  const context = { channel: session, request, incoming, caller: session, asker: session, host };
  return handler(request.params, new RequestContext(context));
}

function callStateless(
  request: Request,
  incoming: IncomingRequest,
  channel: RequestChannel,
  host: ServerHost,
): unknown {
  let call: StatelessCall;
  let verified: Promise<void> | undefined;
  try {
    call = new StatelessCall(request, incoming, channel, host);
    verified = call.readResponses();
  } catch (thrown) {
    throw refused(thrown);
  }
  if (verified === undefined) return call.run();
  return verified.then(
    () => call.run(),
    (thrown) => {
      throw refused(thrown);
    },
  );
}

export function methodNotFound(method: string): RpcError {
  return new RpcError(ErrorCode.MethodNotFound, `Method not found: ${quoted(method)}`);
}

/** A stateless request that passed the checks that come before its handler. */
class StatelessCall implements Asker {
  readonly #request: Request;
  readonly #incoming: IncomingRequest;
  readonly #channel: RequestChannel;
  readonly #host: ServerHost;
  readonly #caller: Caller;
  readonly #handler: RequestHandler;
  /** Made when there are responses or questions; most requests have none. */
  #rounds: Rounds | undefined;

  /** Throws an RpcError when the request is refused. */
  constructor(request: Request, incoming: IncomingRequest, channel: RequestChannel, host: ServerHost) {
    this.#request = request;
    this.#incoming = incoming;
    this.#channel = channel;
    this.#host = host;
    this.#caller = readCaller(request, incoming.origin as Origin | undefined); // as every transport gives it
    const handler = host.methods.handler(request.method, this.#caller.revision);
    if (handler === undefined) throw methodNotFound(request.method);
    this.#handler = handler;
  }

  /** Reads the responses to earlier questions. Returns a promise only if there is a state to verify. */
  readResponses(): Promise<void> | undefined {
    const { inputResponses, requestState } = (this.#request.params ?? {}) as { [name: string]: unknown };
    if (inputResponses === undefined && requestState === undefined) return undefined;
    const rounds = Rounds.begin(this.#roundsSetting);
    if (rounds instanceof Rounds) {
      this.#rounds = rounds;
      return undefined;
    }
    return rounds.then((verified) => {
      this.#rounds = verified;
    });
  }

  ask(requests: InputRequests): Promise<InputResponses> {
    this.#rounds ??= new Rounds(this.#roundsSetting);
    return this.#rounds.ask(requests);
  }

  run(): unknown {
    const [channel, caller] = [this.#channel, this.#caller];
    channel.session?.adoptClient(caller);
    let outcome: unknown;
    try {
      outcome = this.#handler(
        this.#request.params,
        new RequestContext({
          channel,
          request: this.#request,
          incoming: this.#incoming,
          caller,
          asker: this,
          host: this.#host,
        }),
      );
    } catch (thrown) {
      return this.#failed(thrown);
    }
    if (!isThenable(outcome)) return this.#completed(outcome);
    return outcome.then(
      (result) => this.#completed(result),
      (thrown) => this.#failed(thrown),
    );
  }

  #completed(result: unknown): unknown {
    const rounds = this.#rounds;
    return rounds?.hasOpenQuestions
      ? this.#inputRequired(rounds)
      : this.#host.results.complete(result, this.#request.method);
  }

  #failed(thrown: unknown): unknown {
    if (this.#rounds?.hasOpenQuestions) return this.#inputRequired(this.#rounds);
    throw thrown;
  }

  async #inputRequired(rounds: Rounds): Promise<unknown> {
    return this.#host.results.complete(await rounds.inputRequired(), this.#request.method);
  }

  get #roundsSetting(): RoundsSetting {
    const principal = (this.#incoming.origin as Origin | undefined)?.principal?.id;
    const { clientCapabilities: capabilities } = this.#caller;
    return { request: this.#request, principal, capabilities, signer: this.#host.signer };
  }
}

function refused(thrown: unknown): unknown {
  return thrown instanceof RpcError ? new RefusedRequest(thrown) : thrown;
}

/** Reads what a stateless request says about its client. The order of the checks is the one official clients expect. */
function readCaller(request: Request, origin: Origin | undefined): Caller {
  const { _meta: meta } = (request.params ?? {}) as { _meta?: { [key: string]: unknown } };
  const version = meta?.[MetaKey.protocolVersion];
  const clientCapabilities = meta?.[MetaKey.clientCapabilities];
  const clientInfo = meta?.[MetaKey.clientInfo];
  const logLevel = meta?.[MetaKey.logLevel];
  if (typeof version !== 'string') throw invalidMeta(MetaKey.protocolVersion, 'a string');
  if (!isObject(clientCapabilities)) throw invalidMeta(MetaKey.clientCapabilities, 'an object');
  if (clientInfo !== undefined && !isObject(clientInfo)) throw invalidMeta(MetaKey.clientInfo, 'an object');
  if (largeBytes(request) > 0) checkSize(request.method, clientInfo, clientCapabilities);
  if (logLevel !== undefined && !isLogLevel(logLevel)) throw invalidMeta(MetaKey.logLevel, 'a log level');
  const headers = origin?.headers;
  const method = headers && header(headers, 'mcp-method');
  if (headers) {
    expectHeader('MCP-Protocol-Version', header(headers, 'mcp-protocol-version'), version);
    if (method !== undefined) expectHeader('Mcp-Method', method, request.method);
  }
  const revision = findStatelessRevision(version);
  if (revision === undefined) {
    const requested = quoted(version);
    const data = { supported: ALL_VERSIONS, requested };
    throw new RpcError(StatelessErrorCode.UnsupportedVersion, `Unsupported protocol version: ${requested}`, data);
  }
  if (headers) {
    expectHeader('Mcp-Method', method, request.method);
    expectName(headers, request);
  }
  return {
    revision,
    clientInfo: clientInfo as Implementation | undefined,
    clientCapabilities: clientCapabilities as ClientCapabilities,
    logLevel,
  };
}

function expectName(headers: RequestHeaders, { method, params }: Request): void {
  const member = NAMED_BY.get(method);
  const name = member && (params as { [member: string]: unknown } | undefined)?.[member];
  // The method itself refuses a body without the name.
  if (typeof name !== 'string') return;
  const sent = header(headers, 'mcp-name');
  if (sent === undefined || decodeHeaderValue(sent) !== name) {
    throw headerMismatch(`Mcp-Name is ${sent ?? 'missing'}, the body says ${quoted(name)}`);
  }
}

function expectHeader(name: string, sent: string | undefined, expected: string): void {
  if (sent !== expected) throw headerMismatch(`${name} is ${sent ?? 'missing'}, the body says ${quoted(expected)}`);
}

function invalidMeta(key: string, expected: string): RpcError {
  return new RpcError(ErrorCode.InvalidParams, `Invalid params: _meta["${key}"] must be ${expected}`);
}
