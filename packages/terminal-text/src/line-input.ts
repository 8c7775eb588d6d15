import { createInterface, type Interface } from 'node:readline';

export interface LineInputOptions {
  readonly input: NodeJS.ReadableStream;
  /** Undefined if the input is not a terminal: then nothing is echoed. */
  readonly output: NodeJS.WritableStream | undefined;
  /** In the form of `readline`. */
  readonly complete?: (line: string) => [matches: string[], word: string];
  /** The newest first. */
  readonly history?: readonly string[];
  /** Ctrl-C at a question. Without this it is a signal as always. */
  readonly interrupted?: () => void;
}

/** Lines that the user types, or that are piped to this process. Close it to give the input back. */
export class LineInput {
  readonly #lines: Interface;
  readonly #queue: string[] = [];
  readonly #isTerminal: boolean;
  #history: readonly string[];
  #isClosed = false;
  #take: ((line: string | undefined) => void) | undefined;

  constructor({ input, output, complete, history = [], interrupted }: LineInputOptions) {
    this.#isTerminal = output !== undefined;
    this.#history = history;
    this.#lines = createInterface({
      input,
      ...(output && { output, terminal: true }),
      ...(complete && { completer: complete }),
      history: [...history],
      historySize: 1000,
      removeHistoryDuplicates: true,
    });
    this.#lines.on('history', (lines: string[]) => {
      this.#history = lines;
    });
    this.#lines.on('SIGINT', () => (interrupted ? interrupted() : process.kill(process.pid, 'SIGINT')));
    this.#lines.on('line', (line) => {
      if (this.#take === undefined) this.#queue.push(line);
      else this.#take(line);
    });
    this.#lines.once('close', () => {
      this.#isClosed = true;
      this.#take?.(undefined);
    });
  }

  /** The newest first. */
  get history(): readonly string[] {
    return this.#history;
  }

  /** What the user has typed of the line so far. */
  get typed(): string {
    return this.#lines.line;
  }

  /**
   * The next line. Undefined if the user ends the input with Ctrl-D, the terminal goes away or the signal aborts. The
   * question must not contain control characters. One question at a time.
   */
  ask(question: string, signal?: AbortSignal): Promise<string | undefined> {
    const line = this.#queue.shift();
    if (line !== undefined || this.#isClosed || signal?.aborted) return Promise.resolve(line);
    return new Promise((resolve) => {
      const settle = (answer: string | undefined) => {
        this.#take = undefined;
        signal?.removeEventListener('abort', aborted);
        resolve(answer);
      };
      const aborted = () => settle(undefined);
      this.#take = settle;
      signal?.addEventListener('abort', aborted, { once: true });
      if (!this.#isTerminal) return;
      this.#lines.setPrompt(question);
      this.#lines.prompt();
    });
  }

  /** Forgets what is typed and asks again. */
  clearLine(): void {
    this.#lines.write('', { ctrl: true, name: 'e' });
    this.#lines.write('', { ctrl: true, name: 'u' });
    this.#lines.prompt();
  }

  /** Shows the question again after other output. */
  redraw(): void {
    if (this.#isTerminal && this.#take !== undefined) this.#lines.prompt(true);
  }

  close(): void {
    this.#lines.close();
  }
}

/** Asks one question. */
export async function askLine(
  question: string,
  { input, output }: { readonly input: NodeJS.ReadableStream; readonly output: NodeJS.WritableStream },
  signal?: AbortSignal,
): Promise<string | undefined> {
  const lines = new LineInput({ input, output });
  try {
    const answer = await lines.ask(question, signal);
    if (answer === undefined) output.write('\n');
    return answer;
  } finally {
    lines.close();
  }
}
