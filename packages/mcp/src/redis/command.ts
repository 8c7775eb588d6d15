import { codeOf } from './failure.ts';
import type { Script } from './script.ts';

export interface CommandOptions {
  /** Commands about the same key take effect in order. */
  readonly key: string;
  readonly script?: Script | undefined;
  /** The keys and arguments of the script; without one, the whole command. */
  readonly args: readonly string[];
  /** Marks a command that must take effect once, with its place among these arguments. */
  readonly number?: { readonly value: number; readonly index: number } | undefined;
  readonly deadline: number;
}

/** A command, until it gets a response or is given up. */
export class Command {
  readonly options: CommandOptions;
  readonly outcome: Promise<unknown>;
  /** Why it has to be sent again. */
  failure: unknown;
  isPending = false;
  isSettled = false;
  isGivenUp = false;
  #resolve: (reply: unknown) => void = () => {};
  #reject: (error: Error) => void = () => {};

  constructor(options: CommandOptions) {
    this.options = options;
    this.outcome = new Promise((resolve, reject) => {
      this.#resolve = resolve;
      this.#reject = reject;
    });
  }

  get number(): number | undefined {
    return this.options.number?.value;
  }

  /** What is sent; `previous` is the number of the command that must have taken effect before, or 0. */
  args(previous: number): readonly string[] {
    const { script, number, args } = this.options;
    const numbers = number === undefined ? [] : [String(number.value), String(previous)];
    const index = number?.index ?? 0;
    const all = number === undefined ? args : [...args.slice(0, index), ...numbers, ...args.slice(index)];
    if (script === undefined) return all;
    const isKnown = script.sha !== undefined && codeOf(this.failure) !== 'NOSCRIPT';
    return isKnown ? ['EVALSHA', script.sha as string, ...all] : ['EVAL', script.text, ...all];
  }

  resolve(reply: unknown): void {
    this.isSettled = true;
    this.#resolve(reply);
  }

  reject(error: Error): void {
    this.isSettled = true;
    this.#reject(error);
  }

  /** Rejects although the server may still respond. */
  giveUp(error: Error): void {
    this.isGivenUp = true;
    this.reject(error);
  }
}
