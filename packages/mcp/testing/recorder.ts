import type { Receiver } from '../src/jsonrpc/connection.ts';
import type { Malformed, Message, RequestId } from '../src/jsonrpc/message.ts';

/** A receiver that notes everything, and lets a test wait for the next thing noted. */
export class Recorder implements Receiver {
  readonly messages: Message[] = [];
  readonly malformations: Malformed[] = [];
  readonly batches: (readonly (Message | Malformed)[])[] = [];
  readonly refusals: { readonly id: RequestId | undefined; readonly reason: Error }[] = [];
  /** Of messages and batches. */
  readonly origins: unknown[] = [];
  readonly closings: Error[] = [];
  endings = 0;
  #wakers: (() => void)[] = [];

  message(message: Message, origin?: unknown): void {
    this.messages.push(message);
    this.origins.push(origin);
    this.#wake();
  }

  malformed(malformed: Malformed): void {
    this.malformations.push(malformed);
    this.#wake();
  }

  batch(items: readonly (Message | Malformed)[], origin?: unknown): void {
    this.batches.push(items);
    this.origins.push(origin);
    this.#wake();
  }

  refused(id: RequestId | undefined, reason: Error): void {
    this.refusals.push({ id, reason });
    this.#wake();
  }

  ended(): void {
    this.endings += 1;
    this.#wake();
  }

  closed(reason: Error): void {
    this.closings.push(reason);
    this.#wake();
  }

  /** Settles as soon as the condition holds; it is looked at after each thing noted. */
  async until(condition: (recorder: this) => boolean): Promise<void> {
    while (!condition(this)) await new Promise<void>((resolve) => this.#wakers.push(resolve));
  }

  #wake(): void {
    for (const wake of this.#wakers.splice(0)) wake();
  }
}
