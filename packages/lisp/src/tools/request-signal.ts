import type { RequestContext } from '@hawser/mcp';
import type { CancelSignal } from '../evaluator.ts';

/** Aborts when the request is cancelled. Making an AbortSignal would take a third of a short call. */
export class RequestSignal implements CancelSignal {
  aborted = false;
  reason: unknown;
  #listeners: (() => void)[] = [];

  constructor({ onCancelled }: RequestContext) {
    onCancelled((reason) => {
      this.aborted = true;
      this.reason = reason;
      for (const listener of this.#listeners.splice(0)) listener();
    });
  }

  addEventListener(_type: 'abort', listener: () => void): void {
    this.#listeners.push(listener);
  }

  removeEventListener(_type: 'abort', listener: () => void): void {
    this.#listeners = this.#listeners.filter((each) => each !== listener);
  }
}
