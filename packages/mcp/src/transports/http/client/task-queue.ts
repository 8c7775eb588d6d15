/** Runs tasks in order, a limited number at the same time. */
export class TaskQueue {
  readonly #width: number;
  #running = 0;
  #waiting: (() => Promise<void>)[] = [];
  #next = 0;

  constructor(width: number) {
    this.#width = width;
  }

  /** The task must not reject. */
  add(task: () => Promise<void>): void {
    this.#waiting.push(task);
    this.#startNext();
  }

  #startNext(): void {
    if (this.#running === this.#width) return;
    const task = this.#waiting[this.#next];
    if (task === undefined) {
      this.#waiting = [];
      this.#next = 0;
      return;
    }
    this.#next += 1;
    this.#running += 1;
    void task().then(() => {
      this.#running -= 1;
      this.#startNext();
    });
  }
}
