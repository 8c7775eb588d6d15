import { ErrorCode, RpcError } from '../../jsonrpc/errors.ts';
import type { Request } from '../../jsonrpc/message.ts';
import {
  type InputRequest,
  type InputRequests,
  type InputRequiredResult,
  type InputResponses,
  StatelessErrorCode,
} from '../../protocol/stateless.ts';
import type { ClientCapabilities } from '../../protocol/types.ts';
import { type Asker, missingCapability, problemOfResponse } from '../asking.ts';
import { invalidParams } from '../invalid-params.ts';
import { digest, type StateSigner } from './state-signer.ts';

/** Thrown by a question without a response, to end the handler. The next round runs the handler again, with the response. */
export class InputRequired extends Error {
  override readonly name = 'InputRequired';
}

export const ROUND_LIMITS = {
  /** Responses in one request. */
  maxResponses: 1000,
  /** The length of the responses, as JSON, that the client carries from round to round. */
  maxStateBytes: 1024 * 1024,
} as const;

/** Stays empty. */
const NONE = new Map<never, never>();

interface SignedState {
  /** A digest of the request that the state belongs to. */
  readonly request: string;
  readonly responses: InputResponses;
}

/**
 * The questions and responses of one stateless request. The client gets the questions as a result and repeats the request
 * with the responses. The responses of earlier rounds are in the signed state that it sends back.
 */
export class Rounds implements Asker {
  readonly #setting: RoundsSetting;
  readonly #given: ReadonlyMap<string, unknown>;
  // The first question makes these.
  #used: Map<string, unknown> = NONE;
  #missing: Map<string, InputRequest> = NONE;
  #checks: Promise<void>[] | undefined;

  constructor(setting: RoundsSetting, given: ReadonlyMap<string, unknown> = NONE) {
    this.#setting = setting;
    this.#given = given;
  }

  /** Returns a promise only if there is a state to verify. Throws, or rejects with, RpcError. */
  static begin(setting: RoundsSetting): Rounds | Promise<Rounds> {
    const { inputResponses, requestState } = (setting.request.params ?? {}) as { [name: string]: unknown };
    const responses = readResponses(inputResponses);
    if (requestState === undefined || requestState === null) return new Rounds(setting, responses);
    return openState(setting, requestState).then(
      (earlier) => new Rounds(setting, new Map([...Object.entries(earlier), ...responses])),
    );
  }

  async ask(requests: InputRequests): Promise<InputResponses> {
    if (this.#checks === undefined) {
      this.#used = new Map();
      this.#missing = new Map();
      this.#checks = [];
    }
    const asked = Object.entries(requests);
    for (const [, request] of asked) {
      const missing = missingCapability(request, this.#setting.capabilities);
      if (missing !== undefined) throw capabilityMissing(missing);
    }
    const given = asked.filter(([key]) => this.#given.has(key));
    for (const [key, request] of asked) if (!this.#given.has(key)) this.#missing.set(key, request);
    const checks = given.map(([key, request]) => this.#check(key, request));
    this.#checks.push(...checks);
    await Promise.all(checks);
    if (given.length < asked.length) throw new InputRequired('The client has to respond first');
    return Object.fromEntries(given.map(([key]) => [key, this.#given.get(key)]));
  }

  /** The result that asks the client for the missing responses. Rejects with RpcError if a response is invalid. */
  async inputRequired(): Promise<InputRequiredResult> {
    // A handler that asks several questions at once ends at the first missing response, before the others are checked.
    await Promise.all(this.#checks ?? []);
    const chars = JSON.stringify([...this.#used.values()]).length;
    if (chars > ROUND_LIMITS.maxStateBytes) {
      const message = `Invalid inputResponses: the responses have ${chars} characters; at most ${ROUND_LIMITS.maxStateBytes} are accepted`;
      throw new RpcError(ErrorCode.InvalidParams, message);
    }
    const { request, principal, signer } = this.#setting;
    const state: SignedState = {
      request: await identify(request, principal),
      responses: Object.fromEntries(this.#used),
    };
    return {
      resultType: 'input_required',
      inputRequests: Object.fromEntries(this.#missing),
      requestState: await signer.sign(state),
    };
  }

  get hasOpenQuestions(): boolean {
    return this.#missing.size > 0;
  }

  async #check(key: string, request: InputRequest): Promise<void> {
    const response = this.#given.get(key);
    const problem = await problemOfResponse(request, response);
    if (problem !== undefined) throw new RpcError(ErrorCode.InvalidParams, `Invalid inputResponses.${key}: ${problem}`);
    this.#used.set(key, response);
  }
}

export interface RoundsSetting {
  readonly request: Request;
  /** The id of the principal; a state is valid for it only. */
  readonly principal: string | undefined;
  readonly capabilities: ClientCapabilities;
  readonly signer: StateSigner;
}

export function capabilityMissing(requiredCapabilities: ClientCapabilities): RpcError {
  const names = Object.keys(requiredCapabilities).join(', ');
  const message = `Missing client capability: this needs ${names}`;
  return new RpcError(StatelessErrorCode.MissingClientCapability, message, { requiredCapabilities });
}

function readResponses(inputResponses: unknown): ReadonlyMap<string, unknown> {
  if (inputResponses === undefined || inputResponses === null) return NONE;
  if (typeof inputResponses !== 'object' || Array.isArray(inputResponses)) {
    throw new RpcError(ErrorCode.InvalidParams, 'Invalid inputResponses: expected an object');
  }
  const responses = Object.entries(inputResponses);
  if (responses.length > ROUND_LIMITS.maxResponses) {
    const message = `Invalid inputResponses: ${responses.length} responses; at most ${ROUND_LIMITS.maxResponses} are accepted`;
    throw new RpcError(ErrorCode.InvalidParams, message);
  }
  return new Map(responses);
}

async function openState({ request, principal, signer }: RoundsSetting, signed: unknown): Promise<InputResponses> {
  const state = (typeof signed === 'string' ? await signer.verify(signed) : undefined) as SignedState | undefined;
  if (state === undefined || state.request !== (await identify(request, principal))) {
    throw invalidParams(
      request.method,
      'requestState is unknown here, was changed, or has expired; call again without it',
    );
  }
  return state.responses;
}

/** A digest that stays the same from round to round: it leaves out the responses and `_meta`. */
function identify({ method, params }: Request, principal: string | undefined): Promise<string> {
  const {
    inputResponses: _responses,
    requestState: _state,
    _meta,
    ...rest
  } = (params ?? {}) as { [name: string]: unknown };
  return digest([method, rest, principal ?? null]);
}
