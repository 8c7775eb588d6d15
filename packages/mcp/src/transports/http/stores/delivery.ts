import { unref } from '../../../jsonrpc/deadlines.ts';

/** A broken connection is noticed within this time of the next write, or so late that the client has long come back. */
const ARRIVAL_MS = 5000;

/** Which of the events that a follower got have arrived, should its connection turn out to be broken. */
export class Delivery<Id> {
  /** The last event after which the follower has gone on for a while; before that, where it started. */
  arrived: Id;
  /** The last event that it got. */
  last: Id;
  #timer: ReturnType<typeof setTimeout> | undefined;

  constructor(start: Id) {
    this.arrived = start;
    this.last = start;
  }

  handOver(id: Id): void {
    if (id === this.last) return;
    this.last = id;
    if (this.#timer === undefined) this.#wait();
  }

  stop(): void {
    clearTimeout(this.#timer);
  }

  #wait(): void {
    const id = this.last;
    const passed = () => {
      this.#timer = undefined;
      this.arrived = id;
      if (this.last !== id) this.#wait();
    };
    this.#timer = unref(setTimeout(passed, ARRIVAL_MS));
  }
}
