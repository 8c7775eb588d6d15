import { ErrorCode, InvalidResponse, RpcError } from '../../jsonrpc/errors.ts';
import type { Params } from '../../jsonrpc/message.ts';
import { untilAborted } from '../../jsonrpc/waiting.ts';
import type { CallOptions } from '../../protocol/conversation.ts';
import { clip } from '../../protocol/schema/problem.ts';
import { encodeHeaderValue, type InputRequest, type InputResponses, NAMED_BY } from '../../protocol/stateless.ts';
import { CallLimit } from '../call-limit.ts';
import { type JsonObject, ResponseCheck } from '../response-check.ts';
import type { CallingSession } from './stateless-session.ts';
import { followTask } from './task.ts';

export const CALL_LIMITS = {
  maxRounds: 10,
  /** Questions in one response. */
  maxQuestions: 100,
} as const;

/** Calls to a stateless server: a response can hold questions, or a task that is polled for the result. */
export class StatelessCalls {
  readonly #session: CallingSession;
  readonly #meta: () => { readonly [key: string]: unknown };
  readonly #running = new Set<CallLimit>();

  /** `meta` is what every request says about the client. */
  constructor(session: CallingSession, meta: () => { readonly [key: string]: unknown }) {
    this.#session = session;
    this.#meta = meta;
  }

  /** Settles with the final result, after as many requests as it takes. */
  async request(method: string, params: Params | undefined, options: CallOptions): Promise<unknown> {
    const since = performance.now();
    const first = await this.#send(method, params, options);
    if (isComplete(first)) return first;
    const limit = new CallLimit(method, options, since);
    this.#running.add(limit);
    try {
      return await this.#continue(method, params, options, limit, first);
    } finally {
      this.#running.delete(limit);
      limit.release();
    }
  }

  /** The parameters with what every request says about the client. */
  withMeta(params: Params | undefined): Params {
    if (Array.isArray(params)) throw new TypeError('A stateless server needs parameters by name; use an object');
    const { _meta } = (params ?? {}) as { _meta?: object };
    return { ...params, _meta: { ...this.#meta(), ..._meta } };
  }

  /** Ends the calls that need more than one request. */
  close(reason: Error): void {
    for (const limit of this.#running) limit.abort(reason);
  }

  #send(method: string, params: Params | undefined, options: CallOptions): Promise<unknown> {
    const member = NAMED_BY.get(method);
    const name = member === undefined ? undefined : (params as { [member: string]: unknown } | undefined)?.[member];
    if (typeof name !== 'string') return this.#session.conversation.request(method, this.withMeta(params), options);
    const headers = { 'Mcp-Name': encodeHeaderValue(name), ...options.headers };
    return this.#session.conversation.request(method, this.withMeta(params), { ...options, headers });
  }

  async #continue(
    method: string,
    params: Params | undefined,
    options: CallOptions,
    limit: CallLimit,
    first: unknown,
  ): Promise<unknown> {
    const check = new ResponseCheck(method);
    let result = first;
    for (let round = 1; !isComplete(result); round += 1) {
      const response = check.object(result);
      const resultType = check.string(response.resultType, 'resultType');
      if (resultType === 'task' && method === 'tools/call') return this.#followTask(response, options, limit);
      if (resultType !== 'input_required') {
        const type = clip(JSON.stringify(resultType), 80);
        throw new InvalidResponse(`The server responded to ${method} with a result of the unknown type ${type}`);
      }
      if (round > CALL_LIMITS.maxRounds) {
        throw new InvalidResponse(`The server still asks for input after ${CALL_LIMITS.maxRounds} rounds of ${method}`);
      }
      const { inputRequests, requestState } = response;
      const again: { [name: string]: unknown } = { ...params };
      if (inputRequests !== undefined)
        again.inputResponses = await this.#respondToAll(inputRequests, check, limit.signal);
      if (requestState !== undefined) again.requestState = check.string(requestState, 'requestState');
      limit.throwIfExpired();
      result = await this.#send(method, again, limit.options(options));
    }
    return result;
  }

  #followTask(created: JsonObject, options: CallOptions, limit: CallLimit): Promise<unknown> {
    const { timeout } = options;
    const ask = (method: string, params: object) =>
      // The request that cancels the task is sent although the call has ended.
      this.#send(method, { ...params }, method === 'tasks/cancel' ? { timeout } : limit.options({ timeout }));
    const respondToAll = (requests: JsonObject) =>
      this.#respondToAll(requests, new ResponseCheck('tasks/get'), limit.signal);
    return followTask(created, ask, respondToAll, limit.signal);
  }

  async #respondToAll(requests: unknown, check: ResponseCheck, signal: AbortSignal): Promise<InputResponses> {
    signal.throwIfAborted();
    const entries = Object.entries(check.object(requests, 'inputRequests'));
    if (entries.length > CALL_LIMITS.maxQuestions)
      throw new InvalidResponse(`The server asks more than ${CALL_LIMITS.maxQuestions} questions at once`);
    for (const [key, request] of entries) {
      const place = `inputRequests.${clip(key, 40)}`;
      const { method, params } = check.object(request, place);
      check.string(method, `${place}.method`);
      if (params !== undefined && params !== null) check.object(params, `${place}.params`);
    }
    // The shape was checked above; each handler checks its parameters.
    const respond = async ([key, request]: [string, unknown]) => [
      key,
      await this.#respond(request as InputRequest, key, signal),
    ];
    return Object.fromEntries(await untilAborted(Promise.all(entries.map(respond)), signal));
  }

  async #respond(request: InputRequest, key: string, signal: AbortSignal): Promise<unknown> {
    try {
      return await this.#session.respondToInput(request, key, signal);
    } catch (error) {
      // Not an error that the server sent, so the caller must not get it as one.
      if (!(error instanceof RpcError)) throw error;
      const isUnknown = error.code === ErrorCode.MethodNotFound;
      const why = isUnknown ? 'which this client did not offer' : `which failed: ${error.message}`;
      throw new InvalidResponse(`The server asks for ${clip(request.method, 80)}, ${why}`, { cause: error });
    }
  }
}

function isComplete(result: unknown): boolean {
  const { resultType } = (result ?? {}) as { resultType?: unknown };
  return resultType === undefined || resultType === 'complete';
}
