/** An agent whose hook times out sooner is asked to repeat the call. */
export interface Slice {
  readonly waitMs: number;
  /** How long the question stays open for that call. */
  readonly keepMs: number;
}

/** Questions that several callers ask, at once or one after the other: each gets the one answer. */
export class SharedCalls<Answer> {
  readonly #open = new Map<string, OpenCall<Answer>>();

  /**
   * Resolves to undefined if there is no answer within the slice; the question then stays open. Aborting the signals of all
   * who wait withdraws it.
   */
  async wait(
    key: string,
    signal: AbortSignal,
    ask: (signal: AbortSignal) => Promise<Answer>,
    slice?: Slice,
  ): Promise<Answer | undefined> {
    signal.throwIfAborted();
    const open = this.#open.get(key) ?? opened(ask);
    this.#open.set(key, open);
    clearTimeout(open.forgetting);
    open.waiting += 1;
    const forget = () => {
      if (this.#open.get(key) === open) this.#open.delete(key);
    };
    const withdraw = () => {
      forget();
      open.question.abort();
    };
    const leave = () => {
      open.waiting -= 1;
      if (open.waiting === 0) withdraw();
    };
    signal.addEventListener('abort', leave, { once: true });
    let timer: NodeJS.Timeout | undefined;
    const late = new Promise<undefined>((resolve) => {
      if (slice !== undefined) timer = setTimeout(() => resolve(undefined), slice.waitMs);
    });
    try {
      const answer = await Promise.race([open.answer, late]);
      if (answer !== undefined) forget();
      else if (!signal.aborted) {
        open.waiting -= 1;
        if (open.waiting === 0) open.forgetting = setTimeout(withdraw, slice?.keepMs).unref();
      }
      return answer;
    } catch (error) {
      forget();
      throw error;
    } finally {
      clearTimeout(timer);
      signal.removeEventListener('abort', leave);
    }
  }
}

interface OpenCall<Answer> {
  readonly question: AbortController;
  readonly answer: Promise<Answer>;
  waiting: number;
  forgetting?: NodeJS.Timeout;
}

function opened<Answer>(ask: (signal: AbortSignal) => Promise<Answer>): OpenCall<Answer> {
  const question = new AbortController();
  const answer = ask(question.signal);
  // It may fail while no call waits for it; the next one learns it.
  answer.catch(() => undefined);
  return { question, answer, waiting: 0 };
}
