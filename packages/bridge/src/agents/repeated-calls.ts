/** Questions that outlive the call that asked them: the same call, made again, gets the answer. */
export class RepeatedCalls<Answer> {
  readonly #open = new Map<string, OpenCall<Answer>>();

  /**
   * Resolves to undefined if there is no answer in time. The question then stays open until the same call is made again,
   * or is not for `keepMs`. Aborting the signal of a call that waits withdraws the question.
   */
  async wait(
    key: string,
    { waitMs, keepMs, signal }: { readonly waitMs: number; readonly keepMs: number; readonly signal: AbortSignal },
    ask: (signal: AbortSignal) => Promise<Answer>,
  ): Promise<Answer | undefined> {
    signal.throwIfAborted();
    const open = this.#open.get(key) ?? opened(ask);
    this.#open.set(key, open);
    clearTimeout(open.forgetting);
    const end = () => {
      if (this.#open.get(key) === open) this.#open.delete(key);
      open.question.abort();
    };
    signal.addEventListener('abort', end);
    let timer: NodeJS.Timeout | undefined;
    const late = new Promise<undefined>((resolve) => {
      timer = setTimeout(() => resolve(undefined), waitMs);
    });
    try {
      const answer = await Promise.race([open.answer, late]);
      if (answer === undefined) open.forgetting = setTimeout(end, keepMs).unref();
      else end();
      return answer;
    } catch (error) {
      end();
      throw error;
    } finally {
      clearTimeout(timer);
      signal.removeEventListener('abort', end);
    }
  }
}

interface OpenCall<Answer> {
  readonly question: AbortController;
  readonly answer: Promise<Answer>;
  forgetting?: NodeJS.Timeout;
}

function opened<Answer>(ask: (signal: AbortSignal) => Promise<Answer>): OpenCall<Answer> {
  const question = new AbortController();
  const answer = ask(question.signal);
  // It may fail while no call waits for it; the next one learns it.
  answer.catch(() => undefined);
  return { question, answer };
}
