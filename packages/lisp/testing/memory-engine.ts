import type { Engine, Evaluator, Loss, Operation, Outcome, PerformOptions, StartOptions } from '../src/evaluator.ts';

/** Starts evaluators in this process that understand a few words, for tests of what is built on the contract. */
export class MemoryEngine implements Engine {
  readonly name = 'memory';
  readonly started: MemoryEvaluator[] = [];
  readonly starts: StartOptions[] = [];
  /** What `missing` returns. */
  absence: string | undefined;
  /** The next start waits for it, and fails with it. */
  nextStart: Promise<void> = Promise.resolve();
  /** What the next operation of a kind does instead, in the words of an evaluator. */
  readonly instead = new Map<Operation['kind'], string>();
  readonly #begun = new Map<string, () => void>();

  missing(): string | undefined {
    return this.absence;
  }

  async start(options: StartOptions): Promise<MemoryEvaluator> {
    this.starts.push(options);
    const { nextStart } = this;
    this.nextStart = Promise.resolve();
    await nextStart;
    const evaluator = new MemoryEvaluator((word) => this.#begun.get(word)?.(), this.instead);
    this.started.push(evaluator);
    return evaluator;
  }

  /** Settles when an operation with this code begins. */
  begun(code: string): Promise<void> {
    return new Promise((resolve) => this.#begun.set(code, resolve));
  }
}

/**
 * `set X`, `get`, `echo X`, `print X`; `hang` (until it is interrupted), `stuck` (cannot be), `exit`, `error`.
 */
export class MemoryEvaluator implements Evaluator {
  readonly engine = 'Memory 1';
  readonly lost: Promise<Loss>;
  readonly performed: Operation[] = [];
  readonly timeouts: number[] = [];
  readonly #begun: (code: string) => void;
  readonly #instead: Map<Operation['kind'], string>;
  #lose: (loss: Loss) => void = () => {};
  #loss: Loss | undefined;
  #interrupt: (by: 'timeout' | 'request') => void = () => {};
  #whenLost: () => void = () => {};
  #kept = 'nothing';
  #open = false;

  constructor(begun: (code: string) => void, instead: Map<Operation['kind'], string>) {
    this.#begun = begun;
    this.#instead = instead;
    this.lost = new Promise((resolve) => {
      this.#lose = resolve;
    });
  }

  get closed(): boolean {
    return this.#loss !== undefined;
  }

  async perform(operation: Operation, options: PerformOptions): Promise<Outcome> {
    this.performed.push(operation);
    this.timeouts.push(options.timeout);
    if (options.signal?.aborted) throw options.signal.reason;
    if (this.#loss !== undefined) return outcome({ ok: false, lost: this.#loss });
    if (operation.kind === 'debug') {
      this.#open = operation.action.do === 'locals';
      return outcome({ values: [operation.action.do], debugging: this.#open });
    }
    const code = this.#instead.get(operation.kind) ?? (operation.kind === 'evaluate' ? operation.code : operation.kind);
    this.#instead.delete(operation.kind);
    const [word = '', rest = ''] = code.split(/ (.*)/s);
    this.#begun(code);
    switch (word) {
      case 'set':
        this.#kept = rest;
        return outcome({ values: [rest] });
      case 'get':
        return outcome({ values: [this.#kept] });
      case 'print':
        options.onOutput?.('stdout', rest);
        return outcome({ stdout: rest });
      case 'hang':
      case 'stuck':
        return this.#wait(word, options);
      case 'exit':
        this.end({ kind: 'exited', message: 'The code ended the Lisp.' });
        return outcome({ ok: false, lost: this.#loss });
      case 'error': {
        this.#open = operation.kind === 'evaluate' && operation.onError === 'break';
        const error = { type: 'OOPS', types: ['OOPS'], message: 'oops', phase: 'evaluate', restarts: [], frames: [] };
        return outcome({ ok: false, error: error as Outcome['error'], ...(this.#open && { debugging: true }) });
      }
      default:
        return outcome({ values: [rest] });
    }
  }

  interrupt(): void {
    this.#interrupt('request');
  }

  end(loss: Loss): void {
    if (this.#loss !== undefined) return;
    this.#loss = loss;
    this.#lose(loss);
    this.#whenLost();
  }

  async close(): Promise<void> {
    this.end({ kind: 'closed', message: 'It was closed.' });
  }

  #wait(word: 'hang' | 'stuck', { signal, timeout }: PerformOptions): Promise<Outcome> {
    return new Promise((resolve, reject) => {
      const timer = timeout === 0 ? undefined : setTimeout(() => this.#stop(word, 'timeout'), timeout);
      const done = () => {
        clearTimeout(timer);
        signal?.removeEventListener('abort', cancelled);
        this.#interrupt = () => {};
        this.#whenLost = () => {};
      };
      const cancelled = () => {
        done();
        if (word === 'stuck') this.end({ kind: 'timeout', message: 'It did not react to the interrupt.' });
        reject(signal?.reason);
      };
      signal?.addEventListener('abort', cancelled, { once: true });
      this.#interrupt = (by) => {
        if (word === 'stuck') return;
        done();
        resolve(outcome({ ok: false, interrupted: by }));
      };
      this.#whenLost = () => {
        done();
        resolve(outcome({ ok: false, lost: this.#loss }));
      };
    });
  }

  #stop(word: 'hang' | 'stuck', by: 'timeout'): void {
    if (word === 'stuck') this.end({ kind: 'timeout', message: 'It was killed after the timeout.' });
    else this.#interrupt(by);
  }
}

type Partly = { readonly [Key in keyof Outcome]?: Outcome[Key] | undefined };

function outcome(given: Partly): Outcome {
  const timing = { realMs: 0, runMs: 0 };
  const whole = { ok: true, package: 'MEMORY', values: [], stdout: '', stderr: '', warnings: [], timing, ...given };
  return whole as Outcome;
}
