import {
  ErrorCode as EditorErrorCode,
  InvalidValue,
  type MessageSpec,
  messages,
  type NotificationFrom,
  type ParamsOf,
  type RequestFrom,
  type ResultOf,
} from '@hawser/editor-protocol';
import {
  type Connection,
  DEFAULT_LIMITS,
  ErrorCode,
  type Notification,
  Peer,
  type Request,
  RequestTimeout,
  RpcError,
} from '@hawser/mcp';
import { messageOf } from '@hawser/unknown-values/thrown';
import { REQUEST_LIMITS } from '../editor-limits.ts';

type RequestToBridge = RequestFrom<'editor'>;
type NotificationToBridge = Exclude<NotificationFrom<'editor'>, '$/cancelRequest'>;
type RequestToEditor = RequestFrom<'bridge'>;

/** What the bridge does with what an editor sends. */
export type EditorHandlers = {
  readonly [M in RequestToBridge]: (params: ParamsOf<M>) => Promise<ResultOf<M>> | ResultOf<M>;
} & {
  readonly [M in NotificationToBridge]: (params: ParamsOf<M>) => void;
};

export interface EditorLinkOptions {
  readonly connection: Connection;
  readonly handlers: EditorHandlers;
  /** Receives problems that no caller waits for. */
  readonly onProblem: (problem: Error) => void;
  /** The connection has ended. Called once. */
  readonly onEnd: (reason: Error) => void;
  /** Default `ANSWER_MS`. */
  readonly answerMs?: number | undefined;
}

export interface LinkRequestOptions {
  /** Ends the wait and cancels the request. Without one, the wait ends after `timeoutMs`. */
  readonly signal?: AbortSignal | undefined;
  readonly timeoutMs?: number | undefined;
}

/** How long an editor may take to answer. */
const ANSWER_MS = 10_000;
/** The same for one that has not answered before and has sent nothing since: agents don't wait for it again and again. */
const SILENT_MS = 1000;
/** Requests to the editor that may be unanswered at once. */
const MAX_UNANSWERED = 64;

/** The conversation with one editor, in the messages of the protocol, over any framing. */
export class EditorLink {
  /** What users call the editor. */
  name = 'The editor';
  readonly #peer: Peer;
  readonly #handlers: EditorHandlers;
  readonly #onProblem: (problem: Error) => void;
  readonly #answerMs: number;
  #isInitialized = false;
  #unanswered = 0;
  #isSilent = false;
  #hasEnded = false;

  constructor({ connection, handlers, onProblem, onEnd, answerMs = ANSWER_MS }: EditorLinkOptions) {
    this.#handlers = handlers;
    this.#onProblem = onProblem;
    this.#answerMs = answerMs;
    this.#peer = new Peer(
      connection,
      {
        respond: (request) => this.#answer(request),
        receive: (notification) => this.#receive(notification),
        abandoned: (id) => this.#peer.notify('$/cancelRequest', { id }),
        errorWithoutId: ({ message }) => onProblem(new Error(`${this.name} could not read a message: ${message}`)),
        failed: onProblem,
        batchRefusal: () => 'Invalid request: there are no batches in this protocol',
        closed: (reason) => {
          this.#hasEnded = true;
          onEnd(reason);
        },
      },
      { ...DEFAULT_LIMITS, ...REQUEST_LIMITS },
    );
  }

  get hasEnded(): boolean {
    return this.#hasEnded;
  }

  start(): void {
    this.#peer.start();
  }

  /** Rejects with an Error for users: the editor's own, or that it has not answered. */
  async request<M extends RequestToEditor>(
    method: M,
    params: ParamsOf<M>,
    { signal, timeoutMs = this.#answerMs }: LinkRequestOptions = {},
  ): Promise<ResultOf<M>> {
    if (this.#unanswered >= MAX_UNANSWERED) {
      throw new Error(`${this.name} has ${MAX_UNANSWERED} unanswered requests already; try again later`);
    }
    const timeout = signal === undefined ? (this.#isSilent ? Math.min(SILENT_MS, timeoutMs) : timeoutMs) : 0;
    const deadline = timeout === 0 ? {} : { deadline: Date.now() + timeout };
    this.#unanswered += 1;
    try {
      const answer = await this.#peer.request(method, { ...(params as object), ...deadline }, { signal, timeout });
      this.#isSilent = false;
      const { result } = messages[method] as { readonly result: { read(value: unknown, at: string): ResultOf<M> } };
      return result.read(answer, 'result');
    } catch (error) {
      throw this.#explain(method, error);
    } finally {
      this.#unanswered -= 1;
    }
  }

  notify<M extends NotificationFrom<'bridge'>>(method: M, params: ParamsOf<M>): void {
    if (!this.#hasEnded) this.#peer.notify(method, { ...(params as object) });
  }

  close(reason: string): Promise<void> {
    return this.#peer.close(reason);
  }

  #explain(method: string, error: unknown): unknown {
    if (error instanceof RequestTimeout) {
      this.#isSilent = true;
      return new Error(`${this.name} did not answer ${method} in time. It may be busy or wait for its user.`);
    }
    if (error instanceof RpcError) return new Error(error.message, { cause: error });
    if (error instanceof InvalidValue) {
      return new Error(`${this.name} answered ${method} with something else than the protocol says: ${error.message}`);
    }
    return error;
  }

  #answer({ method, params }: Request): unknown {
    this.#isSilent = false;
    const isKnown = Object.hasOwn(messages, method) && Object.hasOwn(this.#handlers, method);
    if (!isKnown) throw new RpcError(ErrorCode.MethodNotFound, `Method not found: ${method}`);
    if (method === 'initialize') this.#isInitialized = true;
    else if (!this.#isInitialized) {
      throw new RpcError(EditorErrorCode.notInitialized, `${method} came before initialize`);
    }
    const spec: MessageSpec = messages[method as RequestToBridge];
    if (spec.result === undefined) throw new RpcError(ErrorCode.InvalidRequest, `${method} is a notification`);
    const answer = (this.#handlers[method as RequestToBridge] as (params: unknown) => unknown)(
      this.#read(spec, params),
    );
    return answer === undefined ? null : answer;
  }

  #receive({ method, params }: Notification): void {
    this.#isSilent = false;
    const isKnown = Object.hasOwn(messages, method) && Object.hasOwn(this.#handlers, method);
    if (!isKnown || !this.#isInitialized) return;
    const spec: MessageSpec = messages[method as NotificationToBridge];
    if (spec.result !== undefined) return;
    try {
      (this.#handlers[method as NotificationToBridge] as (params: unknown) => void)(this.#read(spec, params));
    } catch (error) {
      this.#onProblem(new Error(`${this.name} sent a bad ${method}: ${messageOf(error)}`, { cause: error }));
    }
  }

  #read({ params }: MessageSpec, value: unknown): unknown {
    try {
      return params.read(value, 'params');
    } catch (error) {
      if (error instanceof InvalidValue)
        throw new RpcError(ErrorCode.InvalidParams, `Invalid params: ${error.message}`);
      throw error;
    }
  }
}
