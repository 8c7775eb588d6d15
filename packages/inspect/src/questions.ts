import {
  type CreateMessageParams,
  type CreateMessageResult,
  type ElicitParams,
  type ElicitResult,
  RpcError,
} from '@hawser/mcp';
import type { Question, QuestionAnswer } from './calls.ts';

type Asked = { readonly kind: 'elicitation'; readonly params: ElicitParams } | SamplingAsked;
type SamplingAsked = { readonly kind: 'sampling'; readonly params: CreateMessageParams };

export interface QuestionEvents {
  added(question: Question): void;
  removed(id: string): void;
}

interface Waiting {
  readonly question: Question;
  answer(answer: QuestionAnswer['answer']): void;
}

/** More are refused: a server can ask without end. */
const MAX_WAITING = 20;
/** As the specification has it. */
const REFUSED = -1;

/** Questions of the server that wait for the user. Each is answered once, or withdrawn by the server. */
export class Questions {
  readonly #events: QuestionEvents;
  readonly #waiting = new Map<string, Waiting>();
  #count = 0;

  constructor(events: QuestionEvents) {
    this.#events = events;
  }

  get open(): readonly Question[] {
    return [...this.#waiting.values()].map(({ question }) => question);
  }

  elicit(params: ElicitParams, signal: AbortSignal): Promise<ElicitResult> {
    return this.#ask({ kind: 'elicitation', params }, signal, (answer) =>
      answer.kind === 'elicitation' ? answer.result : undefined,
    );
  }

  /** Rejects with an RpcError if the user refuses. */
  createMessage(params: CreateMessageParams, signal: AbortSignal): Promise<CreateMessageResult> {
    return this.#ask({ kind: 'sampling', params }, signal, (answer) => {
      if (answer.kind === 'refused') throw new RpcError(REFUSED, 'User rejected sampling request');
      return answer.kind === 'sampling' ? answer.result : undefined;
    });
  }

  /** Throws an Error that says why this can't be answered. */
  answer({ id, answer }: QuestionAnswer): void {
    const waiting = this.#waiting.get(id);
    if (waiting === undefined) throw new Error('The server no longer waits for this answer.');
    waiting.answer(answer);
  }

  /** `read` returns undefined for an answer of another kind, and may throw what the server gets. */
  #ask<Result>(
    asked: Asked,
    signal: AbortSignal,
    read: (answer: QuestionAnswer['answer']) => Result | undefined,
  ): Promise<Result> {
    if (this.#waiting.size >= MAX_WAITING) {
      throw new RpcError(-32_000, `Too many questions at once: ${MAX_WAITING} wait for the user`);
    }
    this.#count += 1;
    const id = String(this.#count);
    const question: Question = { id, ...asked };
    return new Promise<Result>((resolve, reject) => {
      const end = () => {
        signal.removeEventListener('abort', withdraw);
        this.#waiting.delete(id);
        this.#events.removed(id);
      };
      const withdraw = () => {
        end();
        reject(signal.reason);
      };
      const answer = (given: QuestionAnswer['answer']) => {
        let result: Result | undefined;
        try {
          result = read(given);
        } catch (error) {
          end();
          return reject(error);
        }
        if (result === undefined) throw new Error(`This is not an answer to a question of kind ${asked.kind}.`);
        end();
        resolve(result);
      };
      if (signal.aborted) return reject(signal.reason);
      signal.addEventListener('abort', withdraw, { once: true });
      this.#waiting.set(id, { question, answer });
      this.#events.added(question);
    });
  }
}
