import type { IncomingMessage } from 'node:http';
import type { RequestId, Response } from '../../../jsonrpc/message.ts';
import { HttpCall, type HttpCaller } from './http-caller.ts';
import type { Outbound } from './outbound.ts';

/** One request of ours, or one stream, over however many HTTP requests it takes to hear all of it. */
export class Exchange {
  /** Of the request whose answer is awaited; undefined for a stream that awaits none. */
  readonly id: RequestId | undefined;
  /** What it began with, if with a message. */
  readonly outbound: Outbound | undefined;
  /** Takes the answer instead of the receiver. */
  readonly keep: ((answer: Response) => void) | undefined;
  /** Answered, failed or no longer wanted. */
  over = false;
  #call: HttpCall | undefined;
  #wake: (() => void) | undefined;

  constructor(id: RequestId | undefined, outbound?: Outbound, keep?: (answer: Response) => void) {
    this.id = id;
    this.outbound = outbound;
    this.keep = keep;
  }

  call(
    caller: HttpCaller,
    method: string,
    headers: Readonly<Record<string, string>>,
    body?: string,
    sent?: () => void,
  ): Promise<IncomingMessage> {
    this.#call = new HttpCall(caller);
    if (this.over) this.#call.abort();
    return this.#call.run(method, headers, body, sent);
  }

  /** What was awaited is here; the last bytes of its stream may still come, so that the connection can be kept. */
  answered(): void {
    this.over = true;
    this.#wake?.();
  }

  /** Nothing more is wanted: whatever is under way is given up. */
  end(): void {
    this.over = true;
    this.#call?.abort();
    this.#wake?.();
  }

  /** Settles early when the exchange ends. */
  sleep(milliseconds: number): Promise<void> {
    return new Promise((resolve) => {
      const timer = setTimeout(resolve, milliseconds);
      this.#wake = () => {
        clearTimeout(timer);
        resolve();
      };
      if (this.over) this.#wake();
    });
  }
}
