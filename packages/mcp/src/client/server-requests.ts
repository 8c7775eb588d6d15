import { requireFunction } from '../jsonrpc/argument-checks.ts';
import { asError, ErrorCode, RpcError } from '../jsonrpc/errors.ts';
import { guardListeners } from '../jsonrpc/guarded-signal.ts';
import type { IncomingRequest } from '../jsonrpc/in-flight.ts';
import type { Params, Request, RequestId } from '../jsonrpc/message.ts';
import { finished } from '../jsonrpc/thenable.ts';
import { methodOf, type RequestDefinition } from '../protocol/definition.ts';
import { checking, type Handler, type Registration } from '../protocol/handlers.ts';
import type { Revision } from '../protocol/revision.ts';
import { kindOf } from '../protocol/schema/problem.ts';
import type {
  ClientCapabilities,
  CreateMessageParams,
  CreateMessageResult,
  ElicitParams,
  ElicitResult,
  Root,
} from '../protocol/types.ts';
import { withFormDefaults } from './elicitation-defaults.ts';
import type { ClientSession } from './session.ts';

/** What a handler knows about the server's request that it responds to. */
export interface ClientContext {
  readonly session: ClientSession;
  /** With a stateless server, its key of the question. */
  readonly requestId: RequestId;
  /** Aborts when the server cancels the request or the session ends. */
  readonly signal: AbortSignal;
}

/** The requests of servers that a client can respond to. A handler that throws is reported to `onError`. */
export interface ServerRequestHandlers {
  /** Lets a model write a message for a server. */
  readonly createMessage?: (
    params: CreateMessageParams,
    context: ClientContext,
  ) => CreateMessageResult | Promise<CreateMessageResult>;
  /** Asks the user for a server. */
  readonly elicit?: (params: ElicitParams, context: ClientContext) => ElicitResult | Promise<ElicitResult>;
  /** The folders that servers may work in. */
  readonly roots?: () => readonly Root[] | Promise<readonly Root[]>;
}

/** Responds to the requests of servers. */
export class ServerRequests {
  readonly #handlers: ServerRequestHandlers;
  readonly #custom = new Map<string, Handler<ClientContext>>();

  constructor(handlers: ServerRequestHandlers) {
    this.#handlers = handlers;
  }

  /** Throws when the method has a handler. */
  add(request: RequestDefinition | string, handler: Handler<ClientContext>): Registration {
    const method = methodOf(request);
    requireFunction('client.onRequest', `the handler of ${method}`, handler);
    if (this.#custom.has(method)) throw new Error(`There is already a handler for ${method}`);
    this.#custom.set(method, checking(request, handler));
    return { remove: () => this.#custom.delete(method) };
  }

  /** The capabilities that follow from the handlers. */
  get capabilities(): ClientCapabilities {
    const { createMessage, elicit, roots } = this.#handlers;
    return {
      ...(createMessage && { sampling: {} }),
      ...(elicit && { elicitation: {} }),
      ...(roots && { roots: { listChanged: true } }),
    };
  }

  /** Responds to a request that the server sent as a message. `report` gets bugs of handlers; the server gets every error. */
  respond(
    { id, method, params }: Request,
    incoming: IncomingRequest,
    revision: Revision,
    session: ClientSession,
    report: (error: Error) => void,
  ): unknown {
    if (method === 'ping' && !this.#custom.has(method)) return {};
    if (!this.#custom.has(method) && !revision.requests.has(method)) {
      throw new RpcError(ErrorCode.MethodNotFound, `Method not found: ${method}`);
    }
    let signal: AbortSignal | undefined;
    const guarded = () => guardListeners(incoming.signal, (thrown) => report(asError(thrown)));
    const context = {
      session,
      requestId: id,
      get signal() {
        signal ??= guarded(); // made on first use, because most handlers ignore it
        return signal;
      },
    };
    const failed = (thrown: unknown): never => {
      if (!(thrown instanceof RpcError) && !incoming.settled) report(asError(thrown));
      throw thrown;
    };
    return finished(
      () => this.callHandler(method, params, revision, context),
      (result) => result,
      failed,
    );
  }

  /** Throws an RpcError when there is no handler, or the parameters are invalid. */
  callHandler(method: string, params: Params | undefined, revision: Revision, context: ClientContext): unknown {
    const custom = this.#custom.get(method);
    if (custom !== undefined) return custom(params, context);
    const { createMessage, elicit, roots } = this.#handlers;
    if (method === 'sampling/createMessage' && createMessage) {
      return createMessage(requireMessageParams(params), context);
    }
    if (method === 'elicitation/create' && elicit) {
      const form = requireElicitParams(params);
      return Promise.resolve(elicit(form, context)).then((result) => withFormDefaults(form, result));
    }
    if (method === 'roots/list' && roots) {
      return Promise.resolve(roots()).then((list) => ({ roots: list.map((root) => revision.shape.root(root)) }));
    }
    throw new RpcError(ErrorCode.MethodNotFound, `Method not found: ${method}`);
  }
}

function requireElicitParams(params: unknown): ElicitParams {
  const { mode, message, requestedSchema, url } = requireParams('elicitation/create', params);
  requireType('elicitation/create', 'message', message, 'string');
  if (mode === 'url') requireType('elicitation/create', 'url', url, 'string');
  else requireType('elicitation/create', 'requestedSchema', requestedSchema, 'object');
  return params as ElicitParams;
}

function requireMessageParams(params: unknown): CreateMessageParams {
  const { messages, maxTokens } = requireParams('sampling/createMessage', params);
  requireType('sampling/createMessage', 'messages', messages, 'array');
  (messages as readonly unknown[]).forEach((message, index) => {
    requireType('sampling/createMessage', `messages[${index}]`, message, 'object');
  });
  requireType('sampling/createMessage', 'maxTokens', maxTokens, 'number');
  return params as CreateMessageParams;
}

function requireParams(method: string, params: unknown): { readonly [name: string]: unknown } {
  requireType(method, 'params', params, 'object');
  return params as { readonly [name: string]: unknown };
}

function requireType(method: string, place: string, value: unknown, type: string): void {
  if (kindOf(value) === type) return;
  const what = `${place} must be of type ${type}, got ${kindOf(value)}`;
  throw new RpcError(ErrorCode.InvalidParams, `Invalid params for ${method}: ${what}`);
}
