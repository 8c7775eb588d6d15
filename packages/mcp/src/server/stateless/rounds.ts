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
import { type Asker, flawOfResponse, missingCapability } from '../asking.ts';
import { invalidParams } from '../invalid-params.ts';
import { digest, type StateSigner } from './state-signer.ts';

/** Thrown by a question that is not answered yet, to end a handler; the next round runs it again, with the answer. */
export class InputRequired extends Error {
  override readonly name = 'InputRequired';
}

/** Never filled. */
const NONE = new Map<never, never>();

interface SealedState {
  /** What the state was made for. */
  readonly request: string;
  readonly answers: InputResponses;
}

/**
 * The questions and answers of one request in the stateless era. The client gets the questions as a result and asks
 * again with the answers; the answers of earlier rounds travel in the sealed state.
 */
export class Rounds implements Asker {
  readonly #request: Request;
  readonly #principal: unknown;
  readonly #capabilities: ClientCapabilities;
  readonly #seal: StateSigner;
  readonly #given: ReadonlyMap<string, unknown>;
  // Most requests ask nothing, so these are made by the first question.
  #used: Map<string, unknown> = NONE;
  #missing: Map<string, InputRequest> = NONE;
  #checks: Promise<void>[] | undefined;

  private constructor(setting: RoundsSetting, given: ReadonlyMap<string, unknown>) {
    this.#request = setting.request;
    this.#principal = setting.principal;
    this.#capabilities = setting.capabilities;
    this.#seal = setting.seal;
    this.#given = given;
  }

  /** A promise only when there is a state to open. */
  static begin(setting: RoundsSetting): Rounds | Promise<Rounds> {
    const { inputResponses, requestState } = (setting.request.params ?? {}) as { [name: string]: unknown };
    const answers = readAnswers(inputResponses);
    if (requestState === undefined || requestState === null) return new Rounds(setting, answers);
    return openState(setting, requestState).then(
      (earlier) => new Rounds(setting, new Map([...Object.entries(earlier), ...answers])),
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
      const missing = missingCapability(request, this.#capabilities);
      if (missing !== undefined) throw capabilityMissing(missing);
    }
    const answered = asked.filter(([key]) => this.#given.has(key));
    for (const [key, request] of asked) if (!this.#given.has(key)) this.#missing.set(key, request);
    const checks = answered.map(([key, request]) => this.#check(key, request));
    this.#checks.push(...checks);
    await Promise.all(checks);
    if (answered.length < asked.length) throw new InputRequired('The client has to answer first');
    return Object.fromEntries(answered.map(([key]) => [key, this.#given.get(key)]));
  }

  /** The result that puts what is unanswered to the client. Throws RpcError when something is answered wrongly. */
  async unanswered(): Promise<InputRequiredResult> {
    // A handler that asks several things at once ends with the first that is missing, before the others are checked.
    await Promise.all(this.#checks ?? []);
    const state: SealedState = {
      request: await identify(this.#request, this.#principal),
      answers: Object.fromEntries(this.#used),
    };
    return {
      resultType: 'input_required',
      inputRequests: Object.fromEntries(this.#missing),
      requestState: await this.#seal.seal(state),
    };
  }

  get hasUnanswered(): boolean {
    return this.#missing.size > 0;
  }

  async #check(key: string, request: InputRequest): Promise<void> {
    const answer = this.#given.get(key);
    const flaw = await flawOfResponse(request, answer);
    if (flaw !== undefined) throw new RpcError(ErrorCode.InvalidParams, `Invalid inputResponses.${key}: ${flaw}`);
    this.#used.set(key, answer);
  }
}

export interface RoundsSetting {
  readonly request: Request;
  /** Who asks, as far as the transport knows: a state is of no use to others. */
  readonly principal: unknown;
  readonly capabilities: ClientCapabilities;
  readonly seal: StateSigner;
}

export function capabilityMissing(requiredCapabilities: ClientCapabilities): RpcError {
  const names = Object.keys(requiredCapabilities).join(', ');
  const message = `Missing client capability: this needs ${names}`;
  return new RpcError(StatelessErrorCode.MissingClientCapability, message, { requiredCapabilities });
}

function readAnswers(inputResponses: unknown): ReadonlyMap<string, unknown> {
  if (inputResponses === undefined || inputResponses === null) return NONE;
  if (typeof inputResponses !== 'object' || Array.isArray(inputResponses)) {
    throw new RpcError(ErrorCode.InvalidParams, 'Invalid inputResponses: expected an object');
  }
  return new Map(Object.entries(inputResponses));
}

async function openState({ request, principal, seal }: RoundsSetting, sealed: unknown): Promise<InputResponses> {
  const state = (typeof sealed === 'string' ? await seal.open(sealed) : undefined) as SealedState | undefined;
  if (state === undefined || state.request !== (await identify(request, principal))) {
    throw invalidParams(
      request.method,
      'requestState is unknown here, was changed, or has expired; call again without it',
    );
  }
  return state.answers;
}

/** What makes a request the same one in its next round: all but the answers and the meta data. */
function identify({ method, params }: Request, principal: unknown): Promise<string> {
  const {
    inputResponses: _answers,
    requestState: _state,
    _meta,
    ...rest
  } = (params ?? {}) as { [name: string]: unknown };
  return digest([method, rest, principal ?? null]);
}
