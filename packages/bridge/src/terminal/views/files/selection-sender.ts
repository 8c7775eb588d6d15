import { asError } from '@hawser/unknown-values/thrown';
import type { WireSelection } from '../../../control/calls.ts';
import type { ControlClient } from '../../../control/control-client.ts';

/** Sends selections one at a time. Of those that wait, only the last counts. */
export class SelectionSender {
  readonly #bridge: Pick<ControlClient, 'select'>;
  readonly #onError: (error: Error) => void;
  #next: WireSelection | undefined;
  #isSending = false;

  constructor(bridge: Pick<ControlClient, 'select'>, onError: (error: Error) => void) {
    this.#bridge = bridge;
    this.#onError = onError;
  }

  send(selection: WireSelection): void {
    this.#next = selection;
    if (!this.#isSending) void this.#sendAll();
  }

  async #sendAll(): Promise<void> {
    this.#isSending = true;
    while (this.#next !== undefined) {
      const selection = this.#next;
      this.#next = undefined;
      try {
        await this.#bridge.select(selection);
      } catch (error) {
        this.#onError(asError(error));
      }
    }
    this.#isSending = false;
  }
}
