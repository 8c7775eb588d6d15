/** Questions that several callers ask at once: each gets the one answer. */
export class SharedCalls<Answer> {
  readonly #open = new Map<string, SharedCall<Answer>>();

  /** Aborting the signals of all who wait withdraws the question. */
  async wait(key: string, signal: AbortSignal, ask: (signal: AbortSignal) => Promise<Answer>): Promise<Answer> {
    signal.throwIfAborted();
    const open = this.#open.get(key) ?? this.#ask(key, ask);
    open.waiting += 1;
    const leave = () => {
      open.waiting -= 1;
      if (open.waiting === 0) open.question.abort();
    };
    signal.addEventListener('abort', leave, { once: true });
    try {
      return await open.answer;
    } finally {
      signal.removeEventListener('abort', leave);
    }
  }

  #ask(key: string, ask: (signal: AbortSignal) => Promise<Answer>): SharedCall<Answer> {
    const question = new AbortController();
    const open = { question, waiting: 0, answer: ask(question.signal).finally(() => this.#open.delete(key)) };
    this.#open.set(key, open);
    return open;
  }
}

interface SharedCall<Answer> {
  readonly question: AbortController;
  readonly answer: Promise<Answer>;
  waiting: number;
}
