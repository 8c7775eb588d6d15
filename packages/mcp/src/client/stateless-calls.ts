import type { Params } from '../jsonrpc/message.ts';
import type { CallOptions } from '../protocol/conversation.ts';
import { encodeHeaderValue } from '../protocol/header-value.ts';
import type { InputRequest, InputRequests, InputRequiredResult, InputResponses } from '../protocol/stateless.ts';
import { NAMED_BY } from '../protocol/stateless.ts';
import { CallLimit } from './call-limit.ts';
import { followTask } from './task.ts';

/** What calls of the stateless era need of their session. */
export interface StatelessHost {
  send(method: string, params: Params, options: CallOptions): Promise<unknown>;
  /** What every request says of the client. */
  meta(): { readonly [key: string]: unknown };
  /** Answers a question of the server with the client's own handlers. Throws when there is none for it. */
  answer(request: InputRequest, key: string, signal: AbortSignal): unknown;
}

const MAX_ROUNDS = 10;

/** Calls in which each request stands alone, and an answer may be a question or the promise of a later one. */
export class StatelessCalls {
  readonly #host: StatelessHost;
  readonly #underWay = new Set<CallLimit>();

  constructor(host: StatelessHost) {
    this.#host = host;
  }

  /** Settles with the final result, however many requests it takes. */
  async request(method: string, params: Params | undefined, options: CallOptions): Promise<unknown> {
    const since = performance.now();
    const first = await this.#send(method, params, options);
    if (isComplete(first)) return first;
    const limit = new CallLimit(method, options, since);
    this.#underWay.add(limit);
    try {
      return await this.#goOn(method, params, options, limit, first);
    } finally {
      this.#underWay.delete(limit);
      limit.release();
    }
  }

  /** The parameters as they go out. */
  withMeta(params: Params | undefined): Params {
    if (Array.isArray(params)) throw new TypeError('Parameters by position cannot say who asks; use an object');
    const { _meta } = (params ?? {}) as { _meta?: object };
    return { ...params, _meta: { ...this.#host.meta(), ..._meta } };
  }

  /** Gives up what takes more than one request. */
  close(reason: Error): void {
    for (const limit of this.#underWay) limit.abort(reason);
  }

  #send(method: string, params: Params | undefined, options: CallOptions): Promise<unknown> {
    const member = NAMED_BY.get(method);
    const name = member === undefined ? undefined : (params as { [member: string]: unknown } | undefined)?.[member];
    if (typeof name !== 'string') return this.#host.send(method, this.withMeta(params), options);
    const headers = { 'Mcp-Name': encodeHeaderValue(name), ...options.headers };
    return this.#host.send(method, this.withMeta(params), { ...options, headers });
  }

  async #goOn(
    method: string,
    params: Params | undefined,
    options: CallOptions,
    limit: CallLimit,
    first: unknown,
  ): Promise<unknown> {
    let result = first;
    for (let round = 1; !isComplete(result); round += 1) {
      const { resultType } = result as { resultType: unknown };
      if (resultType === 'task' && method === 'tools/call') return this.#followTask(result, options, limit);
      if (resultType !== 'input_required') {
        throw new Error(
          `The server answered ${method} with a result of the unknown type ${JSON.stringify(resultType)}`,
        );
      }
      if (round > MAX_ROUNDS)
        throw new Error(`The server still asks for input after ${MAX_ROUNDS} rounds of ${method}`);
      const { inputRequests, requestState } = result as InputRequiredResult;
      const again: { [name: string]: unknown } = { ...params };
      if (inputRequests !== undefined) again.inputResponses = await this.#answerAll(inputRequests, limit.signal);
      if (requestState !== undefined) again.requestState = requestState;
      limit.signal.throwIfAborted();
      result = await this.#send(method, again, limit.options(options));
    }
    return result;
  }

  #followTask(created: unknown, options: CallOptions, limit: CallLimit): Promise<unknown> {
    const { timeout } = options;
    const host = {
      ask: (method: string, params: object) =>
        // What cancels the task must go out although the call is over.
        this.#send(method, { ...params }, method === 'tasks/cancel' ? { timeout } : limit.options({ timeout })),
      answerAll: (requests: InputRequests) => this.#answerAll(requests, limit.signal),
    };
    return followTask(created, host, limit.signal);
  }

  async #answerAll(requests: InputRequests, signal: AbortSignal): Promise<InputResponses> {
    if (typeof requests !== 'object' || requests === null)
      throw new Error('The server asks for input in no known form');
    signal.throwIfAborted();
    const answer = async ([key, request]: [string, InputRequest]) => [
      key,
      await this.#host.answer(request, key, signal),
    ];
    const given = new Promise<never>((_, reject) => {
      signal.addEventListener('abort', () => reject(signal.reason), { once: true });
    });
    return Object.fromEntries(await Promise.race([Promise.all(Object.entries(requests).map(answer)), given]));
  }
}

function isComplete(result: unknown): boolean {
  const { resultType } = (result ?? {}) as { resultType?: unknown };
  return resultType === undefined || resultType === 'complete';
}
