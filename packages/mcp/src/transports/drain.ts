import type { Writable } from 'node:stream';

/** One wait for a stream's queue to become short, for any number of callers. Leaves no listener behind. */
export class Drain {
  readonly done: Promise<void>;
  /** Ends the wait, however long the queue is. */
  readonly release: () => void;

  constructor(stream: Writable) {
    let settle = () => {};
    this.done = new Promise((resolve) => {
      settle = resolve;
    });
    this.release = () => {
      stream.off('drain', this.release);
      stream.off('close', this.release);
      settle();
    };
    stream.on('drain', this.release);
    stream.on('close', this.release);
  }
}
